"""What a question pins down, in a form in which two questions that ask the same agree."""

from dataclasses import dataclass

WEAK = frozenset(("", "topic", "subject", "object", "predicate", "of", "in", "on", "at", "for"))
"""Roles that may go unmarked: English then tells them by position, Korean drops the particle."""
OPEN = frozenset(("", "topic", "predicate"))
"""Roles that agree with every weak one."""


@dataclass(frozen=True)
class Word:
    """A content word with the part it plays: a preposition, a particle, or '' where its position tells.

    `stems` are the forms it can be an inflection of; to one of `heads` it belongs, as in 'the groom's family'.
    """

    stems: frozenset[str]
    role: str = ""
    heads: frozenset[str] = frozenset()
    form: str = ""  # of a verb that describes a noun: 산 책, 사는 책, 살 책
    light: bool = False  # says little: one question may have it and the other not

    @property
    def text(self) -> str:
        return min(self.stems, key=lambda stem: (-len(stem), stem), default="")

    @property
    def is_asked(self) -> bool:
        """Whether it stands for who or what is asked for; 'until when' is not left out like 'who' may be."""
        return self.text == "?" and self.role in WEAK

    @property
    def is_number(self) -> bool:
        return self.text.startswith("#")


@dataclass(frozen=True)
class Reading:
    """The constraints of a question.

    `asks` is what it wants to know (who, when, how many …), `words` are its content words and numbers in the order of
    an active statement, `negated` counts its negations, `modality` is can, must or forbidden. `tense` is empty where
    the question does not show it, and `persons` where there is one only: 'can I call you' has two.
    """

    language: str
    asks: frozenset[str]
    words: tuple[Word, ...]
    negated: int = 0
    modality: frozenset[str] = frozenset()
    tense: str = ""
    persons: tuple[str, ...] = ()
