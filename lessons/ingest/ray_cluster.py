"""The Ray cluster that ingestion is spread over: the one of RAY_ADDRESS, or this machine's processors."""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lessons.errors import DatabaseError, LessonsError
from lessons.settings import Settings

NO_RAY = "Ray is not installed: run `uv sync --extra scale`, or ingest without `--engine ray`."
ONE_MACHINE = (
    "The cluster has more than this machine, and the embedded database can be reached from here only: "
    "set DATABASE_URL to a PostgreSQL that every machine reaches."
)
NOT_JOINED = (
    "The Ray cluster cannot be reached or started: {reason}. Check RAY_ADDRESS; for a cluster with a token, set "
    "RAY_AUTH_MODE=token and copy ~/.ray/auth_token from its first machine."
)
NOBODY = "No Ray cluster answers at {address}: start it with `ray start --head`, or correct RAY_ADDRESS."
PATIENCE = 5.0  # seconds for a first connection


@contextmanager
def cluster(settings: Settings) -> Iterator[Any]:
    """Ray, connected to the cluster that RAY_ADDRESS names, or to one of this machine's processors for the time being.

    LessonsError if Ray is missing or cannot be reached, DatabaseError if its machines could not reach the database.
    """
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")  # under `uv run` it would copy this folder to workers
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "2")  # attempts to join a cluster, of 40 s; else 20
    try:
        import ray
    except ImportError:
        raise LessonsError(NO_RAY) from None
    if mine := not ray.is_initialized():
        _join(ray, os.environ.get("RAY_ADDRESS", ""))
    try:
        refuse_unreachable(settings, {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]})
        yield ray
    finally:
        if mine:
            ray.shutdown()


def _join(ray: Any, address: str) -> None:
    host, _, port = address.rpartition(":")
    try:
        if host and port.isdecimal() and "/" not in host:
            socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, OverflowError):
        raise LessonsError(NOBODY.format(address=address)) from None
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:
        reason = str(error).split(". ")[0].rstrip(".")
        raise LessonsError(NOT_JOINED.format(reason=reason)) from error


def refuse_unreachable(settings: Settings, machines: set[str]) -> None:
    """DatabaseError if the database is this machine's own and the cluster has others."""
    if not settings.database_url and len(machines) > 1:
        raise DatabaseError(ONE_MACHINE)
