"""The language of the reader, English or Korean, and the Korean of what the package says.

Everything is said in English, also what is kept in the database or made in another thread, and is put into Korean where
somebody reads it. Messages are marked as gettext's are: `_("…")` where one is shown, and `N_("…")` where a constant
names one that `_` shows later. The catalogues have the Korean under the English: each `ko.po` beside the code that
speaks. In an entry with `{0}` this stands for what the program has filled in, and is put into Korean, too.
"""

import locale
import os
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

LESSONS = Path(__file__).parent
NOTEBOOKS = LESSONS.parent / "notebooks" / "ko"
VARIABLES = "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"  # where gettext, too, looks for a shell's language, in order

_FILLED = re.compile(r"\{(\d+)\}")
_visitors: list[Callable[[], str]] = []
ask_first = _visitors.append  # lets the app say the language of the visitor whose page is being drawn; "" if none is


@cache
def korean() -> dict[str, str]:
    """Load the Korean of each message."""
    from babel.messages.pofile import read_po  # which English needs not

    translations = dict[str, str]()
    for path in sorted(LESSONS.rglob("ko.po")):
        with path.open("rb") as file:
            translations |= {str(entry.id): str(entry.string) for entry in read_po(file) if entry.id}
    return translations


def N_(message: str) -> str:  # noqa: N802  # gettext's name
    """Mark a message for the catalogue and return it as it is."""
    return message


def _(message: str, **values: object) -> str:
    """Translate a message into the language of the reader and fill its placeholders."""
    if language() != "ko":
        return message.format(**values) if values else message
    translated = in_korean(message)
    return with_particles(translated.format(**values)) if values else translated


def in_korean(text: str) -> str:
    """Return the Korean of a message, filled in or not; the text as it is if no catalogue has it."""
    if translated := korean().get(text):
        return translated
    for pattern, message in _patterns():
        if match := pattern.fullmatch(text):
            return with_particles(korean()[message].format(*map(_part_in_korean, match.groups())))
    return "\n".join(map(in_korean, text.split("\n"))) if "\n" in text else text


def _part_in_korean(text: str) -> str:
    """Translate what is filled in: a message, or a list of words such as `numbers, words`."""
    translated = in_korean(text)
    return translated if translated != text else ", ".join(map(in_korean, text.split(", ")))


_PARTICLES = {  # as catalogues write them → after a consonant, after a vowel
    "은(는)": ("은", "는"),
    "이(가)": ("이", "가"),
    "을(를)": ("을", "를"),
    "과(와)": ("과", "와"),
    "(으)로": ("으로", "로"),
    "(이)": ("이", ""),
}
_OPEN_PARTICLE = re.compile("|".join(map(re.escape, _PARTICLES)))
_END_IN_CONSONANT = frozenset("013678clmnrLMNR")  # read in Korean: 영, 일, 삼, 육, 칠, 팔; 에이전틱; 엘, 엠, 엔, 알
_END_IN_RIEUL = frozenset("178lrLR")
_QUOTES = "'\"’”」』`"


def with_particles(text: str) -> str:
    """Choose each particle that a catalogue leaves open, as in `{0}을(를)`, by the sound before it."""

    def choose(match: re.Match[str]) -> str:
        after_consonant, after_vowel = _PARTICLES[match[0]]
        closed = ends_in_consonant(text[: match.start()], rieul_is_open=match[0] == "(으)로")
        return after_consonant if closed else after_vowel

    return _OPEN_PARTICLE.sub(choose, text)


def ends_in_consonant(text: str, rieul_is_open: bool = False) -> bool:
    """Tell whether the last sound of a text is a consonant. Before 으로/로, ㄹ counts as open.

    Closing quotes and a bracketed remark are looked through: `매출(잠정)` ends as 매출 does. Latin letters without a
    final consonant of their own in Korean count as open.
    """
    word = re.sub(r"\([^()]*\)$", "", text.rstrip(_QUOTES + " "))
    last = word.rstrip(_QUOTES + ")")[-1:]
    if "가" <= last <= "힣":
        final = (ord(last) - ord("가")) % 28  # 0: it ends in a vowel, 8: in ㄹ
        return final > 0 and not (rieul_is_open and final == 8)
    return last in _END_IN_CONSONANT and not (rieul_is_open and last in _END_IN_RIEUL)


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Return patterns of filled messages: those that introduce another (`Note: {0}`) first, then the longest."""
    filled = [message for message in korean() if _FILLED.search(message)]
    introduces = re.compile(r"([^{]+|(ok|NO)  \{0\}): \{").match
    filled.sort(key=lambda message: (not introduces(message), -len(_FILLED.sub("", message))))
    return [
        (re.compile("(.*?)".join(map(re.escape, _FILLED.split(message)[::2])), re.DOTALL), message)
        for message in filled
    ]


def language() -> str:
    """`ko` or `en`: what the visitor of a page has chosen, or the edition of the notebook, or the shell's language."""
    visited = next(filter(None, (visitor() for visitor in _visitors)), "")
    return visited or _of_the_notebook() or _of_the_shell()


def _of_the_notebook() -> str:
    """Return the language by the folder in which the kernel runs; "" if this is no kernel."""
    ipython = sys.modules.get("IPython")
    if not ipython or not ipython.get_ipython():
        return ""
    return "ko" if Path.cwd().is_relative_to(NOTEBOOKS) else "en"


def show_in_korean() -> None:
    """Let a notebook of the Korean edition show the package's sentences in Korean, in lists and dictionaries, too.

    The commands that it runs speak Korean, as well.
    """
    if _of_the_notebook() == "ko":
        os.environ["LANGUAGE"] = "ko"
        formatter = sys.modules["IPython"].get_ipython().display_formatter.formatters["text/plain"]
        formatter.for_type(str, lambda text, printer, cycle: printer.text(repr(_sentence_in_korean(text))))


def _sentence_in_korean(text: str) -> str:
    """Leave single words as they are: a name in a dictionary is what code asks for."""
    return in_korean(text) if text.count(" ") > 1 else text


def _of_the_shell() -> str:
    """Windows has none of the variables, and says `Korean_Korea`."""
    value = next(filter(None, map(os.environ.get, VARIABLES)), "") or locale.getlocale()[0] or ""
    return "ko" if value.lower().startswith("ko") else "en"
