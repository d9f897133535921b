"""Ports for servers that tests start."""

import socket
from contextlib import closing


def free_port() -> int:
    """A port on loopback at which nobody listens."""
    with closing(socket.socket()) as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]
