"""What no page has a browser send is left at the app's door, and a session that has ended holds nothing."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from threading import Thread
from typing import Any

import psutil
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState

from lessons.cli.serve import LOST
from lessons.evaluate.plots import canvas
from lessons.pages import common as widgets
from lessons.pages.serve import BROKE_OFF, SWEEP, _door
from tests.support.served import served
from tests.support.visitor import Visitor, trouble, visitor
from tests.support.waiting import until
from tests.test_serve import open_page

App = tuple[str, psutil.Process]
FORGED: list[dict[str, Any]] = [{"json_value": "{"}, {"bytes_value": b"\xff"}, {"string_value": "none of these"}]
PAGES = ["", "chat", "documents", "scoreboard"]


@pytest.fixture(scope="module")
def app() -> Iterator[App]:
    """The app and its process."""
    with served() as (address, starter):
        [process] = psutil.Process(starter).children()
        yield address, process


def opened(session: Visitor, page: str) -> list[str]:
    """The names of the fields of a page, in a session that has sent nothing else."""
    session.open()
    elements = (getattr(each, each.WhichOneof("type") or "") for each in session.run(page=page))
    return [each.id for each in elements if getattr(each, "id", "")]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("forged", FORGED)
def test_forged_values_end_the_page_in_a_sentence(app: App, page: str, forged: dict[str, Any]) -> None:
    with visitor(app[0]) as session:
        names = opened(session, page)
        elements = session.run(widgets=[WidgetState(id=name, **forged) for name in names], page=page)
        assert {trouble(each) for each in elements} <= {"", BROKE_OFF}


def test_a_forged_value_does_not_break_the_rest_of_its_session(app: App) -> None:
    with visitor(app[0]) as session:
        owner = next(name for name in opened(session, "scoreboard") if name.endswith("owner-box"))
        session.run(widgets=[WidgetState(id=owner, json_value="{}")], page="scoreboard")
        assert not any(trouble(each) for each in session.run(page="scoreboard"))


def test_no_visitor_empties_the_caches_of_all() -> None:
    messages = [BackMsg(clear_cache=True), BackMsg(rerun_script=ClientState(page_name="chat"))]
    arrived = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.receive", "bytes": messages.pop(0).SerializeToString()}

    async def app(scope: object, receive: Callable[[], Awaitable[dict[str, Any]]], send: object) -> None:
        arrived.append(BackMsg.FromString((await receive())["bytes"]).WhichOneof("type"))

    asyncio.run(_door(app)({"type": "websocket"}, receive, None))
    assert arrived == ["rerun_script"]


def test_sessions_that_have_ended_hold_no_files(app: App) -> None:
    pool = 5  # connections to the database that may stay open
    with visitor(app[0]) as session:
        opened(session, "")
        before = app[1].num_fds()
        with visitor(app[0]) as others:
            for _ in range(2 * pool):
                opened(others, "")
            assert app[1].num_fds() > before + 4 * pool
        until(lambda: app[1].num_fds() <= before + pool, LOST + 3 * SWEEP)


def test_at_home_a_page_of_another_name_is_not_let_in(app: App) -> None:
    for host, answer in ((b"evil.example", b"403 Forbidden"), (b"localhost", b"101 Switching")):
        with open_page(int(app[0].rpartition(":")[2]), host, answer):
            pass


def test_plots_open_the_fonts_once_whoever_draws() -> None:
    def fonts() -> int:
        return sum(each.path.endswith(".ttf") for each in psutil.Process().open_files())

    def draw() -> None:
        figure, axes = canvas(3, 2)
        axes.set_title("예산")
        widgets.draw(figure)

    draw()
    before = fonts()
    for _ in range(4):
        thread = Thread(target=draw)
        thread.start()
        thread.join()
    assert fonts() == before > 0
