"""The guard of the response cache: two questions that look alike share an answer only if they pin down the same.

An embedding places 'Who hired the manager?' beside 'Who did the manager hire?', nearer than many a paraphrase. So what
similarity cannot tell apart is compared by reading both questions: every word of one needs a counterpart in the other
that plays the same part. The guard errs towards asking again: a paraphrase that it does not recognise costs one answer,
a wrong answer from the cache costs the reader's trust.

A logistic model of similarity, shared letters and these rules, fitted to the same pairs, found hardly more paraphrases
of unseen questions at as few wrong hits, so there is none.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from lessons.context.guard_english import read_english
from lessons.context.guard_korean import read_korean
from lessons.context.reading import ADNOMINAL, OPEN, WEAK, Reading, Word
from lessons.text import language, normalize

Pair = tuple[int, int]
BARE = {"ko": ADNOMINAL | {""}, "en": {"'s", ""}}  # roles of words that belong to the word behind them, by language
_LONGEST_RUN = 4  # words that one word can be written as


def align(one: Sequence[Word], other: Sequence[Word]) -> tuple[list[Pair], list[Word], list[Word]]:
    """Counterparts as pairs of positions, also written apart ('sun set') or in short ('APR'), and what has none."""
    left, left_of_other = [*range(len(one))], [*range(len(other))]
    pairs = [(run[-1], whole) for run, whole in _matched(one, other, left, left_of_other)]
    pairs += [(whole, run[-1]) for run, whole in _matched(other, one, left_of_other, left)]
    rest = [one[i] for i in left if not one[i].is_asked], [other[i] for i in left_of_other if not other[i].is_asked]
    return sorted(pairs), *rest


def _matched(
    parts: Sequence[Word], wholes: Sequence[Word], left: list[int], left_wholes: list[int]
) -> list[tuple[list[int], int]]:
    """Words, and runs of them, that are one word of the other question; what is matched leaves both lists."""
    found = []
    for whole in [*left_wholes]:
        runs = [left[i : i + length] for length in range(1, _LONGEST_RUN + 1) for i in range(len(left) - length + 1)]
        if run := next((run for run in runs if _is_written([parts[i] for i in run], wholes[whole])), None):
            found.append((run, whole))
            left_wholes.remove(whole)
            left[:] = [i for i in left if i not in run]
    return found


def _is_written(run: Sequence[Word], whole: Word) -> bool:
    """Whether the words in a row make up the other: joined, by their initials, or by every second syllable (주담대)."""
    for texts in product(*(word.stems for word in run)):
        joined = "".join(texts)
        initials = "".join(text[0] for text in texts) if len(texts) > 1 else joined
        syllables = joined[::2] if joined > "가" and len(joined) > 5 else joined
        if {joined, initials, syllables} & whole.stems:
            return True
    return False


Rule = Callable[[Reading, Reading], bool]


def _equal(part: str) -> Rule:
    return lambda one, other: getattr(one, part) == getattr(other, part)


def _same_tense(one: Reading, other: Reading) -> bool:
    first, second = one.tense.split(), other.tense.split()
    return first[:-1] != second[:-1] or first == second or not (first and second)


def _same_words(one: Reading, other: Reading) -> bool:
    """Every word has an equal, an inflected or a synonymous counterpart."""
    _, *left = align(one.words, other.words)
    return not any(word for words in left for word in words if not word.light) and not all(left)


def _same_roles(one: Reading, other: Reading) -> bool:
    """Counterparts play the same part; where position tells it, they stand in the same order, and so do I and you."""
    pairs = align(one.words, other.words)[0]
    counterparts = [(one.words[i], other.words[j], j) for i, j in pairs]
    agree = all(_agree(a, b) for a, b, _ in counterparts)
    if not (agree and _same_persons(one, other) and _same_heads(one, other, pairs)):
        return False
    strict = len(one.numbers) > 1
    return not any(
        _exchanged((a, b), (c, d))
        or (later < earlier and (strict or a.role == c.role == b.role == d.role != "predicate"))
        for number, (a, b, earlier) in enumerate(counterparts)
        for c, d, later in counterparts[number + 1 :]
    )


def _same_persons(one: Reading, other: Reading) -> bool:
    """I and you stand in the same order, and who calls is not who is called."""
    said = one.persons, other.persons
    mine, others = ([person in ("I", "me", "my") for person in persons] for persons in said)
    turned = {*mine} == {*others} and mine[:1] != others[:1]
    parts = {tuple(person for person in persons if person != "my") for persons in said}
    return not turned and parts != {("I",), ("me",)}


def _same_heads(one: Reading, other: Reading, pairs: Sequence[Pair]) -> bool:
    """Words that belong to the one behind them stand before the same one in both: 한글 파일, the new mill."""
    counterpart, known = dict(pairs), {j for _, j in pairs}
    return all(
        counterpart.get(i + 1, j + 1) == j + 1 or j + 1 not in known
        for i, j in pairs
        if {one.words[i].role, other.words[j].role} & BARE[one.language]
    )


def _agree(one: Word, other: Word) -> bool:
    """Whether two counterparts can play the same part; one that is unmarked can play every weak one."""
    roles = {one.role, other.role}
    return (
        len(roles) == 1
        or (roles <= WEAK and bool(roles & OPEN) and len(roles & ADNOMINAL) < 2)
        or (roles <= {"'s", "of", "in", "on", "at", "for"} and "of" in roles)
    )


def _exchanged(one: tuple[Word, Word], other: tuple[Word, Word]) -> bool:
    """Whether two words each take the part that the other had: 'the manager's friend', 'the friend's manager'."""
    (a, b), (c, d) = (["" if word.role in OPEN else word.role for word in pair] for pair in (one, other))
    return a == d != b == c


RULES: Mapping[str, Rule] = {
    "language": _equal("language"),
    "numbers": _equal("numbers"),
    "negation": _equal("negated"),
    "what is asked": _equal("asks"),
    "modality": _equal("modality"),
    "tense": _same_tense,
    "who does what": _same_roles,
    "words": _same_words,
}
"""What has to agree, by name, in the order in which differences are named."""


def read_constraints(question: str) -> Reading:
    text = " ".join(normalize(question).split())
    return read_korean(text) if language(text) == "ko" else read_english(text)


def differences(asked: str, again: str) -> list[str]:
    """The names of the rules by which two questions differ; none if an answer to one answers the other."""
    first, second = sorted((asked, again))
    one, other = read_constraints(first), read_constraints(second)
    return [name for name, agree in RULES.items() if not agree(one, other)]
