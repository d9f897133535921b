"""What a comparison comes to: which stage is right, which ones say the same, and what that costs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from lessons.evaluate.golden import Golden
from lessons.evaluate.judge.judge import judge_text
from lessons.evaluate.metrics import hits, ranking
from lessons.pages.language import N_, _
from lessons.rag.answer import Answer
from lessons.rag.context import CITATION
from lessons.settings import settings
from lessons.tables import plain, plain_line

STATUSES = {
    "right": N_(":green-badge[✓ right]"),
    "partly": N_(":yellow-badge[◐ partly right]"),
    "answered": N_(":gray-badge[answered]"),
    "refused": N_(":orange-badge[○ refused]"),
    "wrong": N_(":red-badge[✗ wrong]"),
}
"""The badge of a status; the best is the first."""

SAID = {
    "right": (N_("{stages} is the first that is right"), N_("{stages} is right"), N_("{stages} are right")),
    "partly": (
        N_("{stages} is the first that is partly right"),
        N_("{stages} is partly right"),
        N_("{stages} are partly right"),
    ),
    "answered": (N_("{stages} is the first that answers"), N_("{stages} answers"), N_("{stages} answer")),
}
"""What is said of the first stage that has a status, of one or all that have it, and of several."""

ALIKE = 0.4  # share of their words that two answers have in common if their difference is worth marking


@dataclass(frozen=True)
class Score:
    """How a stage did; `ranks` has for each piece of evidence the best rank that holds it, None if none does.

    `words` are the answer without its citations, whose numbers depend on the ranks.
    """

    answer: Answer
    status: str
    ranks: tuple[int | None, ...]
    words: str

    @property
    def facts(self) -> str:
        """The ranks of the evidence, and what the answer took; a line breaks only between them."""
        trace, found = self.answer.trace, ", ".join(str(rank or "–") for rank in self.ranks)
        evidence = ["★ " + (found if any(self.ranks) else _("not found"))] if self.ranks else []
        calls = _("1 call") if trace.llm_calls == 1 else _("{number:,} calls", number=trace.llm_calls)
        used = calls, _("{number:,} tokens", number=trace.tokens), f"{trace.ms:,.0f} ms"
        price = f"${trace.cost:.4f}" if trace.cost else _("free")
        return " · ".join(each.replace(" ", "\u00a0") for each in (*evidence, *used, price))

    @property
    def is_wasted(self) -> bool:
        """Whether all evidence was read for an answer that is not right."""
        read = len(self.answer.context.documents)
        return self.status in ("wrong", "refused") and bool(self.ranks) and all(at and at <= read for at in self.ranks)


def what_is_new(name: str) -> str:
    """What a stage adds to the one before it, for a newcomer."""
    chosen = settings()
    return {
        "naive": _("chunks of {tokens} tokens, those nearest in meaning", tokens=chosen.naive_chunk_tokens),
        "enhanced": _("+ chunks know their section"),
        "smart": _("+ words and meaning, question rewritten"),
        "reranked": _("+ {judged} judged, the best {kept} kept", judged=chosen.rerank_candidates, kept=chosen.top_k),
        "agentic": _("+ the model chooses the searches"),
    }.get(name, _("a stage of your own"))


def scored(answer: Answer, golden: Golden | None) -> Score:
    """An answer against what is known about its question."""
    correctness, refused = judge_text(golden, answer.text) if golden else (float("nan"), not answer.found)
    status = {1.0: "right", 0.5: "partly", 0.0: "wrong"}.get(correctness, "answered")
    covered = hits(ranking(answer), evidence := golden.evidence if golden else ())
    ranks = (next((at for at, held in enumerate(covered, 1) if each in held), None) for each in range(len(evidence)))
    words = " ".join(CITATION.sub("", answer.text).split())
    return Score(answer, "refused" if refused and status in ("wrong", "answered") else status, tuple(ranks), words)


def merged(names: Iterable[str], scores: Mapping[str, Score]) -> list[list[str]]:
    """The stages in their order; neighbours that say the same are one group."""
    return [list(group) for _, group in groupby(names, lambda name: scores[name].words if name in scores else name)]


def verdict(scores: Mapping[str, Score]) -> tuple[str, str]:
    """What the comparison comes to: its first sentence, and what there is to say about the evidence."""
    without = [name for name, score in scores.items() if score.ranks and not any(score.ranks)]
    wasted = [name for name, score in scores.items() if score.is_wasted]
    why = []
    if without:
        none, some = N_("No stage found the evidence ★."), N_("{stages} did not find the evidence ★.")
        why.append(_(none if len(without) == len(scores) else some, stages=_and(without)))
    if wasted:
        why.append(_("{stages} read the evidence ★ and still missed the answer.", stages=_all(wasted, scores)))
    return _headline(scores), " ".join(why)


def _headline(scores: Mapping[str, Score]) -> str:
    names, found = list(scores), {score.status for score in scores.values()}
    status = next(status for status in STATUSES if status in found)
    if status in ("refused", "wrong"):
        return _("No stage is right.") if "wrong" in found else _("No stage answers.")
    good = [name for name in names if scores[name].status == status]
    bad = [name for name in names[names.index(good[0]) :] if name not in good]
    first, one, many = SAID[status]
    no = _("No stage is right; ") if status == "partly" and len(good) < len(names) else ""
    if good[0] != names[0]:
        said = _(first, stages=_and(good[:1]))
    else:
        said = _(one if len(good) in (1, len(names)) else many, stages=_all(good, scores))
    return f"{no}{said}{_but(bad, status)}{_the_same(good, scores)}."


def _but(bad: Sequence[str], status: str) -> str:
    if status == "answered":
        said = N_(", but {stages} cannot")
    else:
        said = N_(", but {stages} is not") if len(bad) == 1 else N_(", but {stages} are not")
    return _(said, stages=_and(bad)) if bad else ""


def _the_same(good: Sequence[str], scores: Mapping[str, Score]) -> str:
    """Who else says what the first one does, and for how many times its tokens."""
    same = [name for name in good[1:] if scores[name].words == scores[good[0]].words]
    base, *tokens = (scores[name].answer.trace.tokens for name in (good[0], *same))
    if not same:
        return ""
    one, many = N_("; {stages} says the same"), N_("; {stages} say the same")
    if good[0] == next(iter(scores)):  # then the sentence is about several, and the first has to be named
        one, many = N_("; {stages} says the same as {first}"), N_("; {stages} say the same as {first}")
    said = _(one if len(same) == 1 else many, stages=_and(same), first=good[0].capitalize())
    times = [f"{each / base:.1f}" for each in tokens] if base and all(tokens) else []
    return said + (_(" for {times} times the tokens", times=_and(times)) if {*times} - {"1.0"} else "")


def _and(names: Iterable[str]) -> str:
    *others, last = [name.capitalize() for name in names] or [""]
    return _("{others} and {last}", others=", ".join(others), last=last) if others else last


def _all(names: Sequence[str], scores: Mapping[str, Score]) -> str:
    return _("Every stage") if len(names) == len(scores) > 1 else _and(names)


def marked(text: str, before: str) -> str:
    """The text as Markdown, with the words that are new in it on green and those that are gone struck out.

    Two answers with little in common are not marked. No difference are numbers of citations, and words that moved.
    """
    old, new = (re.findall(r"\S+\s*", each) for each in (before, text))
    words = [[CITATION.sub("", word).strip() for word in each] for each in (old, new)]
    matcher = SequenceMatcher(None, words[0], words[1])
    if matcher.ratio() < ALIKE:
        return plain(text)
    changes = [
        (" ".join(filter(None, words[0][start:end])), " ".join(filter(None, words[1][begin:stop])), new[begin:stop])
        for _, start, end, begin, stop in matcher.get_opcodes()
    ]
    then, now = (f" {' '.join(filter(None, each))} " for each in words)
    parts = list[str]()
    for gone, added, said in changes:
        is_new = gone != added and not _stands_in(then, added)
        is_gone = gone != added and not _stands_in(now, gone)
        if (is_new or is_gone) and parts and not parts[-1].endswith(" "):
            parts.append(" ")  # after what was the end of the text
        if is_gone:
            parts.append(f":gray[~~{plain_line(gone)}~~] ")
        if said:
            whole = "".join(said)
            parts.append(f":green-background[{plain_line(whole)}] " if is_new else plain(whole))
    return "".join(parts)


def _stands_in(text: str, run: str) -> bool:
    """Whether a text has this run of words somewhere; of one or two words nobody would say that they have moved."""
    return not run or (run.count(" ") > 1 and f" {run} " in text)
