"""What a served model can do, each thing tried once: from it the doctor says which stages it answers, and how fast."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from llama_index.core.llms import ChatMessage, ChatResponse
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from pydantic import BaseModel

from lessons.errors import ModelError
from lessons.models.reply import instance, tool_calls
from lessons.models.served import WAYS, ServedLLM
from lessons.models.server import explain

PROMPT_TOKENS = 2_000  # of the long prompt: about what a stage sends
ANSWER_TOKENS = 100
SENT = {"naive": 2_500, "enhanced": 1_800, "smart": 3_800, "reranked": 7_800, "agentic": 14_700}
"""Tokens that a stage sends for one question of the shipped documents, counted on *dev*."""
_FACT = "The warehouse in Daegu opens at 07:30. "


class Number(BaseModel):
    """A number."""

    number: int


@dataclass(frozen=True)
class Ability:
    """One thing that was tried, in words, with the tokens a second where they were measured."""

    name: str
    ok: bool
    detail: str
    speed: float = 0.0


def abilities(llm: ServedLLM) -> list[Ability]:
    """Stream, JSON schema, tool call and a long prompt, each tried once. A failure is a line and stops nothing."""
    window = llm.metadata.context_window
    return [
        Ability("window", window >= 4_096, f"{window:,} tokens" + ("" if window >= 4_096 else "; 4,096 are needed")),
        _tried(llm, "stream", _streams),
        _tried(llm, "JSON schema", _gives_object),
        _tried(llm, "tool call", _calls_tool),
        _tried(llm, "long prompt", _reads),
    ]


def probe(llm: ServedLLM) -> None:
    """Ask the model for a word; ModelError says what to do when it cannot answer."""
    try:
        llm.chat([ChatMessage("Answer with the word: ready")])
    except Exception as error:
        raise explain(error, llm.model, llm.api_base) from error


def stages_answered(found: list[Ability]) -> str:
    """Which stages the model will answer, and in about how many seconds each."""
    able = {each.name: each for each in found}
    speed = able["long prompt"].speed
    if not able["long prompt"].ok:
        raise ModelError("It answers no stage: a prompt of the length that they send did not succeed.")
    told = ", ".join(f"{name} {max(1, round(tokens / speed)):,} s" for name, tokens in SENT.items())
    kept = [] if able["JSON schema"].ok else ["the other phrasings of Smart and the order of Reranked"]
    kept += [] if able["tool call"].ok else ["the searches of Agentic"]
    return f"about {told}" + (f"; the keyless model does {' and '.join(kept)}" if kept else "")


def _tried(llm: ServedLLM, name: str, attempt: Callable[[ServedLLM], tuple[str, float]]) -> Ability:
    try:
        return Ability(name, True, *attempt(llm.limited(ANSWER_TOKENS)))
    except Exception as error:
        return Ability(name, False, str(explain(error, llm.model, llm.api_base)))


def _streams(llm: ServedLLM) -> tuple[str, float]:
    pieces = [chunk.delta for chunk in llm.stream_chat([ChatMessage("Count from one to ten in words.")]) if chunk.delta]
    if not pieces:
        raise ModelError("it streamed nothing")
    return f"in {len(pieces)} pieces", 0.0


def _gives_object(llm: ServedLLM) -> tuple[str, float]:
    asked = PromptTemplate("How many legs does a spider have? Answer as JSON.").format_messages()
    found = instance(Number, llm.chat(asked, **WAYS["JSON schema"](Number)))
    return f"it answered {found.model_dump_json()}", 0.0


def _calls_tool(llm: ServedLLM) -> tuple[str, float]:
    def search(query: str) -> str:
        """Search the documents for a query."""
        return query

    reply = llm.chat_with_tools([FunctionTool.from_defaults(search)], user_msg="Search for the opening hours of Daegu.")
    called = llm.get_tool_calls_from_response(reply, error_on_no_tool_call=False)
    written = [] if called else tool_calls(reply.message.content or "")
    if not called and not written:
        raise ModelError("it wrote text instead of a call; where it does so twice, the keyless model searches")
    return ("by a call of its own", 0.0) if called else ("written as text, which is understood", 0.0)


def _reads(llm: ServedLLM) -> tuple[str, float]:
    """A prompt with the answer at its beginning, which a window that is cut from the front would lose."""
    reply, took = long_reply(llm)
    if "7:30" not in (reply.message.content or ""):
        raise ModelError("it did not find what stood at the beginning; its window may be shorter than it says")
    tokens = reply.additional_kwargs.get("prompt_tokens") or PROMPT_TOKENS
    return f"{tokens:,} tokens read and answered in {took:.1f} s", tokens / took


def long_reply(llm: ServedLLM) -> tuple[ChatResponse, float]:
    """What the model says to a prompt of PROMPT_TOKENS, and the seconds that it took."""
    filler = "Nothing is said here about any opening hours. " * (PROMPT_TOKENS // 10)
    began = perf_counter()
    reply = llm.chat([ChatMessage(f"{_FACT}{filler}\n\nWhen does the warehouse in Daegu open? Answer with the time.")])
    return reply, perf_counter() - began
