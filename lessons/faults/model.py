"""A workspace whose language model is broken for a while, by a server that speaks OpenAI's protocol with one fault."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from lessons.models.keyless import OfflineLLM
from lessons.models.llm import language_model
from lessons.rag.workspace import Workspace

Fault = Literal["hangs", "too_many", "truncated", "wrong_schema", "endless", "breaks_off", "obeys"]


class FaultyServer(ThreadingHTTPServer):
    """`requests` are the bodies that arrived. What it obeys is a sentence that it says whenever the prompt holds it."""

    daemon_threads = True

    def __init__(self, fault: Fault, command: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.fault, self.command = fault, command
        self.requests: list[dict[str, Any]] = []
        self.closing = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    server: FaultyServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        with suppress(ConnectionError):  # the client has hung up
            self._reply(body)

    def _reply(self, body: dict[str, Any]) -> None:
        fault = self.server.fault
        if fault == "hangs":
            self.server.closing.wait()
        elif fault == "too_many":
            self._send(b'{"error": {"message": "slow down", "code": "rate_limit_exceeded"}}', status=429)
        elif fault == "truncated":
            self._send(b'{"id": "1", "choices": [{"mess')
        elif fault == "wrong_schema" and not body.get("tools"):
            self._send(json.dumps({"id": "1", "choices": "none"}).encode(), stream=bool(body.get("stream")))
        elif body.get("stream"):
            self._stream(_reply_text(body, self.server.command).split(" "))
        else:
            tool_call = _tool_call(body, fault, len(self.server.requests))
            message = tool_call or _message(_reply_text(body, self.server.command))
            self._send(json.dumps({"id": "1", "choices": [{"index": 0, "message": message}]}).encode())

    def _stream(self, words: list[str]) -> None:
        """Send a word in each piece, and then the end; or the first half of the words and no end."""
        pieces = [_chunk(word if i == 0 else f" {word}") for i, word in enumerate(words)]
        broken = self.server.fault == "breaks_off"
        self._send(*(pieces[: len(pieces) // 2] if broken else [*pieces, _chunk("", "stop")]), stream=True)

    def _send(self, *parts: bytes, status: int = 200, stream: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
        self.send_header("Retry-After", "0")
        self.end_headers()
        for part in parts:
            self.wfile.write(b"data: " + part + b"\n\n" if stream else part)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _tool_call(body: dict[str, Any], fault: Fault, number: int) -> dict[str, Any] | None:
    """Return a tool call that fits no schema, or one more search after every other; None if the fault is neither."""
    arguments = {"wrong_schema": {"nonsense": True}, "endless": {"query": f"kiosk opening, try {number}"}}.get(fault)
    if not body.get("tools") or arguments is None:
        return None
    name = body["tools"][0]["function"]["name"]
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _reply_text(body: dict[str, Any], command: str) -> str:
    """Return the command, if the prompt holds it; otherwise what the keyless model says."""
    texts = [str(message.get("content") or "") for message in body["messages"]]
    if command and any(command in text for text in texts):
        return command
    roles = [message["role"] for message in body["messages"]]
    turns = [(role, text) for role, text in zip(roles, texts, strict=True) if role in ("system", "user")]
    messages = [ChatMessage(text, role=MessageRole(role)) for role, text in turns]
    return OfflineLLM().chat(messages).message.content or ""


def _message(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _chunk(text: str, ended: str | None = None) -> bytes:
    return json.dumps({"id": "1", "choices": [{"index": 0, "delta": _message(text), "finish_reason": ended}]}).encode()


SHORT = {"request_timeout": 1.0, "max_retries": 1}  # seconds: nobody waits a minute for a model that hangs on purpose


@contextmanager
def broken_model(workspace: Workspace, fault: Fault, command: str = "") -> Iterator[FaultyServer]:
    """While the block runs, a server with this fault answers instead of the workspace's model.

    `command` is a sentence that the model says whenever a prompt holds it, as one does that obeys a document.
    """
    with FaultyServer(fault, command) as server:
        threading.Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
        changes = SHORT | {"openai_base_url": f"http://127.0.0.1:{server.server_port}/v1", "llm_model": "broken"}
        changes["recording"] = False
        broken = language_model(workspace.settings.model_copy(update=changes), workspace.embedding)
        working, workspace.llm = workspace.llm, broken
        try:
            yield server
        finally:
            workspace.llm = working
            server.closing.set()
            server.shutdown()
