"""The database room: a PostgreSQL with pgvector, either our own or the one that DATABASE_URL names."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lessons.database.connection import engine, erase, server_info, stop
    from lessons.database.owners import explained
    from lessons.database.schema import ensure_schema

__all__ = ["engine", "ensure_schema", "erase", "explained", "server_info", "stop"]


def __getattr__(name: str) -> Any:
    """Import on first use, so that the watcher, which lives in this package too, stays small."""
    from importlib import import_module

    if name in __all__:
        module = {"ensure_schema": "schema", "explained": "owners"}.get(name, "connection")
        return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
