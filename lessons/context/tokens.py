"""The token manager (row D5): exact counts, how much there is, and texts cut to what is left of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from lessons.models.tokens import ExactTokenCounter, TokenCounter
from lessons.settings import settings
from lessons.text import cut_sentences


@dataclass(frozen=True)
class TokenManager:
    """`total` tokens, of which `prompts` are kept for the instructions to the model."""

    total: int = field(default_factory=lambda: settings().managed_tokens)
    prompts: int = field(default_factory=lambda: settings().managed_prompt_tokens)
    counter: TokenCounter = field(
        default_factory=lambda: ExactTokenCounter(settings().llm_model), repr=False, compare=False
    )

    @property
    def available(self) -> int:
        """What is left for everything but the instructions."""
        return max(0, self.total - self.prompts)

    def count(self, text: str) -> int:
        return self.counter.count(text)

    def beginning(self, text: str, tokens: int) -> str:
        """The text up to the last sentence that fits; of a first sentence that is too long, the words that fit."""
        if self.count(text) <= tokens:
            return text
        return self._most(cut_sentences(text), tokens) or self._most(_words(text), tokens)

    def end(self, lines: Sequence[str], tokens: int) -> list[str]:
        """The last of the lines that fit together, one below the other."""
        first = len(lines)
        while first and self.count("\n".join(lines[first - 1 :])) <= tokens:
            first -= 1
        return list(lines[first:])

    def _most(self, pieces: Sequence[str], tokens: int) -> str:
        kept = ""
        for piece in pieces:
            if self.count((kept + piece).rstrip()) > tokens:
                break
            kept += piece
        return kept.rstrip()


def _words(text: str) -> list[str]:
    return [word if number == 0 else f" {word}" for number, word in enumerate(text.split())]
