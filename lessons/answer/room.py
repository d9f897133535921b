"""How much room an answer's prompt leaves beside its instructions and the question (row A12)."""

from collections.abc import Sequence
from dataclasses import dataclass

from lessons.answer.prompts import DEFAULT_RESPONSE_FORMAT, MEMORY, SYSTEM
from lessons.budget import Budget

INSTRUCTIONS = "\n\n".join(
    [SYSTEM, "[Retrieved Context]", f"[Conversation Memory]\n{MEMORY}", f"[Response Format]\n{DEFAULT_RESPONSE_FORMAT}"]
)


@dataclass(frozen=True)
class Room:
    """What fits of the conversation, and how many tokens of documents."""

    memory: str
    history: tuple[tuple[str, str], ...]
    documents: int


def room_beside(question: str, memory: str, history: Sequence[tuple[str, str]], documents: int) -> Room:
    """The conversation goes before the documents, of which `documents` tokens are wanted.

    LessonsError if the window does not even hold the instructions and the question.
    """
    budget = Budget()
    left = budget.room(INSTRUCTIONS, question)
    return Room(*budget.conversation(memory, history, left - documents), min(documents, left))
