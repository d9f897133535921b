"""An answer as the judge reads it: sentences with their moments, quantities and identifiers, and the words of phrases.

Words are compared in English by their stems, in Korean by their beginnings: 한빛 is in 한빛이.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from lessons.text import ENGLISH_STOP_WORDS, normalize, sentences, terms
from lessons.text.dates import Moment, moments
from lessons.text.korean import particle_pattern
from lessons.text.numbers import Quantity, digits, quantities

IDENTIFIER = re.compile(
    r"(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]*\w|https?://\S+|\b[vV]?\d+\.\d+\.\d+(?:\.\d+)*\b"
    r"|(?<![A-Za-z\d_-])(?!(?:mid|late|early|pre|post|non|over|under|q\d|h\d|fy\d*)-)"
    r"(?=[A-Za-z\d-]*\d)[A-Za-z][A-Za-z\d]*(?:-[A-Za-z\d]+)+"
    r"|(?<![A-Za-z\d_.-])(?!(?:KRW|USD|GBP|EUR|JPY|CNY|FY|[QH])\d)[A-Za-z]+\d+[A-Za-z\d]*",
    re.I,
)
CITED = re.compile(r"\s?\[\d{1,3}\]")
_ITEM = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+")


@dataclass(frozen=True)
class Found:
    """A quantity, and the clause (as read, with calendar words blanked out) in which it stands."""

    quantity: Quantity
    clause: str


@dataclass(frozen=True)
class Reading:
    """A sentence. `rest` is its text without moments and identifiers."""

    text: str
    moments: tuple[Moment, ...]
    numbers: tuple[Found, ...]
    identifiers: tuple[str, ...]
    rest: str

    @property
    def quantities(self) -> list[Quantity]:
        return [found.quantity for found in self.numbers]


@lru_cache(maxsize=5_000)
def read(sentence: str) -> Reading:
    """Read one sentence, without its list mark and its citations."""
    text = digits(_ITEM.sub("", CITED.sub("", sentence)))
    names = tuple(match[0].lower() for match in IDENTIFIER.finditer(text))
    dated, rest = moments(IDENTIFIER.sub(lambda match: "\x00" * len(match[0]), text))
    numbers = tuple(Found(quantity, clause) for clause in clauses(rest) for quantity in quantities(clause))
    return Reading(text, tuple(dated), numbers, names, rest)


def read_all(text: str) -> list[Reading]:
    return [read(sentence) for sentence in sentences(normalize(text))]


def numbers_in(*texts: str) -> list[Quantity]:
    return [quantity for text in texts for reading in read_all(text) for quantity in reading.quantities]


_TOKEN = re.compile(r"[A-Za-z]+|[가-힣]+|\d+(?:[.,]\d+)*")
# Stop words that turn a fact around must be found as well.
KEPT = frozenset("no not never only before after above below under off until once".split())  # noqa: SIM905
_FILLERS = frozenset(
    """
    per each every month monthly year yearly day about approximately roughly around total well
    within least most more less than up
    이내 이상 이하 미만 초과 이전 이후 까지 부터 안 내 전 후 동안 약 월 매월 매달 연 매년 하루 각 총 최대 최소 당 여
    """.split()  # noqa: SIM905
)
_PARTICLE = re.compile(f"(?:{particle_pattern('is', 'many')}|및)$")
_ENDING = re.compile(
    r"(?:(?:하|되|됩|합|했|됐|였|이|입|습|었|았){0,9}(?:니다|어요|아요|해요|돼요|예요|에요|다|함|됨)|하는|되는|한|된)$"
)
_NEGATION = re.compile(
    r"\b(?:not|never|neither|nor|without|cannot|no)\b|n['’]t\b|않|없|아니|아닙|아닌|못하|못합|못했|(?<![가-힣])[안못]\s(?=[가-힣])",
    re.I,
)
_NO_NEGATION = re.compile(r"\bnot only\b|뿐만? ?아니라|관계 ?없이|변함 ?없", re.I)
_UP = re.compile(
    r"\b(?:rose|rises?|risen|grew|grows?|grown|growth|increas\w*|up(?! to)|improv\w*|gain\w*|climb\w*|higher|surg\w*)\b"
    r"|증가|성장|상승|오르|올랐|올라|오른|(?<!오)늘(?=[어었린려렸고며은난났])|개선|확대|높아|좋아|흑자",
    re.I,
)
_DOWN = re.compile(
    r"\b(?:fell|falls?|fallen|declin\w*|decreas\w*|down|drop\w*|lost|loss\w*|lower\w*|reduc\w*|shrank|shrunk|slipp\w*|deficit)\b"
    r"|감소|하락|줄(?=[어었인이고며은여였])|떨어|내리|내렸|내린|내려(?![받오])|축소|낮아|나빠|손실|적자|악화",
    re.I,
)
_CLAUSE = re.compile(
    r"[,;](?=\s)|\b(?:and|but|while|whereas|although)\b|(?<=[가-힣](?:고|며))\s|(?<=지만)\s|(?<=으나)\s|(?<=는데)\s"
)


def clauses(sentence: str) -> list[str]:
    """A sentence cut at commas, at 'and' and 'but', and at the Korean endings that do the same."""
    return [part for part in _CLAUSE.split(sentence) if part.strip()]


def negated(text: str) -> bool:
    return bool(_NEGATION.search(_NO_NEGATION.sub(" ", text)))


def direction(text: str) -> int:
    """1 when the text says that something rose, -1 when it fell (or made a loss), 0 when neither or both."""
    return bool(_UP.search(text)) - bool(_DOWN.search(text))


@lru_cache(maxsize=20_000)
def words(text: str) -> tuple[str, ...]:
    """The words that count, in order: English stems without stop words, Korean words as they are, numbers."""
    found: list[str] = []
    for token in _TOKEN.findall(re.sub(r"n['’]t\b", " not", text)):
        lower = token.lower()
        if lower in KEPT:
            found.append(lower)
        elif lower not in ENGLISH_STOP_WORDS:
            found.append(next(filter(None, terms(lower)), lower) if lower.isascii() else lower)
    return tuple(found)


def demands(phrase: str) -> tuple[str, ...]:
    """The words that a fact asks for, without 'about', 'per month' and the like."""
    return tuple(word for word in words(phrase) if word not in _FILLERS)


def share_found(phrase: str, sentence: str) -> float:
    """Which share of the phrase's words the sentence holds, in any order. Spaces do not matter in Korean."""
    wanted, there = demands(phrase), words(sentence)
    if not wanted:
        literal = re.search(rf"(?<!\w){re.escape(phrase.strip().lower())}(?!\w)", sentence.lower())
        return float(bool(phrase.strip() and literal))
    if _joined(wanted, sentence):
        return 1.0
    return sum(_among(there, want) for want in wanted) / len(wanted)


def _among(there: tuple[str, ...], want: str) -> bool:
    return any(word.startswith(_forms(want)) for word in there) if _is_korean(want) else want in there


def _is_korean(word: str) -> bool:
    return "가" <= word[0] <= "힣"


def _forms(word: str) -> tuple[str, ...]:
    """A Korean word as it stands and without its particle or ending, if two syllables stay."""
    stripped = (_PARTICLE.sub("", word), _ENDING.sub("", word))
    return (word, *(form for form in stripped if len(form) >= 2))


def _joined(wanted: tuple[str, ...], sentence: str) -> bool:
    """Whether the Korean words stand in the sentence with other spaces: 결제담당자 for 결제 담당자."""
    if not all(map(_is_korean, wanted)):
        return False
    starts = {match.start() for match in re.finditer(r"(?<![가-힣])[가-힣]", sentence)}
    firsts = {len(sentence[:start].replace(" ", "")) for start in starts}
    text = sentence.replace(" ", "")
    return any(text.startswith("".join(wanted[:-1]) + last, first) for last in _forms(wanted[-1]) for first in firsts)
