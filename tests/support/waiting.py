"""Waiting for what another thread or process does."""

from collections.abc import Callable
from time import monotonic, sleep


def until(happened: Callable[[], object], seconds: float = 60) -> None:
    """Wait for something to become true; TimeoutError if it does not in time."""
    deadline = monotonic() + seconds
    while not happened():
        if monotonic() > deadline:
            raise TimeoutError(f"it did not happen within {seconds:g} seconds")
        sleep(0.01)
