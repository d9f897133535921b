"""The app's server, in a process that ends with the one that started it; run by `lessons app`.

The starter keeps the other end of our input open and writes nothing to it. The system closes it when the starter ends,
however it ends: then nobody is left who could end us.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from threading import Thread

import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

from lessons.pages.language import N_, _
from lessons.settings import ROOT

SWEEP = 10.0  # seconds
SENT = {"rerun_script", "stop_script", "file_urls_request", "app_heartbeat", "backend_operation_request"}
"""What our pages have a browser send. The rest is for developers, such as emptying every visitor's caches."""

BROKE_OFF = N_("This page broke off for an unexpected reason; the log has the details. Reload it to go on.")


def _broke_off(error: Exception) -> bool:
    """Show a sentence instead of a traceback for what no page expects, such as a value that its field cannot have.

    What was sent and kept is forgotten, or the value would break every page of the session from now on.
    """
    if (context := get_script_run_ctx()) is not None:
        state = context.session_state._state
        state._new_widget_state.states.clear()  # unread: to clear the state would read the value again
        state.clear()
    st.error(_(BROKE_OFF))
    return True


def _door(app: ASGIApp) -> ASGIApp:
    """Let through only messages that our pages have a browser send."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        async def next_message() -> Message:
            while True:
                message = await receive()
                with suppress(Exception):  # Streamlit leaves such a visitor
                    sent = message.get("bytes")
                    if sent is not None and BackMsg.FromString(sent).WhichOneof("type") not in SENT:
                        continue
                return message

        await app(scope, next_message if scope["type"] == "websocket" else receive, send)

    return guarded


@asynccontextmanager
async def _swept(_: App) -> AsyncIterator[None]:
    """Close the sessions that have expired: Streamlit itself does so only when the next visitor leaves."""

    async def sweep() -> None:
        while True:
            await asyncio.sleep(SWEEP)
            get_instance()._session_mgr._session_storage._cache.expire()  # type: ignore[attr-defined]

    sweeping = asyncio.create_task(sweep())
    yield
    sweeping.cancel()


def _end_with_the_starter() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    Thread(target=_end_with_the_starter, daemon=True).start()
    options, sys.argv = json.loads(sys.argv[1]), [str(ROOT / "app.py")]
    app = App(sys.argv[0], lifespan=_swept, middleware=[Middleware(_door)], on_script_error=_broke_off)
    with suppress(KeyboardInterrupt):  # Ctrl-C reaches this process as well; its starter says that it is over
        app.run(config=options)
