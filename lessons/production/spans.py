"""The trace of an answer as OpenTelemetry spans, under the attribute names of OpenInference.

Any collector that speaks OTLP takes them:

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))  # OTEL_EXPORTER_OTLP_ENDPOINT says where to
    send(stage.ask("…", user="joon"), provider, "joon")

They carry the question, the answer, and the ids and scores of passages; the words of passages stay with their owner.
"""

from typing import TYPE_CHECKING, Any

from lessons.production import need_extra
from lessons.rag.answer import Answer
from lessons.rag.types import RetrievedDocument
from lessons.trace import Step

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer, TracerProvider

KINDS = {"retrieve": "RETRIEVER", "rerank": "RERANKER", "search_documents": "TOOL", "search_by_metadata": "TOOL"}
"""OpenInference's kinds by the names of steps. Another step is an LLM if it called one, else part of the CHAIN."""


def send(answer: Answer, provider: "TracerProvider", owner: str) -> None:
    """Send an answer as one trace: a span for all of it, one for each step, and below that its parts."""
    steps = answer.trace.steps
    root = Step(answer.stage, answer.question, answer.text, parts=steps)
    root.began = min((step.began for step in steps), default=root.began)
    root.ms = max((step.began + step.ms / 1000 - root.began for step in steps), default=0) * 1000
    _send(root, provider.get_tracer("lessons"), {"user.id": owner})


def _send(step: Step, tracer: "Tracer", further: dict[str, Any]) -> None:
    from opentelemetry import trace

    began = int(step.began * 1e9)
    span = tracer.start_span(step.name, start_time=began, attributes=attributes(step) | further)
    with trace.use_span(span):
        for note in step.notes:
            span.add_event(note)
        if any(note.startswith("failed: ") for note in step.notes):
            span.set_status(trace.StatusCode.ERROR)
        for part in step.parts:
            _send(part, tracer, {})
    span.end(began + int(step.ms * 1e6))


def attributes(step: Step) -> dict[str, Any]:
    """Name what a step knows as OpenInference does. Calls of its parts are counted there and not twice."""
    need_extra()
    from openinference.semconv.trace import SpanAttributes as Name

    calls, tokens_in, tokens_out, cost = (
        getattr(step, name) - sum(getattr(part, name) for part in step.parts)
        for name in ("llm_calls", "tokens_in", "tokens_out", "cost")
    )
    values: dict[str, Any] = {Name.OPENINFERENCE_SPAN_KIND: KINDS.get(step.name, "LLM" if calls > 0 else "CHAIN")}
    values |= {name: text for name, text in _words(step).items() if text} | _documents(step)
    if calls > 0:
        values[Name.LLM_MODEL_NAME] = ", ".join(step.answered)
        values[Name.LLM_TOKEN_COUNT_PROMPT], values[Name.LLM_TOKEN_COUNT_COMPLETION] = tokens_in, tokens_out
        values[Name.LLM_COST_TOTAL] = cost
    return values


def _words(step: Step) -> dict[str, str]:
    """Texts that went in and came out; of anything else, nothing."""
    texts = {}
    for name, value in (("input.value", step.input), ("output.value", step.output)):
        lines = [value] if isinstance(value, str) else value
        if isinstance(lines, list) and all(isinstance(line, str) for line in lines):
            texts[name] = "\n".join(lines)
    return texts


def _documents(step: Step) -> dict[str, Any]:
    name = {"retrieve": "retrieval.documents", "rerank": "reranker.output_documents"}.get(step.name)
    output = step.output if name and isinstance(step.output, list) else []
    ranked = enumerate(document for document in output if isinstance(document, RetrievedDocument))
    return {f"{name}.{rank}.document.{key}": getattr(row, key) for rank, row in ranked for key in ("id", "score")}
