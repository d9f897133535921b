"""What a comparison comes to: which stage is right, which ones say the same, and which is worth its tokens."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from lessons.evaluate.compare import paired_gain
from lessons.evaluate.golden import Golden
from lessons.evaluate.judge import judge_text
from lessons.evaluate.metrics import hits, ranking
from lessons.pages.language import N_, _
from lessons.rag.answer import Answer
from lessons.rag.context import CITATION
from lessons.settings import settings
from lessons.tables import plain, plain_line
from lessons.text import language, terms

BADGES = {
    "right": N_(":green-badge[✓ right]"),
    "partly": N_(":yellow-badge[◐ partly right]"),
    "answered": N_(":gray-badge[answered]"),
    "refused": N_(":gray-badge[○ refused]"),
    "wrong": N_(":red-badge[✗ wrong]"),
}
"""The badge of a status; the best is the first."""
REFUSE = N_("One stage refuses"), N_("Two stages refuse"), N_("Three stages refuse"), N_("Four stages refuse")
ANSWER = N_("one answers"), N_("two answer"), N_("three answer"), N_("four answer")


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
        trace, ranks = self.answer.trace, ", ".join(str(rank or "–") for rank in self.ranks)
        evidence = ["★ " + (ranks if any(self.ranks) else _("not found"))] if self.ranks else []
        calls = _("1 call") if trace.llm_calls == 1 else _("{number:,} calls", number=trace.llm_calls)
        used = calls, _("{number:,} tokens", number=trace.tokens), f"{trace.ms:,.0f} ms"
        price = f"${trace.cost:.4f}" if trace.cost else _("free")
        return " · ".join(fact.replace(" ", "\u00a0") for fact in (*evidence, *used, price))

    @property
    def is_wasted(self) -> bool:
        """Whether all evidence was read for an answer that is not right."""
        read = len(self.answer.context.documents)
        was_read = bool(self.ranks) and all(rank and rank <= read for rank in self.ranks)
        return was_read and self.status in ("wrong", "refused")


def what_is_new(name: str) -> str:
    """Say what a stage adds to the one before it, for a newcomer."""
    tokens, judged, best = settings().naive_chunk_tokens, settings().rerank_candidates, settings().rerank_best
    return {
        "naive": _("chunks of {tokens} tokens, those nearest in meaning", tokens=tokens),
        "enhanced": _("+ chunks know their section"),
        "smart": _("+ words and meaning, question rewritten"),
        "reranked": _("+ {judged} judged, the best {kept} kept", judged=judged, kept=best),
        "agentic": _("+ the model chooses the searches"),
    }.get(name, _("a stage of your own"))


def scored(answer: Answer, golden: Golden | None) -> Score:
    """Judge an answer by what is known about its question."""
    correctness, refused = judge_text(golden, answer.text) if golden else (float("nan"), not answer.found)
    status = {1.0: "right", 0.5: "partly", 0.0: "wrong"}.get(correctness, "answered")
    covered = hits(ranking(answer), evidence := golden.evidence if golden else ())
    ranks = (
        next((rank for rank, numbers in enumerate(covered, 1) if number in numbers), None)
        for number in range(len(evidence))
    )
    words = " ".join(CITATION.sub("", answer.text).split())
    return Score(answer, "refused" if refused and status in ("wrong", "answered") else status, tuple(ranks), words)


def merged(names: Iterable[str], scores: Mapping[str, Score]) -> list[list[str]]:
    """Group the stages in their order; neighbours that say the same are one group."""
    return [list(group) for _, group in groupby(names, lambda name: scores[name].words if name in scores else name)]


def verdict(scores: Mapping[str, Score], is_golden: bool) -> str:
    """Sum a comparison up. Where no right answer is known, no stage is praised: one that makes something up answers."""
    right = [name for name, score in scores.items() if score.status == "right"]
    refused = [name for name, score in scores.items() if score.status == "refused"]
    if not is_golden:
        return _open_verdict(len(scores) - len(refused), len(refused))
    if not right:
        return _("No stage is right.")
    if len(right) == len(scores):
        return _("Every stage is right.")
    first, wrong = right[0], [name for name in scores if name not in right]
    if first == next(iter(scores)):
        return _("Right: {stages}; not right: {others}.", stages=_and(right), others=_and(wrong))
    sentence = _("{stages} is the first that is right", stages=first.capitalize())
    later = [name for name in [*scores][[*scores].index(first) :] if name in wrong]
    return sentence + (_("; not right after it: {stages}", stages=_and(later)) if later else "") + "."


def _open_verdict(answered: int, refused: int) -> str:
    if not refused:
        return _("Every stage answers. Which is right?")
    if not answered:
        return _("Every stage refuses. Do the documents say it?")
    if max(answered, refused) > len(REFUSE):
        return _("Refused: {refused} stages; answered: {answered}. Which is right?", refused=refused, answered=answered)
    halves = {"refuse": _(REFUSE[refused - 1]), "answer": _(ANSWER[answered - 1])}
    return _("{refuse}, {answer}. Which is right?", **halves)


def missing_words(answer: Answer) -> list[str]:
    """List the words of the question that stand in no passage that the answer cites, if that is in its language."""
    cited = {citation.chunk_id for citation in answer.citations}
    passages = [f"{row.source} {row.content}" for row in answer.context.documents if row.id in cited]
    if not passages or any(language(text) != language(answer.question) for text in passages):
        return []
    stated = set(terms(" ".join(passages)))
    words = dict.fromkeys(word.strip("?!.,:;\"'“”()") for word in answer.question.split())
    return [word for word in words if (word_terms := set(terms(word))) and not word_terms & stated]


def changes_marked(text: str, previous_text: str) -> str:
    """Mark as Markdown what an answer says anew. What went is not written: it would be copied and read aloud."""
    words = text.split(" ")
    spans = SequenceMatcher(None, previous_text.split(" "), words, autojunk=False).get_opcodes()
    pieces = [(tag, " ".join(words[start:end])) for tag, _, _, start, end in spans if end > start]
    return " ".join(plain(new) if tag == "equal" else f":blue-background[{plain_line(new)}]" for tag, new in pieces)


def worth(right: Mapping[str, Sequence[float]], tokens: Mapping[str, float]) -> str:
    """Say which stage is worth its tokens: `right` has 1 for each right answer of a stage, in the order of questions.

    So few questions may mislead: a difference that the paired test does not show is said to be perhaps chance.
    """
    total = {name: sum(value == 1 for value in values) for name, values in right.items()}
    cheapest, number = min(total, key=lambda name: tokens[name]), len(next(iter(right.values())))
    best = max(total, key=lambda name: (total[name], -tokens[name]))
    facts = {"number": number, "right": total[best], "stage": best.capitalize(), "cheapest": cheapest.capitalize()}
    if len({*total.values()}) == 1:
        equal = N_("On your questions ({number}) all stages are equal: {right} right. {cheapest} costs least.")
        return _(equal, **facts)
    first = next(iter(total))
    rival = first if first != best else max((name for name in total if name != best), key=lambda name: total[name])
    facts |= {"other": rival.capitalize(), "less": total[rival], "times": f"{tokens[best] / max(1, tokens[rival]):.1f}"}
    sentence = _(
        "On your {number} questions {stage} is worth it: {right} right of {number}, {other} {less}, at {times} times "
        "the tokens.",
        **facts,
    )
    if best in (first, cheapest):
        enough = N_("On your {number} questions {stage} is enough: {right} right of {number}, {other} {less}.")
        sentence = _(enough, **facts)
    if paired_gain(rival, best, "correctness", right[rival], right[best]).verdict != "better":
        sentence += " " + _("With so few, this may be chance.")
    return sentence


def about_evidence(scores: Mapping[str, Score]) -> str:
    """Say which stages did not find the evidence, and which read it for nothing."""
    missed = [name for name, score in scores.items() if score.ranks and not any(score.ranks)]
    wasted = [name for name, score in scores.items() if score.is_wasted]
    sentences = []
    if missed:
        none, some = N_("No stage found the evidence ★."), N_("{stages} did not find the evidence ★.")
        sentences.append(_(none if len(missed) == len(scores) else some, stages=_and(missed)))
    if wasted:
        sentences.append(_("{stages} read the evidence ★ and still missed the answer.", stages=_and(wasted)))
    return " ".join(sentences)


def about_cost(scores: Mapping[str, Score]) -> str:
    """Say which stages give the same answer as the first right one, for how many times its tokens."""
    first = next((score for score in scores.values() if score.status == "right"), None)
    if not first:
        return ""
    same = {name: score.answer.trace.tokens for name, score in scores.items() if score.words == first.words}
    base, *tokens = same.values()
    if not tokens or not base or not all(tokens):
        return ""
    times = [f"{number / base:.1f}" for number in tokens]
    return _("{stages}: the same answer for {times} times the tokens.", stages=_and([*same][1:]), times=_and(times))


def _and(names: Iterable[str]) -> str:
    *first, last = [name.capitalize() for name in names] or [""]
    return _("{others} and {last}", others=", ".join(first), last=last) if first else last
