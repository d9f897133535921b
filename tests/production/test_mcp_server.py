"""The MCP server as a process of its own, asked by the client of the official SDK."""

import os
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from sqlalchemy import create_engine

from lessons.database.owners import owner_transaction
from lessons.errors import DatabaseError
from lessons.production.mcp_server import only_read
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.stages import stages
from tests.production.conftest import HOSTILE, TEXTS
from tests.test_cli import lessons

needs_mcp = pytest.mark.skipif(not find_spec("mcp"), reason="needs the extra: uv sync --extra production")
COMMAND = ["-c", "from lessons.cli import main; main()", "mcp", "--owner"]
Call = Callable[..., Any]
ATTACKS = ["user_id == '{theirs}'", "user_id != '{ours}' || page_number >= 0", "source_file != \"' OR '1'='1\""]


@pytest.fixture(scope="module")
def call(owners: dict[str, str]) -> Iterator[Call]:
    """Calls a tool of the server of one owner; or any method of the client by its name."""
    from mcp import Client, StdioServerParameters

    started = StdioServerParameters(command=sys.executable, args=[*COMMAND, owners["ours"]], env=dict(os.environ))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(started)) as client:
        yield (
            lambda name, arguments=None: (
                portal.call(client.call_tool, name, arguments)
                if arguments is not None
                else portal.call(getattr(client, name))
            )
        )


def found(reply: Any) -> list[dict]:
    assert not reply.is_error, reply.content
    return reply.structured_content["result"]


@needs_mcp
def test_it_offers_to_search_and_to_read_and_nothing_else(call: Call) -> None:
    tools = call("list_tools").tools
    assert [tool.name for tool in tools] == ["search", "passages"]
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert not {"owner", "user", "user_id"} & {name for tool in tools for name in tool.input_schema["properties"]}


@needs_mcp
def test_a_passage_that_was_found_can_be_read_in_its_document(call: Call) -> None:
    best = found(call("search", {"query": "When does the harbour office open?"}))[0]
    assert "6:15" in best["text"]
    read = found(call("passages", {"source_file": best["source_file"], "first": best["number"]}))
    assert read[0]["text"] == best["text"]


@needs_mcp
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_filter_does_not_leave_the_owner(call: Call, owners: dict[str, str], attack: str) -> None:
    reply = call("search", {"query": "the secret ferry", "filter": attack.format(**owners)})
    assert {each["source_file"] for each in found(reply)} <= set(TEXTS["ours"])


@needs_mcp
def test_an_argument_that_names_another_owner_changes_nothing(call: Call, owners: dict[str, str]) -> None:
    named = dict.fromkeys(("owner", "user", "user_id", "scope"), owners["theirs"])
    reply = call("search", {"query": "the secret ferry", **named})
    sources = {each["source_file"] for each in found(reply)}
    assert sources
    assert sources <= set(TEXTS["ours"])


@needs_mcp
def test_a_document_of_another_owner_is_told_like_one_that_never_was(call: Call) -> None:
    said = [call("passages", {"source_file": name}) for name in ("secret.md", "no such.md")]
    assert all(reply.is_error for reply in said)
    assert said[0].content[0].text.replace("secret", "no such") == said[1].content[0].text


@needs_mcp
def test_hostile_text_arrives_as_text_and_forges_no_reply(call: Call) -> None:
    best = found(call("search", {"query": "When does the ferry leave?"}))[0]
    assert best["source_file"] == "ferry.md"
    assert all(line in best["text"] for line in HOSTILE.split("\n")[2:] if line)
    assert found(call("search", {"query": "harbour"}))  # the connection goes on


@needs_mcp
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("search", {"query": " "}, "The question is empty"),
        ("search", {"query": "x", "filter": "page = 1"}, "The filter is wrong at column"),
        ("search", {"query": "x", "filter": "colour == 'red'"}, "No document has the field 'colour'"),
        ("search", {"query": "x", "filter": "source_file == \"' OR '1'='1\""}, "No document is called"),
        ("search", {"query": "x", "filter": "page_number > 'x'"}, "The field 'page_number' holds numbers; write 'x'"),
        ("search", {}, "query"),
        ("ingest", {}, "Unknown tool"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(call: Call, tool: str, arguments: dict, said: str) -> None:
    reply = call(tool, arguments)
    assert reply.is_error
    assert said in reply.content[0].text
    assert "Traceback" not in reply.content[0].text


@needs_mcp
def test_no_more_than_twenty_passages_come_at_a_time(call: Call) -> None:
    assert len(found(call("passages", {"source_file": "piers.md", "count": 10**6}))) == 20


def test_its_process_cannot_write(place: Workspace, owners: dict[str, str]) -> None:
    engine = create_engine(place.engine.url)
    only_read(engine)
    with pytest.raises(DatabaseError, match="read-only"), owner_transaction(engine, owners["ours"]) as connection:
        connection.exec_driver_sql("DELETE FROM documents")
    assert place.store(stages()["smart"].index).documents(Scope(owners["ours"]))


@needs_mcp
def test_an_owner_without_documents_is_told_before_anybody_connects(place: Workspace) -> None:
    done = lessons("mcp", "--owner", "nobody at all")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "nobody at all has no documents yet: run `lessons ingest` first.\n"


def test_without_the_extra_one_sentence_says_how_to_get_it(place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lessons.production.find_spec", lambda _: None)
    done = lessons("mcp", "--owner", "anybody")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "The MCP SDK and OpenInference are not installed: run `uv sync --extra production`.\n"
