"""An answer: its words, where they come from, and the trace of how it came about."""

import html
from dataclasses import asdict, dataclass, field
from typing import Any

from lessons.models.call import INSTEAD, KEYLESS
from lessons.retrieve.types import Context
from lessons.trace import Step, Trace


@dataclass(frozen=True)
class Citation:
    """A passage that the answer names. The quote stands word for word in the chunk, "" if no sentence there fits."""

    number: int
    source_file: str
    page: int | None
    chunk_id: str
    quote: str

    def __str__(self) -> str:
        page = f", p. {self.page}" if self.page else ""
        return f"[{self.number}] {self.source_file}{page}" + (f": “{self.quote}”" if self.quote else "")


@dataclass(repr=False)
class Answer:
    """What a stage answered. `found` is False when the documents do not say.

    `searched` is False when the search failed and the answer had to do without documents.
    `from_cache` is the earlier question whose answer was reused, empty for an answer of its own.
    """

    question: str
    stage: str
    model: str
    text: str = ""
    found: bool = False
    searched: bool = True
    citations: list[Citation] = field(default_factory=list)
    context: Context = field(default_factory=Context)
    trace: Trace = field(default_factory=Trace)
    warnings: list[str] = field(default_factory=list)
    from_cache: str = ""

    def __str__(self) -> str:
        return "\n".join([self.text, *map(str, self.citations), *self.warnings])

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
        """What `lessons ask --json` prints for one stage."""
        counted = ("ms", "llm_calls", "tokens_in", "tokens_out", "answered")
        return {
            "stage": self.stage,
            "question": self.question,
            "answer": self.text,
            "found": self.found,
            "model": self.model,
            "from_cache": self.from_cache,
            "citations": [asdict(citation) for citation in self.citations],
            "documents": [
                {
                    "chunk_id": document.id,
                    "source_file": document.source,
                    "page": document.page,
                    "score": document.score,
                    "text": document.content,
                }
                for document in self.context.documents
            ],
            "trace": [{"step": step.name, **{key: getattr(step, key) for key in counted}} for step in self.trace],
            "warnings": self.warnings,
        }

    def _repr_html_(self) -> str:
        cited = "".join(f"<li style='margin:0'>{html.escape(str(citation))}</li>" for citation in self.citations)
        warned = "".join(f"<p>⚠ {html.escape(warning)}</p>" for warning in self.warnings)
        return (
            f"<div style='border-left:3px solid #4c78a8;padding:0 0 0 .8em'><p><b>{html.escape(self.stage)}</b> · "
            f"{html.escape(self.question)}</p><p>{html.escape(self.text)}</p>"
            f"<ul style='list-style:none;padding:0;font-size:.9em;opacity:.8'>{cited}</ul>{warned}"
            f"<p style='font-size:.8em;opacity:.6'>{html.escape(self.answered_by)}</p></div>"
        )
