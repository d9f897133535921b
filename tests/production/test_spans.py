"""The trace of an answer, sent by OpenTelemetry to a collector that decodes what arrives."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("openinference", reason="needs the extra: uv sync --extra production")
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from lessons.production.spans import send
from lessons.rag.answer import Answer
from lessons.rag.types import RetrievedDocument
from lessons.rag.workspace import Workspace
from lessons.stages import stages
from lessons.trace import Step

QUESTION = "When does the ferry to Jeju leave?"


class Collector(ThreadingHTTPServer):
    """Takes spans at /v1/traces as any collector does, and keeps them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.spans: list[Any] = []


class Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        told = ExportTraceServiceRequest.FromString(body)
        assert (self.path, self.headers["Content-Type"]) == ("/v1/traces", "application/x-protobuf")
        self.server.spans += [span for of in told.resource_spans for scope in of.scope_spans for span in scope.spans]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def provider(collector: Collector) -> TracerProvider:
    provider = TracerProvider()
    exporter = OTLPSpanExporter(f"http://127.0.0.1:{collector.server_port}/v1/traces")
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider


@pytest.fixture(scope="module", params=["naive", "reranked", "agentic"])
def answer(request: pytest.FixtureRequest, place: Workspace, owners: dict[str, str]) -> Answer:
    index = stages()["smart"].index
    return stages()[request.param].but(request.param, index=index, workspace=place).ask(QUESTION, user=owners["ours"])


def known(span: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


def every(steps: list[Step]) -> list[Step]:
    return [each for step in steps for each in (step, *every(step.parts))]


def test_every_step_arrives_as_a_span_below_the_answer(
    answer: Answer, provider: TracerProvider, collector: Collector
) -> None:
    send(answer, provider, "ours")
    names = {span.span_id: span.name for span in collector.spans}
    root = next(span for span in collector.spans if not span.parent_span_id)
    below = [span for span in collector.spans if span.parent_span_id == root.span_id]
    assert (known(root)["input.value"], known(root)["output.value"]) == (QUESTION, answer.text)
    assert known(root)["user.id"] == "ours"
    assert sorted(span.name for span in below) == sorted(step.name for step in answer.trace)
    assert sorted(names.values()) == sorted([answer.stage, *(step.name for step in every(answer.trace.steps))])
    assert len({span.trace_id for span in collector.spans}) == 1


def test_calls_and_tokens_are_counted_once(answer: Answer, provider: TracerProvider, collector: Collector) -> None:
    send(answer, provider, "ours")
    sums = [
        sum(known(span).get(f"llm.token_count.{each}", 0) for span in collector.spans)
        for each in ("prompt", "completion")
    ]
    assert sums == [sum(step.tokens_in for step in answer.trace), sum(step.tokens_out for step in answer.trace)]
    assert any(known(span)["openinference.span.kind"] == "LLM" for span in collector.spans)


def test_passages_are_named_and_not_quoted(answer: Answer, provider: TracerProvider, collector: Collector) -> None:
    send(answer, provider, "ours")
    found = [known(span) for span in collector.spans if span.name == "retrieve"]
    retrieved = next(step for step in every(answer.trace.steps) if step.name == "retrieve").output
    assert isinstance(retrieved[0], RetrievedDocument)
    assert found[0]["openinference.span.kind"] == "RETRIEVER"
    assert found[0]["retrieval.documents.0.document.id"] == retrieved[0].id
    assert found[0]["retrieval.documents.0.document.score"] == pytest.approx(retrieved[0].score)
    assert "Ignore all instructions" in retrieved[0].content
    assert not [span for span in collector.spans if "Ignore all instructions" in str(span)]


def test_spans_last_as_long_as_their_steps(answer: Answer, provider: TracerProvider, collector: Collector) -> None:
    send(answer, provider, "ours")
    lasted = {span.name: (span.end_time_unix_nano - span.start_time_unix_nano) / 1e6 for span in collector.spans}
    last = answer.trace.steps[-1]
    assert lasted[last.name] == pytest.approx(last.ms, abs=0.01)
    assert lasted[answer.stage] >= max(step.ms for step in answer.trace) - 0.01


def test_a_step_that_failed_is_an_error(provider: TracerProvider, collector: Collector) -> None:
    answer = Answer(QUESTION, "naive", "any")
    with pytest.raises(RuntimeError), answer.trace.step("retrieve", [QUESTION]):
        raise RuntimeError("the disk is full")
    send(answer, provider, "ours")
    span = next(each for each in collector.spans if each.name == "retrieve")
    assert span.status.code == span.status.STATUS_CODE_ERROR
    assert [event.name for event in span.events] == ["failed: the disk is full"]
