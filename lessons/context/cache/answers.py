"""An answer as JSON and back, with the documents it rests on, and whether it is worth keeping at all."""

from dataclasses import asdict
from typing import Any

from lessons.rag.answer import Answer, Citation
from lessons.rag.types import Context, RetrievedDocument

_SAID = ("stage", "model", "text", "found")


def packed(answer: Answer) -> dict[str, Any]:
    """What is kept of an answer: everything but its question and its trace."""
    said = {name: getattr(answer, name) for name in _SAID}
    documents = [asdict(document) for document in answer.context.documents]
    context = {"text": answer.context.text, "documents": documents, "total_tokens": answer.context.total_tokens}
    return {**said, "citations": [asdict(citation) for citation in answer.citations], "context": context}


def unpack(kept: dict[str, Any], answer: Answer) -> None:
    """Fill an answer with what was kept. The name of its stage stays its own."""
    for name in _SAID[1:]:
        setattr(answer, name, kept[name])
    context = kept["context"]
    documents = tuple(RetrievedDocument(**document) for document in context["documents"])
    answer.context = Context(context["text"], documents, context["total_tokens"])
    answer.citations = [Citation(**citation) for citation in kept["citations"]]


def worth_keeping(answer: Answer) -> bool:
    """Refusals are not kept, nor is anything that came about with a warning or without the model that was asked."""
    notes = [note for step in answer.trace for note in step.notes]
    return (
        answer.found and not answer.warnings and not any(note.startswith(("model failed", "failed")) for note in notes)
    )
