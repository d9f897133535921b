"""What is asked on the Compare page, and its address: the same link brings back the same question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from lessons.evaluate.golden import SPLITS, Golden, golden_questions


@dataclass(frozen=True)
class Line:
    """A line of the conversation before a follow-up. One without a stage is the same for all stages."""

    role: str
    content: str
    stage: str = ""


@dataclass(frozen=True)
class Asked:
    """A question, the stages it goes to, the file and the filter that limit it, and what was said before it.

    `golden` is the id of the golden question it is, empty for one's own.
    """

    question: str
    stages: tuple[str, ...]
    source_file: str | None = None
    filter_text: str = ""
    golden: str = ""
    before: tuple[Line, ...] = ()

    def history(self, stage: str) -> list[tuple[str, str]]:
        """What was said before as this stage heard it: (role, content), oldest first."""
        return [(line.role, line.content) for line in self.before if line.stage in ("", stage)]

    @property
    def link(self) -> dict[str, str | list[str]]:
        """The parameters of its address; empty ones are to be left out.

        What the stages answered before a follow-up is not in it, only what they were asked.
        """
        golden = golden_named(self.golden)
        known = golden is not None and self.before == lines_of(golden)
        return {
            "question": self.question,
            "stages": ",".join(self.stages),
            "file": self.source_file or "",
            "filter": self.filter_text,
            "golden": self.golden,
            "after": [] if known else [line.content for line in self.before if line.role == "user"],
        }


def from_link(link: Mapping[str, str], after: Sequence[str], known_stages: Sequence[str]) -> Asked:
    """What an address asks. Unknown names are left out; a golden question brings its own words and conversation."""
    stages = tuple(name for name in known_stages if name in link.get("stages", "").split(","))
    limits = link.get("file") or None, link.get("filter", "")
    golden = golden_named(link.get("golden", ""))
    if golden:
        return Asked(golden.question, stages, *limits, golden.id, lines_of(golden))
    return Asked(link.get("question", ""), stages, *limits, before=tuple(Line("user", said) for said in after))


def lines_of(golden: Golden) -> tuple[Line, ...]:
    """What was said before a golden question."""
    return tuple(Line(role, content) for role, content in golden.history)


def golden_named(id: str) -> Golden | None:
    """The golden question with this id."""
    return next((each for each in all_golden() if each.id == id), None)


def golden_for(question: str, owner: str, before: Sequence[Line]) -> Golden | None:
    """The golden question that asks exactly this of these documents after the same words."""
    asked = question.strip(), owner, tuple(before)
    return next((each for each in all_golden() if (each.question, each.owner, lines_of(each)) == asked), None)


@cache
def all_golden() -> list[Golden]:
    """The golden questions of both splits."""
    return [each for split in SPLITS for each in golden_questions(split)]
