"""Record the replies of a server, and replay them: two clients in the place of the one that talks to it."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date
from functools import partial
from threading import Lock
from time import monotonic
from typing import Any

import openai
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from lessons.errors import ModelError
from lessons.models.recorded import Journal, NotRecordedError, Record, Reply, record_path, recorded_so_far, request_key
from lessons.models.replies import repeats, strip_reasoning
from lessons.models.server import BoundedClient, StoppedError, explain, is_out_of_reach, is_refused
from lessons.settings import Settings

PROMPT_HEADER = "x-lessons-prompt"  # tells the recording client which prompt a request was made of; it is not sent
MAX_FAILURES = 3  # after so many in a row, the server is taken for dead
_WORD = re.compile(r"\s*\S+|\s+")


class ReplayingClient(openai.OpenAI):
    """Answer from a record. NotRecordedError for everything else; nothing is sent anywhere."""

    def __init__(self, record: Record) -> None:
        super().__init__(api_key="none", max_retries=0)
        self._replies = record.replies

    def request(self, cast_to: Any, options: Any, *, stream: bool = False, stream_cls: Any = None) -> Any:
        if reply := self._replies.get(request_key(options.json_data)):
            return _replayed(reply, stream)
        raise NotRecordedError("it is not on record")


class RecordingClient(BoundedClient):
    """Ask the server for what is not on record, and hand on a reply once it is whole and on disk.

    StoppedError when the server is dead: what the keyless model did instead would lead to requests that do not belong.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        path = record_path(settings.llm_model, settings.recorded_dir)
        self._journal, self._replies = Journal(path), recorded_so_far(path)
        self._model, self._failures, self._stopped = settings.llm_model, 0, ""
        self._locks: dict[str, Lock] = {}  # by request: sent twice at a time, it might get two replies

    def request(self, cast_to: Any, options: Any, *, stream: bool = False, stream_cls: Any = None) -> Any:
        key, prompt = request_key(options.json_data), (options.headers or {}).pop(PROMPT_HEADER, "")
        with self._locks.setdefault(key, Lock()):
            if key not in self._replies:
                if self._stopped:
                    raise StoppedError(self._stopped)
                send = partial(super().request, cast_to, options, stream=stream, stream_cls=stream_cls)
                self._replies[key] = self._record(key, prompt, (lambda: _joined(send())) if stream else send)
        return _replayed(self._replies[key], stream)

    def _record(self, key: str, prompt: str, send: Callable[[], ChatCompletion]) -> Reply:
        began = monotonic()
        try:
            reply = _to_record(key, prompt, send(), began)
        except Exception as error:
            self._failures += not is_refused(error)  # which says nothing about the next request
            if is_out_of_reach(error) or self._failures >= MAX_FAILURES:
                reason = explain(error, self._model, str(self.base_url))
                self._stopped = f"{reason} What was recorded stays; give the same command again to go on."
                raise StoppedError(self._stopped) from error
            raise
        self._failures = 0
        self._journal.append(reply)
        return reply


def _joined(pieces: Any) -> ChatCompletion:
    """Join a streamed reply; one that repeats itself is ended here. ModelError if its end is missing."""
    state, text = ChatCompletionStreamState(), ""
    with closing(pieces):
        for piece in pieces:
            state.handle_chunk(piece)
            text += (piece.choices[0].delta.content or "") if piece.choices else ""
            if looping := repeats(strip_reasoning(text)):
                break
    completion = state.get_final_completion()
    if not looping and completion.choices[0].finish_reason is None:
        raise ModelError("its reply broke off")
    return completion


def _to_record(key: str, prompt: str, completion: ChatCompletion, began: float) -> Reply:
    choice, usage = completion.choices[0], completion.usage
    functions = [call.function for call in choice.message.tool_calls or [] if call.type == "function"]
    return Reply(
        key=key,
        text=choice.message.content or "",
        calls=tuple((function.name, function.arguments) for function in functions),
        ended=choice.finish_reason,
        tokens_in=usage.prompt_tokens if usage else None,
        tokens_out=usage.completion_tokens if usage else None,
        seconds=round(monotonic() - began, 2),
        date=date.today().isoformat(),
        prompt=prompt,
    )


def _replayed(reply: Reply, stream: bool) -> Any:
    """Return a reply as OpenAI's client would: as one object, or as an iterator of pieces."""
    return _pieces(reply) if stream else ChatCompletion.construct(**_completion(reply, message=_message(reply)))


def _pieces(reply: Reply) -> Iterator[ChatCompletionChunk]:
    """Yield a reply word by word; then its tool calls, why it ended, and the tokens."""
    calls = [{"index": index, **call} for index, call in enumerate(_message(reply)["tool_calls"] or [])]
    for word in _WORD.findall(reply.text):
        yield ChatCompletionChunk.construct(**_completion(reply, False, delta={"role": "assistant", "content": word}))
    yield ChatCompletionChunk.construct(**_completion(reply, delta={"role": "assistant", "tool_calls": calls or None}))


def _message(reply: Reply) -> dict[str, Any]:
    calls = [
        {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(reply.calls, start=1)
    ]
    return {"role": "assistant", "content": reply.text, "tool_calls": calls or None}


def _completion(reply: Reply, is_last: bool = True, **part: Any) -> dict[str, Any]:
    """Build the fields of a reply or a piece of it; one before the last has neither a finish reason nor tokens."""
    choice = {"index": 0, "finish_reason": reply.ended if is_last else None, **part}
    completion = {"id": reply.key, "created": 0, "model": "", "choices": [choice]}
    if not is_last or reply.tokens_in is None or reply.tokens_out is None:
        return completion
    counts = {"prompt_tokens": reply.tokens_in, "completion_tokens": reply.tokens_out}
    return completion | {"usage": counts | {"total_tokens": sum(counts.values())}}
