"""Replies that are recorded from a served model and given again where none is served."""

import gzip
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.llms import LLM
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool

from lessons.doctor import labels
from lessons.errors import ModelError
from lessons.keyless.llm import OfflineLLM
from lessons.models.llm import (
    CHOSEN_INSTEAD,
    KEYLESS,
    choose_tools,
    describe,
    language_model,
    predict,
    stream,
    structured,
)
from lessons.models.recorded import (
    Journal,
    Record,
    Reply,
    prompt_label,
    read_record,
    record_path,
    recorded_so_far,
    recording_to,
    request_key,
    write_record,
)
from lessons.models.server import StoppedError
from lessons.rag.prompts import ANSWER
from lessons.settings import Settings
from lessons.trace import Step
from tests.models.test_call import ASKED, GRADE, PROMPT, Grade
from tests.support.openai_server import Server

SERVED = ("any", 8_192)  # the model and its window
NAME = "any (recorded)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def live(server: Server, folder: Path) -> LLM:
    """A served model that is recorded."""
    return recorded_from(server, folder)


def recorded_from(server: Server, folder: Path) -> LLM:
    chosen = Settings(openai_base_url=server.url, llm_model="any", recording=True, recorded_dir=folder, max_retries=0)
    return language_model(chosen)


def replayed(folder: Path) -> LLM:
    """The model on record, when the journal has been folded."""
    with recording_to(record_path("any", folder), *SERVED):
        pass
    return language_model(Settings(recorded="any", recorded_dir=folder))


def search(query: str) -> str:
    """Search for a query."""
    return query


TOOLS = [FunctionTool.from_defaults(search)]


def asked_for_tools(llm: LLM, step: Step, question: str = "kiosk") -> list[tuple[str, dict]] | None:
    prompt = PromptTemplate("Search.", metadata={"task": "tool_calls"})
    messages = [ChatMessage("Search.", role=MessageRole.SYSTEM), ChatMessage(question)]
    calls = choose_tools(llm, TOOLS, messages, step, prompt)
    return None if calls is None else [(call.tool_name, call.tool_kwargs) for call in calls]


def test_a_text_is_given_again_without_the_server(server: Server, live: LLM, folder: Path) -> None:
    server.behave("say:It opens at noon [1].")
    said = predict(live, PROMPT, Step("live"), **ASKED)
    tokens = server.usage[0]
    step, model = Step("again"), replayed(folder)
    assert predict(model, PROMPT, step, **ASKED) == said == "It opens at noon [1]."
    assert (step.answered, step.notes, step.cost) == ({NAME: 1}, [], 0.0)
    assert (step.tokens_in, step.tokens_out) == (tokens["prompt_tokens"], tokens["completion_tokens"])
    assert len(server.requests) == 1
    assert describe(model).startswith("any (recorded 20")


def test_a_stream_is_given_again_as_a_stream(server: Server, live: LLM, folder: Path) -> None:
    server.behave("say:It opens at noon [1].\n\n창구는 정오에 엽니다 [2].")
    said = "".join(stream(live, PROMPT, Step("live"), **ASKED))
    step = Step("again")
    pieces = list(stream(replayed(folder), PROMPT, step, **ASKED))
    assert "".join(pieces) == said == "It opens at noon [1].\n\n창구는 정오에 엽니다 [2]."
    assert len(pieces) > 3
    assert (step.answered, step.notes) == ({NAME: 1}, [])
    assert step.tokens_out == server.usage[0]["completion_tokens"]


def test_a_streamed_reply_answers_the_same_request_that_is_not_streamed(
    server: Server, live: LLM, folder: Path
) -> None:
    server.behave("say:It opens at noon [1].")
    said = "".join(stream(live, PROMPT, Step("live"), **ASKED))
    assert predict(replayed(folder), PROMPT, Step("again"), **ASKED) == said


def test_what_two_threads_ask_at_a_time_is_asked_once_and_given_to_both(
    server: Server, live: LLM, folder: Path
) -> None:
    server.pause = 0.05
    server.behave("say:It opens at # [1]. Or so they say.")
    with ThreadPoolExecutor() as both:
        said = {*both.map(lambda name: "".join(stream(live, PROMPT, Step(name), **ASKED)), ["one", "other"])}
    assert len(server.requests) == 1
    assert said == {predict(replayed(folder), PROMPT, Step("again"), **ASKED)}


@pytest.mark.parametrize("behaviour", ["answer", "no_schema", "prose"])
def test_an_object_is_given_again_however_it_was_asked_for(
    server: Server, live: LLM, folder: Path, behaviour: str
) -> None:
    server.behave(behaviour)
    found = structured(live, Grade, GRADE, Step("live"), passage="a passage")
    step = Step("again")
    assert structured(replayed(folder), Grade, GRADE, step, passage="a passage") == found
    assert (step.answered, step.notes) == ({NAME: 1}, [])


def test_what_an_object_lacked_it_lacks_again(server: Server, live: LLM, folder: Path) -> None:
    server.behave("cut")
    structured(live, Grade, GRADE, (before := Step("live")), passage="a passage")
    structured(replayed(folder), Grade, GRADE, (step := Step("again")), passage="a passage")
    assert step.notes == before.notes == ["model failed (its output was cut off); answered by the keyless model"]
    assert step.answered == {KEYLESS: 1}


def test_tool_calls_are_given_again(server: Server, live: LLM, folder: Path) -> None:
    server.behave('calls:[["search", {"query": "kiosk hours"}], ["search", {"query": "창구 시간"}]]')
    calls = asked_for_tools(live, Step("live"))
    step = Step("again")
    assert asked_for_tools(replayed(folder), step) == calls
    assert calls == [("search", {"query": "kiosk hours"}), ("search", {"query": "창구 시간"})]
    assert (step.answered, step.notes) == ({NAME: 1}, [])


def test_a_model_that_repeats_itself_is_stopped_and_does_so_again(server: Server, live: LLM, folder: Path) -> None:
    server.behave(
        "say:It opens. " + "The kiosk is open on every day of the week and closed on none of these days. " * 90
    )
    said = "".join(stream(live, PROMPT, (before := Step("live")), **ASKED))
    assert "".join(stream(replayed(folder), PROMPT, (step := Step("again")), **ASKED)) == said
    assert step.notes == before.notes == ["the answer broke off (it repeated itself)"]
    assert len(said) < 1_000


def test_what_is_not_on_record_is_answered_by_the_keyless_model_and_no_failure(
    server: Server, live: LLM, folder: Path
) -> None:
    predict(live, PROMPT, Step("live"), **ASKED)
    other, step, model = ASKED | {"question": "By how much did it grow?"}, Step("again"), replayed(folder)
    assert predict(model, PROMPT, step, **other) == predict(OfflineLLM(), PROMPT, Step("keyless"), **other)
    assert "".join(stream(model, PROMPT, step, **other)) == predict(OfflineLLM(), PROMPT, Step("keyless"), **other)
    given = Grade(passage="instead", score=3)
    assert structured(model, Grade, GRADE, step, otherwise=given, passage="a passage").score == 10
    assert (step.answered, step.notes) == ({KEYLESS: 3}, [])
    assert asked_for_tools(model, step) is None
    assert step.notes == [f"not on record; {CHOSEN_INSTEAD}"]


def test_without_the_setting_the_keyless_model_answers_beside_a_record(server: Server, live: LLM, folder: Path) -> None:
    predict(live, PROMPT, Step("live"), **ASKED)
    replayed(folder)
    assert isinstance(language_model(Settings(recorded_dir=folder)), OfflineLLM)


def test_nothing_on_record_is_asked_again(server: Server, live: LLM, folder: Path) -> None:
    predict(live, PROMPT, Step("live"), **ASKED)
    predict(live, PROMPT, Step("live"), **ASKED)
    predict(recorded_from(server, folder), PROMPT, Step("later"), **ASKED)
    assert len(server.requests) == 1


@pytest.mark.parametrize("behaviour", ["error", "html", "truncated", "no_choices", "drop"])
def test_a_failed_request_is_not_recorded_and_asked_again_later(
    server: Server, live: LLM, folder: Path, behaviour: str
) -> None:
    server.behave(behaviour, "say:It opens at noon [1].")
    assert KEYLESS in answered_by(live)
    assert recorded_so_far(record_path("any", folder)) == {}
    assert answered_by(live) == {"any": 1}


def answered_by(llm: LLM) -> dict[str, int]:
    step = Step("answer")
    assert "".join(stream(llm, PROMPT, step, **ASKED))
    return step.answered


def test_a_server_that_keeps_failing_ends_the_recording_and_is_not_asked_any_more(server: Server, live: LLM) -> None:
    server.behave("error")
    for _ in range(2):
        assert answered_by(live) == {KEYLESS: 1}
    for _ in range(2):
        with pytest.raises(StoppedError, match=r"status 500.* What was recorded stays; give the same command again"):
            predict(live, PROMPT, Step("answer"), **ASKED)
    assert len(server.requests) == 3


def test_a_dead_server_ends_the_recording_at_once(folder: Path) -> None:
    llm = language_model(
        Settings(openai_base_url="http://127.0.0.1:1/v1", recording=True, recorded_dir=folder, max_retries=0)
    )
    with pytest.raises(StoppedError, match="cannot be reached"):
        predict(llm, PROMPT, Step("answer"), **ASKED)


def test_an_answer_that_is_recorded_may_take_its_time(server: Server, live: LLM) -> None:
    assert answered_by(language_model(Settings(openai_base_url=server.url)).for_one_answer(0)) == {KEYLESS: 1}
    assert answered_by(live.for_one_answer(0)) == {"any": 1}


# Keys

KEYS = """
import sys
from pathlib import Path
from lessons.models.recorded import recorded_so_far, record_path
from lessons.faults.lab import Lab
from lessons.settings import settings
with Lab() as lab:
    for stage in ("smart", "reranked", "agentic"):
        lab.ask(stage, "When does the kiosk open and what does coffee cost?")
        lab.ask(stage, "그럼 책은 몇 권까지 빌릴 수 있나요?", history=[("user", "도서관은 언제 여나요?")])
found = recorded_so_far(record_path(settings().llm_model, settings().recorded_dir))
print("keys:", *sorted(found), sep="\\n")
"""


def keys(server: Server, folder: Path, seed: str, user: str) -> list[str]:
    """The keys of what a process of its own asked."""
    chosen = {"OPENAI_BASE_URL": server.url, "LESSONS_RECORDING": "true", "LESSONS_RECORDED_DIR": str(folder)}
    chosen |= {"PYTHONHASHSEED": seed, "LESSONS_DATA_DIR": str(folder / "data"), "LESSONS_USER": user}
    folder.mkdir()
    command = [sys.executable, "-c", KEYS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=os.environ | chosen)
    assert done.returncode == 0, done.stderr
    return done.stdout.rpartition("keys:\n")[2].split()


def test_two_processes_with_other_folders_owners_and_hashes_ask_under_the_same_keys(
    server: Server, folder: Path
) -> None:
    folders = folder / "one", folder / "two"
    with ThreadPoolExecutor() as both:
        first, second = both.map(keys, [server, server], folders, ["1", "2"], ["mina", "joon"])
    assert first == second
    assert len(first) > 10


def test_the_key_is_of_what_is_asked_and_of_nothing_else() -> None:
    asked = {"messages": [{"role": "user", "content": "Who?"}], "temperature": 0.0, "model": "a", "max_tokens": 1}
    same = {"max_tokens": 9, "stream": True, "model": "b", **dict(reversed(asked.items()))} | {"model": "b"}
    assert request_key(asked) == request_key(same)
    for other in ({"temperature": 0.5}, {"tools": []}, {"response_format": {}}, {"messages": []}):
        assert request_key(asked) != request_key(asked | other)


# The file


def reply(key: str, prompt: str = "") -> Reply:
    said, calls = f"Said for {key},\u2028한국어.\x85", (("search", '{"query": "q"}'),)
    return Reply(key, said, calls, "stop", 7, 3, 1.5, "2026-11-24", prompt)


def record(*replies: Reply) -> Record:
    return Record(*SERVED, {each.key: each for each in replies})


def test_a_file_holds_what_was_written_and_the_same_replies_give_the_same_bytes(folder: Path) -> None:
    write_record(folder / "one.jsonl.gz", record(reply("a"), reply("b")))
    write_record(folder / "two.jsonl.gz", record(reply("b"), reply("a")))
    assert read_record(folder / "one.jsonl.gz") == record(reply("a"), reply("b"))
    assert (folder / "one.jsonl.gz").read_bytes() == (folder / "two.jsonl.gz").read_bytes()


def test_a_journal_line_that_was_cut_short_costs_that_reply_only(folder: Path) -> None:
    journal = Journal(record_path("any", folder))
    journal.append(reply("a"))
    with journal.path.open("ab") as file:
        file.write(f"\n{reply('b').to_json()}".encode()[:-40])
    journal.append(reply("c"))
    assert set(journal.replies()) == {"a", "c"}


def test_a_process_killed_between_file_and_journal_leaves_each_reply_once(folder: Path) -> None:
    path = record_path("any", folder)
    write_record(path, record(reply("a")))
    Journal(path).append(reply("a"))
    Journal(path).append(reply("b"))
    with recording_to(path, *SERVED):
        assert set(read_record(path).replies) == {"a", "b"}
        assert not Journal(path).path.exists()


def test_a_reply_that_comes_while_the_journal_is_folded_in_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, late = record_path("any", folder), [reply("late")]
    Journal(path).append(reply("early"))

    def slowly(to: Path, whole: Record) -> None:
        write_record(to, whole)
        if late:
            Journal(path).append(late.pop())

    monkeypatch.setattr("lessons.models.recorded.write_record", slowly)
    with recording_to(path, *SERVED):
        pass
    assert set(recorded_so_far(path)) == {"early", "late"}


def test_two_processes_do_not_record_a_model_at_the_same_time(folder: Path) -> None:
    path = record_path("any", folder)
    with recording_to(path, *SERVED), pytest.raises(ModelError, match="Another process"), recording_to(path, *SERVED):
        pass


@pytest.mark.parametrize(
    ("model", "window", "said"),
    [("any", 4_096, "a window of 8,192 tokens (now 4,096)"), ("an-y", 8_192, "the model any (now an-y)")],
)
def test_a_model_that_is_served_in_another_way_is_not_added_to_its_record(
    folder: Path, model: str, window: int, said: str
) -> None:
    path = record_path("any", folder)
    write_record(path, record(reply("a")))
    with pytest.raises(ModelError) as raised, recording_to(path, model, window):
        pass
    assert f"any.jsonl.gz was recorded with {said}; set it so again" in str(raised.value)
    assert read_record(path) == record(reply("a"))


def damaged(path: Path, kind: str) -> None:
    write_record(path, record(*map(reply, "abcdef")))
    whole = path.read_bytes()
    match kind:
        case "truncated":
            path.write_bytes(whole[: len(whole) * 2 // 3])
        case "flipped":
            path.write_bytes(whole[:40] + bytes([whole[40] ^ 0xFF]) + whole[41:])
        case "empty":
            path.write_bytes(b"")
        case "no gzip":
            path.write_bytes(b"Sorry")
        case "other fields":
            path.write_bytes(gzip.compress(b'{"model": "any", "window": 1}\n{"key": "a"}\n'))


@pytest.mark.parametrize("kind", ["truncated", "flipped", "empty", "no gzip", "other fields"])
def test_a_damaged_file_is_told_left_alone_and_the_keyless_model_answers(
    folder: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = record_path("any", folder)
    damaged(path, kind)
    before = path.read_bytes()
    llm = language_model(Settings(recorded="any", recorded_dir=folder))
    assert predict(llm, PROMPT, Step("answer"), **ASKED) == predict(OfflineLLM(), PROMPT, Step("keyless"), **ASKED)
    assert "The record any.jsonl.gz is damaged" in caplog.text
    assert "restore the file or delete it. Until then the keyless model answers." in caplog.text
    with pytest.raises(ModelError, match="is damaged"), recording_to(path, *SERVED):
        pass
    assert path.read_bytes() == before


def test_a_model_that_is_not_on_record_is_told_with_those_that_are(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_record(record_path("Qwen/Qwen3:8B", folder), record())
    assert isinstance(language_model(Settings(recorded="qwen4", recorded_dir=folder)), OfflineLLM)
    assert "No replies are on record in qwen4.jsonl.gz; on record are qwen-qwen3-8b." in caplog.text


# What has become stale


def test_a_reply_is_stale_when_its_prompt_has_changed(server: Server, live: LLM, folder: Path) -> None:
    predict(live, ANSWER, Step("live"), response_format="A line.", **ASKED)
    predict(live, PROMPT, Step("live"), **ASKED)
    replayed(folder)
    found = read_record(record_path("any", folder))
    assert sorted(each.prompt for each in found.replies.values()) == sorted(map(prompt_label, (ANSWER, PROMPT)))
    assert found.stale(labels()) == 1


def test_the_label_of_a_prompt_changes_with_its_words_and_with_the_form_of_its_replies() -> None:
    first = PromptTemplate("Who is {name}?", metadata={"task": "who"})
    assert prompt_label(first) == prompt_label(PromptTemplate("Who is {name}?", metadata={"task": "who"}))
    assert prompt_label(first).startswith("who:")
    assert prompt_label(first) != prompt_label(PromptTemplate("Who was {name}?", metadata={"task": "who"}))
    assert prompt_label(first) != prompt_label(first, Grade.model_json_schema())


SHIPPED = sorted(Settings().recorded_dir.glob("*.jsonl.gz"))
STALE: dict[str, int] = {}
"""Replies of a shipped file that no prompt asks for any more. Who changes a prompt counts here, or records anew."""


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_the_stale_replies_of_a_shipped_record_are_counted(path: Path) -> None:
    assert read_record(path).stale(labels()) == STALE.get(path.name, 0)
