"""An answer: what the model says piece by piece, and how that is tied back to the documents."""

import html
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import Any

from llama_index.core.llms import LLM
from llama_index.core.prompts import BasePromptTemplate

from lessons.budget import Budget
from lessons.language import _
from lessons.language import language as language_of_reader
from lessons.models.keyless import NOTHING_FOUND, recalled
from lessons.models.llm import KEYLESS, stream
from lessons.models.served_call import INSTEAD
from lessons.plan import Part, history_part, messages_of
from lessons.rag.context import CITATION, Citation, citations, quoted, unsupported_figures
from lessons.rag.prompts import DEFAULT_RESPONSE_FORMAT, INSTRUCTIONS, NO_WORDS, NOT_SEARCHED, REFUSALS, answer_prompt
from lessons.rag.served_words import is_refusal, own_words, plain_citations
from lessons.rag.types import Context
from lessons.settings import settings
from lessons.text import language
from lessons.trace import Step, Trace


@dataclass
class Answer:
    """The answer of a stage. `found` is False if the documents do not hold it."""

    question: str
    stage: str
    model: str
    text: str = ""
    found: bool = False
    searched: bool = True  # False when the search failed and the answer had to do without documents
    citations: list[Citation] = field(default_factory=list)
    context: Context = field(default_factory=Context)
    trace: Trace = field(default_factory=Trace)
    warnings: list[str] = field(default_factory=list)
    from_cache: str = ""  # the earlier question whose answer was reused

    def __str__(self) -> str:
        return "\n".join([self.text, *map(str, self.citations), *map(_, self.warnings)])

    __repr__ = __str__

    @property
    def answered_by(self) -> str:
        """Which model answered, in place of which, and for which question if for an earlier one."""
        model = f"the {self.model}" if self.model.startswith("keyless") else self.model
        if self.from_cache:
            return f"answered from the cache: “{self.from_cache}” was answered before by {model}"
        if self.model.startswith("keyless") or not (parts := self.trace.answered):
            return f"answered by {model}" if self.trace.llm_calls else "answered without a model"
        shares = ", ".join(f"{count} by {name}" for name, count in parts.most_common())
        last = next((step for step in reversed(self.trace.steps) if step.name == "answer"), Step("answer"))
        if KEYLESS in last.answered:
            return f"{INSTEAD}, in place of {model} (of {parts.total()} steps {shares})"
        return f"answered by {model}" + (f" (of {parts.total()} steps {shares})" if len(parts) > 1 else "")

    def as_dict(self) -> dict[str, Any]:
        """Return what `lessons ask --json` prints for one stage."""
        counted = ("ms", "llm_calls", "tokens_in", "tokens_out", "answered")
        documents = [
            {
                "chunk_id": document.id,
                "source_file": document.source,
                "page": document.page,
                "pages": document.pages(),
                "score": document.score,
            }
            | {"text": document.content}
            for document in self.context.documents
        ]
        return {
            "stage": self.stage,
            "question": self.question,
            "answer": self.text,
            "found": self.found,
            "model": self.model,
            "from_cache": self.from_cache,
            "citations": [asdict(citation) for citation in self.citations],
            "documents": documents,
            "trace": [{"step": step.name, **{key: getattr(step, key) for key in counted}} for step in self.trace],
            "warnings": self.warnings,
        }

    def _repr_html_(self) -> str:
        cited = "".join(f"<li style='margin:0'>{html.escape(str(citation))}</li>" for citation in self.citations)
        warned = "".join(f"<p>⚠ {html.escape(_(warning))}</p>" for warning in self.warnings)
        return (
            f"<div style='border-left:3px solid #4c78a8;padding:0 0 0 .8em'><p><b>{html.escape(self.stage)}</b> · "
            f"{html.escape(self.question)}</p><p>{html.escape(self.text)}</p>"
            f"<ul style='list-style:none;padding:0;font-size:.9em;opacity:.8'>{cited}</ul>{warned}"
            f"<p style='font-size:.8em;opacity:.6'>{html.escape(_(self.answered_by))}</p></div>"
        )


def conversation_memory(memory: str, history: Sequence[tuple[str, str]]) -> str:
    """Join memory and last turns for the prompt, with nothing in them that looks like a section of it or a citation."""
    turns = [f"{role}: {' '.join(content.split())[: settings().turn_chars]}" for role, content in history]
    parts = [memory.strip(), "\n".join(["The last turns:", *turns]) if turns else ""]
    return quoted(CITATION.sub("", "\n\n".join(filter(None, parts))))


@dataclass(frozen=True)
class ContextAllocation:
    """What fits of the conversation, and how many tokens of documents."""

    memory: str
    history: tuple[tuple[str, str], ...]
    documents: int


def allocate_context(
    question: str, memory: str, history: Sequence[tuple[str, str]], documents: int, budget: Budget | None = None
) -> ContextAllocation:
    """Split the context window between `documents` tokens and the conversation.

    The conversation gives way, but keeps at least a quarter of a small window. Raise LessonsError if the window does
    not even hold the instructions and the question.
    """
    budget = budget or Budget()
    left = budget.room(INSTRUCTIONS[language(question)], question)
    if not (memory or history):
        return ContextAllocation("", (), min(documents, left))
    conversation = Part("memory", [memory]), history_part(history)
    fitted = budget.plan(conversation, max(left - documents, left // 4))
    return ContextAllocation(fitted["memory"].text, messages_of(fitted["turns"]), min(documents, left - fitted.tokens))


UNSUPPORTED = "Not in the passages that the answer cites: {}. Check it before you rely on it."
EMPTY = "The model said nothing of its own; ask again, in other words or with a larger model."
UNSOURCED = "The answer names none of the documents as its source; check it before you rely on it."


def respond(
    answer: Answer,
    llm: LLM,
    question: str | None = None,
    response_format: str | None = None,
    memory: str = "",
    prompt: BasePromptTemplate | None = None,
    **hints: Any,
) -> Iterator[str]:
    """Stream the answer to the question from `answer.context`, and complete `answer`, however early the reader stops.

    `question` is what a follow-up asks when it stands alone, `memory` what `conversation_memory` writes. `prompt`
    stands in for the usual one and then always takes a memory; `hints` are what the keyless model is told besides.
    """
    question = question or answer.question
    answer_language = language(question)
    form = response_format or DEFAULT_RESPONSE_FORMAT[answer_language]
    variables = hints | {"context": answer.context.text, "response_format": form}
    variables |= {"memory": memory} if memory or prompt else {}
    prompt = prompt or answer_prompt(memory=bool(memory), language=answer_language)
    prompt = prompt.model_copy(update={"metadata": {"task": "answer", **prompt.metadata}})  # LlamaIndex's own has none
    with answer.trace.step("answer", question) as step:
        try:
            canned = _canned_reply(answer, memory, answer_language)
            pieces = (
                (text for text in [canned]) if canned else stream(llm, prompt, step, question=question, **variables)
            )
            with closing(pieces):
                for piece in pieces:
                    answer.text += piece
                    yield piece
        finally:
            _complete(answer, question, memory, step)
            step.output = answer.text


def _canned_reply(answer: Answer, memory: str, answer_language: str) -> str:
    """Return a canned reply if there is nothing to ask the model, else ""."""
    if not any(map(str.isalnum, answer.question)):
        return NO_WORDS[language_of_reader()]
    if answer.context.documents or memory:
        return ""
    return (NOTHING_FOUND if answer.searched else NOT_SEARCHED)[answer_language]


def _complete(answer: Answer, question: str, memory: str, step: Step) -> None:
    """Fill in what follows from the text of the answer, however its stream ended."""
    context = answer.context
    served = bool(step.answered) and KEYLESS not in step.answered
    if served:
        answer.text = plain_citations(own_words(answer.text), context)
        answer.warnings += [] if answer.text or step.notes else [EMPTY]
    refused = answer.text.startswith(REFUSALS) or (served and is_refusal(answer.text))
    if refused and not answer.searched:
        answer.text = NOT_SEARCHED[language(question)]
    answer.found = bool(answer.text) and not refused
    answer.citations = citations(answer.text, context) if answer.found else []
    answer.warnings += [note for note in step.notes if note not in answer.warnings]
    needs_source = not memory and recalled(question, "") is None  # thanks and statements rest on no document
    if answer.found and context.documents and needs_source and not answer.citations:
        answer.warnings.append(UNSOURCED)
    if answer.found and (figures := unsupported_figures(answer.text, context, f"{question} {memory}")):
        answer.warnings.append(UNSUPPORTED.format(", ".join(figures)))
