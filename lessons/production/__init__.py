"""What a system in daily use needs around it: tools for other agents, traces for a collector, another embedding."""

from importlib.util import find_spec

from lessons.errors import LessonsError


def need_extra() -> None:
    """LessonsError if the packages of the extra `production` are not installed."""
    if not all(map(find_spec, ("mcp", "openinference"))):
        raise LessonsError("The MCP SDK and OpenInference are not installed: run `uv sync --extra production`.")
