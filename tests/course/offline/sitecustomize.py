"""Loaded by every Python process with this folder in its path: no connection leaves the machine, each try is told.

A try is told even if whoever made it keeps quiet about the failure, as telemetry does.
"""

import os
import sys
from typing import Any

NEAR = ("127.", "::1", "localhost", "0.0.0.0", "/")


def refuse(event: str, details: tuple[Any, ...]) -> None:
    """The name of a host or an address of (host, port) has to be this machine; other kinds of sockets stay in it."""
    if event == "socket.getaddrinfo":
        host = details[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(details[1], tuple):
        host = details[1][0]
    else:
        return
    name = host.decode() if isinstance(host, bytes) else host
    if name and not name.startswith(NEAR):
        with open(os.environ["LESSONS_TEST_TRIES"], "a", encoding="utf-8") as tries:
            tries.write(f"{os.path.basename(sys.argv[0] or 'python')}: {event} {name}\n")
        raise OSError(f"no network: {name}")


if "LESSONS_TEST_TRIES" in os.environ:
    sys.addaudithook(refuse)
