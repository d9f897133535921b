"""An OpenAI-compatible server on a free loopback port that answers from the given context and misbehaves on request.

    with openai_server() as server:
        server.behave("too_many", "answer")  # the first request is refused, all later ones are answered
        Settings(openai_base_url=server.url)

Behaviours: answer · too_many (429) · quota (429) · error (500) · html · truncated (JSON) · no_choices · empty ·
slow · hang · drop (in the middle of a stream) · kill (the process that asks) · no_usage · cut (token limit) ·
prose (ignores tools, writes JSON as text) · no_schema (400 for response_format) · blanks (an object as text and then
blanks up to the limit where a tool call is forced) · too_long (400, as llama.cpp says it) · endless (comments that keep
a stream alive, and no text) · huge (a reply of 3 MB) · redirect (307 to elsewhere) · say:TEXT (that text, whatever was
asked) · cut:TEXT (that text, ended by the token limit) · thought_only (beside an empty text) ·
calls:JSON (these tool calls, a list of names with arguments; arguments that are a string are sent as they are, and #
stands for the number of the request).
"""

import asyncio
import hashlib
import json
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.llms import LLM

from lessons.keyless.llm import OfflineLLM
from lessons.models.llm import language_model
from lessons.models.tokens import ExactTokenCounter
from lessons.settings import Settings
from lessons.text import terms


class Server:
    """What a test can set and see."""

    def __init__(self) -> None:
        self.key: str | None = None  # None: any key will do
        self.models: set[str] | None = None  # None: any name will do
        self.dimension = 64
        self.longest_input = 1_000_000  # characters of a text that is embedded
        self.retry_after = "0"  # seconds
        self.pause = 0.0  # seconds between the pieces of a stream
        self.requests: list[dict[str, Any]] = []
        self.under_way = 0
        self.most_under_way = 0  # requests at the same time
        self.usage: list[dict[str, int]] = []
        self.closed_by_client = threading.Event()
        self.url = ""
        self.listed: dict[str, Any] = {}  # what the list of models says besides their names
        self.loaded: list[dict[str, Any]] | None = None  # what Ollama says of the models in memory; None: not Ollama
        self.elsewhere = 0  # requests that followed a redirect
        self._script = ["answer"]

    def behave(self, *behaviours: str) -> None:
        """One behaviour a request; the last one stays."""
        self._script = list(behaviours)

    def next_behaviour(self) -> str:
        return self._script.pop(0) if len(self._script) > 1 else self._script[0]


@contextmanager
def openai_server() -> Iterator[Server]:
    """Run the server until the block ends."""
    state = Server()
    config = uvicorn.Config(_app(state), port=0, log_level="critical", timeout_graceful_shutdown=0)
    runner = uvicorn.Server(config)
    thread = threading.Thread(target=runner.run, daemon=True)
    thread.start()
    while not runner.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    port = runner.servers[0].sockets[0].getsockname()[1]
    state.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield state
    finally:
        runner.should_exit = runner.force_exit = True
        thread.join(10)


def _app(state: Server) -> FastAPI:
    app = FastAPI()

    @app.middleware("http")
    async def count(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        state.under_way += 1
        state.most_under_way = max(state.most_under_way, state.under_way)
        try:
            return await answer(request)
        finally:
            state.under_way -= 1

    @app.get("/v1/models")
    async def models() -> dict[str, Any]:
        names = sorted(state.models or {"any"})
        return {"object": "list", "data": [{"id": name, "object": "model", **state.listed} for name in names]}

    @app.get("/api/ps")
    async def loaded() -> Response:
        return Response("404 page not found", 404) if state.loaded is None else JSONResponse({"models": state.loaded})

    @app.post("/elsewhere/chat/completions")
    async def elsewhere() -> dict[str, Any]:
        state.elsewhere += 1
        return {"choices": [{"index": 0, "message": {"role": "assistant", "content": "stolen"}}]}

    @app.post("/v1/embeddings")
    async def embeddings(request: Request) -> Response:
        body = await request.json()
        behaviour = state.next_behaviour()
        if refusal := await _refusal(state, request, body, behaviour):
            return refusal
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if "" in texts:
            return _error(400, "invalid_request_error", "input cannot be an empty string")
        if max(map(len, texts)) > state.longest_input:
            return JSONResponse({"error": INPUT_TOO_LARGE}, 500)
        size = body.get("dimensions", state.dimension)
        data = [{"object": "embedding", "index": i, "embedding": _vector(t, size)} for i, t in enumerate(texts)]
        return JSONResponse({"object": "list", "data": data, "model": body["model"], "usage": {"total_tokens": 1}})

    @app.post("/v1/chat/completions")
    async def chat(request: Request) -> Response:
        body = await request.json()
        behaviour = state.next_behaviour()
        if refusal := await _refusal(state, request, body, behaviour):
            return refusal
        message, finish = _message(body, behaviour.replace("#", str(len(state.requests))))
        usage = _usage(body, message)
        state.usage.append(usage)
        if body.get("stream"):
            return StreamingResponse(
                _events(state, body, message, finish, usage, behaviour), media_type="text/event-stream"
            )
        choices = [{"index": 0, "message": message, "finish_reason": finish}]
        reply = {"id": "chat-1", "object": "chat.completion", "created": 0, "model": body["model"]}
        reply |= {"choices": [] if behaviour == "no_choices" else choices}
        reply |= {} if behaviour == "no_usage" else {"usage": usage}
        return Response(json.dumps(reply), media_type="application/json")  # escaped, as a lone surrogate has to be

    return app


TOO_LONG = {
    "code": 400,
    "message": "request (20030 tokens) exceeds the available context size (16384 tokens), try increasing it",
    "type": "exceed_context_size_error",
    "n_prompt_tokens": 20030,
    "n_ctx": 16384,
}
"""What llama.cpp's server answers, byte for byte."""

INPUT_TOO_LARGE = {
    "code": 500,
    "message": "input (1371 tokens) is too large to process. "
    "increase the physical batch size (current batch size: 512)",
    "type": "server_error",
}
"""What its embedding endpoint answers, with status 500."""

VLLM_TOO_LONG = {
    "message": "This model's maximum context length is 16384 tokens. However, your prompt contains at least 16385 "
    "input tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input "
    "prompt. (parameter=input_tokens, value=16385)",
    "type": "BadRequestError",
    "param": "input_tokens",
    "code": 400,
}
VLLM_NO_PARSER = {
    "message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    "type": "BadRequestError",
    "param": None,
    "code": 400,
}
"""What vLLM 0.32 answers to a prompt that is too long, and to tools when it was started without those options."""


async def _comments() -> AsyncIterator[str]:
    while True:
        yield ": keep-alive\n\n"
        await asyncio.sleep(0.05)


async def _refusal(state: Server, request: Request, body: dict[str, Any], behaviour: str) -> Response | None:
    state.requests.append(body)
    if state.key is not None and request.headers.get("authorization") != f"Bearer {state.key}":
        return _error(401, "invalid_api_key", "Incorrect API key provided")
    if state.models is not None and body["model"] not in state.models:
        return _error(404, "model_not_found", "The model does not exist")
    match behaviour:
        case "too_many":
            return _error(429, "rate_limit_exceeded", "Too many requests", {"retry-after": state.retry_after})
        case "quota":
            return _error(429, "insufficient_quota", "You exceeded your current quota")
        case "error":
            return _error(500, "server_error", "Something broke", {"retry-after": "0"})
        case "html":
            return HTMLResponse("<html>Welcome to the proxy</html>")
        case "truncated":
            return Response('{"id": "1", "choices": [{"mess', media_type="application/json")
        case "too_long":
            return JSONResponse({"error": TOO_LONG}, 400)
        case "vllm_too_long":
            return JSONResponse({"error": VLLM_TOO_LONG}, 400)
        case "vllm_no_parser" if body.get("tools"):
            return JSONResponse({"error": VLLM_NO_PARSER}, 400)
        case "no_schema" if "response_format" in body:
            return _error(400, "invalid_request_error", "response_format is not supported")
        case "redirect":
            return Response(status_code=307, headers={"location": state.url.replace("/v1", "/elsewhere")})
        case "huge":
            return Response(b'{"id": "' + b"x" * 3_000_000 + b'"}', media_type="application/json")
        case "endless":
            return StreamingResponse(_comments(), media_type="text/event-stream")
        case "slow":
            await asyncio.sleep(0.05)
        case "hang":
            await asyncio.sleep(20)
        case "kill":
            next(psutil.Process(at.pid) for at in psutil.net_connections("tcp") if at.laddr == request.client).kill()
    return None


def _error(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": {"message": message, "code": code, "type": code}}, status, headers)


def _message(body: dict[str, Any], behaviour: str) -> tuple[dict[str, Any], str]:
    """The reply to a chat and why it ends: a tool call when tools are offered, else text."""
    results = [m["content"] for m in body["messages"] if m["role"] == "tool"]
    question = next((m["content"] for m in reversed(body["messages"]) if m["role"] == "user"), "")
    form = body.get("response_format", {}).get("json_schema", {}).get("schema")
    if behaviour.startswith("say:"):
        return {"role": "assistant", "content": behaviour.removeprefix("say:")}, "stop"
    if behaviour.startswith("cut:"):
        return {"role": "assistant", "content": behaviour.removeprefix("cut:")}, "length"
    if behaviour == "thought_only":
        return {"role": "assistant", "content": "", "reasoning_content": "Long."}, "length"
    if behaviour.startswith("reasoning"):
        return {"role": "assistant", "content": "Done.", behaviour: "Long."}, "stop"
    if behaviour == "empty":
        return {"role": "assistant", "content": ""}, "stop"
    if behaviour.startswith("calls:"):
        named = json.loads(behaviour.removeprefix("calls:"))
        return {"role": "assistant", "content": None, "tool_calls": [_call(*each) for each in named]}, "tool_calls"
    if form and behaviour != "prose":
        written = json.dumps(_instance(form, form, question), ensure_ascii=False)
        if behaviour == "cut":
            return {"role": "assistant", "content": written[: len(written) * 2 // 3]}, "length"
        return {"role": "assistant", "content": written}, "stop"
    if form:
        written = json.dumps(_instance(form, form, question), ensure_ascii=False)
        return {"role": "assistant", "content": f"Here you are:\n```json\n{written}\n```"}, "stop"
    if body.get("tools") and (not results or body.get("tool_choice") == "required"):
        tool = body["tools"][0]["function"]
        arguments = json.dumps(_instance(tool["parameters"], tool["parameters"], question), ensure_ascii=False)
        if behaviour == "blanks":
            written = f'<tools>\n{{"name": "{tool["name"]}", "arguments": {arguments}}}\n</tools>'
            return {"role": "assistant", "content": written + " " * 4_000}, "length"
        if behaviour == "cut":
            arguments = arguments[: len(arguments) * 2 // 3]
        call = {"id": "call-1", "type": "function", "function": {"name": tool["name"], "arguments": arguments}}
        finish = "length" if behaviour == "cut" else "tool_calls"
        return {"role": "assistant", "content": None, "tool_calls": [call]}, finish
    messages = [ChatMessage(m["content"], role=MessageRole(m["role"])) for m in body["messages"] if m["role"] != "tool"]
    if results:
        messages = [
            ChatMessage("[Retrieved Context]\n" + "\n\n---\n\n".join(results), role=MessageRole.SYSTEM),
            messages[-1],
        ]
    return {"role": "assistant", "content": OfflineLLM().chat(messages).message.content}, "stop"


def _call(name: str, arguments: Any) -> dict[str, Any]:
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": "same-id", "type": "function", "function": {"name": name, "arguments": written}}


def _instance(schema: dict[str, Any], root: dict[str, Any], question: str) -> Any:
    """A plausible value for a JSON schema: the question for texts, the least number allowed, lists of one."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        schema = schema["anyOf"][0]
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: _instance(part, root, question) for name, part in schema.get("properties", {}).items()}
        case "array":
            items = schema.get("items", {"type": "string"})
            return [_instance(items, root, question[: items.get("maxLength")])]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    return question


def _usage(body: dict[str, Any], message: dict[str, Any]) -> dict[str, int]:
    """Tokens, and like real servers some of overhead for each message and for the tools."""
    count = ExactTokenCounter().count
    asked = sum(count(m.get("content") or "") + 4 for m in body["messages"])
    asked += count(json.dumps(body["tools"])) if body.get("tools") else 0
    calls = "".join(call["function"]["arguments"] for call in message.get("tool_calls") or [])
    said = count(message["content"] or calls)
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


async def _events(
    state: Server,
    body: dict[str, Any],
    message: dict[str, Any],
    finish: str,
    usage: dict[str, int],
    behaviour: str,
) -> AsyncIterator[str]:
    """The reply as server-sent events, word by word."""

    def event(**fields: Any) -> str:
        chunk = {"id": "chat-1", "object": "chat.completion.chunk", "created": 0, "model": body["model"], **fields}
        return f"data: {json.dumps(chunk)}\n\n"

    def delta(finish_reason: str | None = None, **fields: Any) -> str:
        return event(choices=[{"index": 0, "delta": fields, "finish_reason": finish_reason}])

    if behaviour == "no_choices":
        yield "data: [DONE]\n\n"
        return
    yield delta(role="assistant", content="")
    if calls := message.get("tool_calls"):
        yield delta(tool_calls=[{"index": i, **call} for i, call in enumerate(calls)])
    if thought := message.get("reasoning_content"):
        yield delta(reasoning_content=thought)
    words = (message["content"] or "").split(" ")
    for i, word in enumerate(words):
        if behaviour == "drop" and i == len(words) // 2:
            raise ConnectionError("dropped on request")
        try:
            await asyncio.sleep(state.pause)
        except asyncio.CancelledError:
            state.closed_by_client.set()
            raise
        yield delta(content=word if i == 0 else " " + word)
    yield delta(finish_reason=finish)
    if behaviour != "no_usage" and body.get("stream_options", {}).get("include_usage"):
        yield event(choices=[], usage=usage)
    yield "data: [DONE]\n\n"


def _vector(text: str, size: int) -> list[float]:
    """A bag of hashed terms of length 1: texts that share words are close."""
    vector = [1e-3] * size
    for term in terms(text):
        vector[int.from_bytes(hashlib.sha256(term.encode()).digest()[:4]) % size] += 1.0
    length = sum(x * x for x in vector) ** 0.5
    return [x / length for x in vector]


def model_behind(server: Server, *behaviours: str, **changed: Any) -> LLM:
    """The model behind the server, which forgets what it was asked and from now on behaves in this way."""
    server.requests.clear()
    server.behave(*(behaviours or ["answer"]))
    return language_model(Settings(openai_base_url=server.url, max_retries=0, **changed))
