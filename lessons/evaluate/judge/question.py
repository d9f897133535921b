"""What the judge needs to know of a question with a known answer."""

from collections.abc import Sequence
from typing import Protocol


class Passage(Protocol):
    """A piece of evidence of a golden question, with the other passages that would do as well."""

    @property
    def source_file(self) -> str: ...
    @property
    def page(self) -> int | None: ...
    @property
    def quote(self) -> str: ...
    @property
    def any_of(self) -> "Sequence[Passage]": ...


class Question(Protocol):
    """What the judge needs of a golden question."""

    @property
    def question(self) -> str: ...
    @property
    def category(self) -> str: ...
    @property
    def answer(self) -> str: ...
    @property
    def key_facts(self) -> Sequence[str]: ...
    @property
    def evidence(self) -> Sequence[Passage]: ...
