"""How much room an answer's prompt leaves beside its instructions and the question (row A12)."""

from collections.abc import Sequence
from dataclasses import dataclass

from lessons.answer.prompts import CITATION_RULE, DEFAULT_RESPONSE_FORMAT, MEMORY, RULE_MARK, SYSTEM
from lessons.budget import Budget
from lessons.text import language

INSTRUCTIONS = {
    spoken: "\n\n".join(
        [
            SYSTEM[spoken],
            f"[Retrieved Context]\n\n[Conversation Memory]\n{MEMORY[spoken]}",
            f"[Response Format]\n{DEFAULT_RESPONSE_FORMAT[spoken]}{RULE_MARK}{CITATION_RULE[spoken]}",
        ]
    )
    for spoken in SYSTEM
}
"""All that an answer's prompt may hold besides documents, conversation and question, by its language."""


@dataclass(frozen=True)
class Room:
    """What fits of the conversation, and how many tokens of documents."""

    memory: str
    history: tuple[tuple[str, str], ...]
    documents: int


def room_beside(
    question: str, memory: str, history: Sequence[tuple[str, str]], documents: int, budget: Budget | None = None
) -> Room:
    """The conversation gives way to the documents, of which `documents` tokens are wanted.

    In a small window, where they would take everything, it keeps a quarter.
    LessonsError if the window does not even hold the instructions and the question.
    """
    budget = budget or Budget()
    asked = INSTRUCTIONS[language(question)], question
    left = budget.room(*asked)
    known, turns = budget.conversation(memory, history, max(left - documents, left // 4))
    return Room(known, turns, min(documents, budget.room(*asked, known, *(content for _, content in turns))))
