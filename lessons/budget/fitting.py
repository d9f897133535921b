"""What fits into a number of tokens, and what is said when not even the least does."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from lessons.errors import LessonsError
from lessons.models.tokens import TokenCounter

MESSAGE_TOKENS = 4
"""Around every message: its role and the marks that set it apart from the next."""

Item = TypeVar("Item")


def text_tokens(text: str, counter: TokenCounter) -> int:
    """The tokens of a text sent as a message; nothing for none."""
    return counter.count(text) + MESSAGE_TOKENS if text else 0


def first_fitting(items: Iterable[Item], tokens_of: Callable[[Item], int], room: int) -> list[Item]:
    """The items from the first on, up to the first that would pass the room."""
    kept: list[Item] = []
    for item in items:
        room -= tokens_of(item)
        if room < 0:
            break
        kept.append(item)
    return kept


def last_fitting(items: Sequence[Item], tokens_of: Callable[[Item], int], room: int) -> list[Item]:
    """The items up to the last, without the oldest that do not fit; in the order given."""
    return first_fitting(reversed(items), tokens_of, room)[::-1]


def too_long(window: int, output: int = 0) -> LessonsError:
    """The system prompt and the question alone take more than there is."""
    kept = f", of which {output:,} are kept for its answer" if output else ""
    return LessonsError(
        f"The question does not fit: the model may be sent {window:,} tokens{kept}. "
        "Ask something shorter, or raise LESSONS_CONTEXT_WINDOW if the model reads more."
    )
