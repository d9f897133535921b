"""The language model as a judge, over real HTTP."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lessons.errors import ModelError
from lessons.evaluate.judge import llm_judge
from lessons.keyless.llm import OfflineLLM
from lessons.models.llm import language_model
from lessons.rag.answer import Answer
from lessons.rag.types import Context, RetrievedDocument
from lessons.settings import Settings
from tests.evaluate.test_judge import Asked
from tests.support.openai_server import openai_server

DOCUMENT = RetrievedDocument("a", "Turnover was £125.2 million.", 0.9, "report.pdf")
ANSWER = Answer("?", "naive", "test", "£125.2 million [1].", True, context=Context("", (DOCUMENT,)))


@contextmanager
def strict_examiner(score: str) -> Iterator[str]:
    """A server whose model gives the score when asked for one and says YES to anything else; yields its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            said = score if "expert evaluation system" in body else "YES"
            message = {"role": "assistant", "content": said}
            reply = {"id": "1", "object": "chat.completion", "created": 0, "model": "examiner"}
            reply |= {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
            data = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def settings(url: str) -> Settings:
    return Settings(openai_base_url=url, max_retries=0, request_timeout=10)


@pytest.mark.parametrize(
    ("said", "correctness"), [("4.5\nThe same figure.", 1.0), ("3\nRounded.", 0.5), ("1.0", 0.0)], ids=str
)
def test_the_models_points_become_a_verdict(said: str, correctness: float) -> None:
    with strict_examiner(said) as url:
        assert llm_judge(language_model(settings(url)), Asked(), ANSWER) == correctness


def test_the_keyless_model_says_that_it_cannot_judge() -> None:
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        llm_judge(OfflineLLM(), Asked(), ANSWER)


@pytest.mark.parametrize(("behaviour", "message"), [("answer", "gave no score"), ("quota", "credit")])
def test_a_model_that_cannot_judge_is_a_clear_error(behaviour: str, message: str) -> None:
    with openai_server() as server:
        server.behave(behaviour)
        with pytest.raises(ModelError, match=message):
            llm_judge(language_model(settings(server.url)), Asked(), ANSWER)
