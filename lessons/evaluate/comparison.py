"""One question answered by several stages: what the app shows side by side, and what a notebook can look at again."""

from dataclasses import dataclass

from lessons.evaluate.align import Alignment, align
from lessons.evaluate.golden import Golden
from lessons.rag.answer import Answer
from lessons.rag.stages import changed, stages


@dataclass(frozen=True)
class Comparison:
    """A question, what was said before it, and the answers by stage; `problems` says why a stage has none.

    `limits` names the owner, the file and the filter within which was searched. `golden` is what is known about it.
    """

    question: str
    answers: dict[str, Answer]
    problems: dict[str, str]
    history: tuple[tuple[str, str], ...] = ()
    limits: tuple[tuple[str, str], ...] = ()
    golden: Golden | None = None

    @property
    def alignment(self) -> Alignment:
        """What the stages retrieved, place by place, with the evidence if it is known."""
        return align(list(self.answers.values()), self.golden.evidence if self.golden else ())


def what_changes(name: str) -> str:
    """The one-line difference of a stage to the one before it in the course."""
    taught = list(stages().values())
    number = list(stages()).index(name)
    if number == 0:
        return "The first stage"
    return f"{taught[number - 1].name.capitalize()} with another {', '.join(changed(*taught[number - 1 : number + 1]))}"
