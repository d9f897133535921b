"""Talking to an OpenAI-compatible server: a client with bounded retries, and errors as sentences."""

from collections.abc import Generator
from typing import Any
from urllib.parse import urlsplit

import openai
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_random_exponential,
)

from lessons.errors import ModelError
from lessons.settings import Settings

OPENAI_URL = "https://api.openai.com/v1"
CONNECT_TIMEOUT = 5.0  # seconds
_back_off = wait_random_exponential(multiplier=0.5, max=8)


class BoundedClient(openai.OpenAI):
    """The official client with one retry policy: at most `max_retries`, none begun after `request_timeout` seconds.

    LlamaIndex and the official client each retry on their own, which multiplies (twelve requests for three retries),
    and both would wait minutes for a server that asks for it; their retries are switched off.
    """

    def __init__(self, settings: Settings) -> None:
        timeout = openai.Timeout(settings.request_timeout, connect=min(CONNECT_TIMEOUT, settings.request_timeout))
        super().__init__(**credentials(settings), timeout=timeout, max_retries=0)
        self._attempts = settings.max_retries + 1
        self._patience = settings.request_timeout

    def request(self, *args: Any, **kwargs: Any) -> Any:
        retrying = Retrying(
            stop=stop_after_attempt(self._attempts) | stop_before_delay(self._patience),
            wait=_wait,
            retry=retry_if_exception(is_transient),
            reraise=True,
        )
        reply = retrying(super().request, *args, **kwargs)
        return _pieces(reply) if kwargs.get("stream") else reply


def _pieces(stream: openai.Stream[Any]) -> Generator[Any, None, None]:
    """The pieces of a streamed reply. Whoever lets go of them closes the connection at once.

    The client's own stream refers to itself, so that letting go of it would leave the model talking until the garbage
    collector runs.
    """
    with stream:
        yield from stream


def credentials(settings: Settings) -> dict[str, Any]:
    """`api_key` and `base_url` of the server. Servers without keys still want a header, so they get a made-up one."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else "none"
    return {"api_key": key, "base_url": settings.openai_base_url or OPENAI_URL}


def is_transient(error: BaseException) -> bool:
    """Whether the same request may succeed a moment later."""
    if isinstance(error, openai.RateLimitError):
        return error.code != "insufficient_quota"
    return isinstance(error, openai.APIConnectionError | openai.InternalServerError)


def is_for_the_reader(error: BaseException) -> bool:
    """Whether only a change of settings helps: a wrong key, a model or an address that does not exist."""
    return isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError | openai.NotFoundError)


def is_out_of_reach(error: BaseException) -> bool:
    """Whether the server cannot be reached or does not answer in time."""
    return isinstance(error, openai.APIConnectionError)


def host(url: str | None) -> str:
    return urlsplit(url or OPENAI_URL).netloc or str(url)


def explain(error: BaseException, model: str, url: str | None) -> ModelError:
    """The error as one sentence that says what happened and what to do."""
    server = host(url)
    match error:
        case ModelError():
            return error
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            said = f"{server} refused the key; check OPENAI_API_KEY."
        case openai.NotFoundError():
            said = f"{server} does not know the model {model!r}; check its name and OPENAI_BASE_URL."
        case openai.RateLimitError(code="insufficient_quota"):
            said = f"the account at {server} has no credit left; top it up or unset OPENAI_API_KEY."
        case openai.RateLimitError():
            said = f"{server} is limiting requests (429); wait a minute and ask again."
        case openai.APITimeoutError():
            said = f"{server} did not answer in time; try again or raise LESSONS_REQUEST_TIMEOUT."
        case openai.APIConnectionError():
            said = f"{server} cannot be reached; start the server or check OPENAI_BASE_URL."
        case openai.APIStatusError():
            said = f"{server} answered with status {error.status_code}; try again or choose another model."
        case _:
            said = f"{server} sent no usable answer ({type(error).__name__}); try again or choose another model."
    return ModelError(said[0].upper() + said[1:] if said.startswith("the ") else said)


def _wait(state: RetryCallState) -> float:
    """Seconds until the next attempt: what the server asks for in Retry-After, else a random, doubling time."""
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, openai.APIStatusError):
        try:
            return max(0.0, float(error.response.headers["retry-after"]))
        except (KeyError, ValueError):
            pass
    return _back_off(state)
