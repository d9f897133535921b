"""Which word of one question stands for which word of another."""

from collections.abc import Sequence
from itertools import product

from lessons.context.cache.reading import Word

Pair = tuple[int, int]
_LONGEST_RUN = 4  # words that one word can be written as
_TYPO = 5  # letters of a word that may lack one, or have two of them in the wrong order


def align(one: Sequence[Word], other: Sequence[Word]) -> tuple[list[Pair], list[Word], list[Word]]:
    """Counterparts as pairs of positions, and the words of either question that have none.

    A counterpart has a stem in common, or is the same word written apart ('sun set'), in short ('APR') or mistyped.
    """
    pairs: list[Pair] = []
    left = [*range(len(one))], [*range(len(other))]
    for same in (_equal, _related, _mistyped):
        for i in [*left[0]]:
            if (j := next((j for j in left[1] if same(one[i], other[j])), None)) is not None:
                pairs.append((i, j))
                left[0].remove(i)
                left[1].remove(j)
    pairs += [(run[-1], whole) for run, whole in _written_apart(one, other, left[0], left[1])]
    pairs += [(whole, run[-1]) for run, whole in _written_apart(other, one, left[1], left[0])]
    rest, rest_of_other = (
        [words[i] for i in indices if not words[i].is_asked] for words, indices in zip((one, other), left, strict=True)
    )
    return sorted(pairs), rest, rest_of_other


def _equal(one: Word, other: Word) -> bool:
    return one.role == other.role and one.stems == other.stems


def _related(one: Word, other: Word) -> bool:
    return bool(one.stems & other.stems)


def _mistyped(one: Word, other: Word) -> bool:
    """A letter is missing, or two neighbours have changed places, but not the first."""
    short, long = sorted((one.text, other.text), key=len)
    if len(short) < _TYPO or not long.isalpha() or short[0] != long[0] or not long.isascii():
        return False
    if len(short) == len(long):
        differing = [i for i, (a, b) in enumerate(zip(short, long, strict=True)) if a != b]
        return len(differing) == 2 and differing[1] - differing[0] == 1 and sorted(short) == sorted(long)
    return any(long[:i] + long[i + 1 :] == short for i in range(1, len(long)))


def _written_apart(
    parts: Sequence[Word], wholes: Sequence[Word], left: list[int], left_wholes: list[int]
) -> list[tuple[list[int], int]]:
    """Runs of words that are one word of the other question; what was matched is taken out of both lists."""
    found = []
    for whole in [*left_wholes]:
        runs = [left[i : i + length] for length in range(1, _LONGEST_RUN + 1) for i in range(len(left) - length + 1)]
        run = next((run for run in runs if _is_written([parts[i] for i in run], wholes[whole])), None)
        if run:
            found.append((run, whole))
            left_wholes.remove(whole)
            left[:] = [i for i in left if i not in run]
    return found


def _is_written(run: Sequence[Word], whole: Word) -> bool:
    """Whether the words in a row make up the other: joined, by their initials, or by every second syllable (주담대)."""
    for texts in product(*(word.stems for word in run)):
        joined = "".join(texts)
        short = {
            "".join(text[0] for text in texts) if len(texts) > 1 else "",
            joined[::2] if joined > "가" and len(joined) > 5 else "",
        }
        if joined in whole.stems or (short - {""}) & whole.stems:
            return True
    return False
