"""The tasks that the keyless model can do, by name. A room that needs a new one registers it here."""

from collections.abc import Callable
from typing import Any

from lessons.errors import ModelError

TaskFunction = Callable[..., Any]
TASKS: dict[str, TaskFunction] = {}


def task(name: str) -> Callable[[TaskFunction], TaskFunction]:
    """Register `function(llm, **variables)` for a task; it returns text, or what `structured_predict` can validate."""

    def register(function: TaskFunction) -> TaskFunction:
        TASKS[name] = function
        return function

    return register


def run(name: str, llm: Any, variables: dict[str, Any]) -> Any:
    """Do the task. ModelError when nobody registered it."""
    if name not in TASKS:
        raise ModelError(
            f"The keyless model cannot do the task '{name}': it does {', '.join(sorted(TASKS))}. "
            "Set OPENAI_API_KEY or OPENAI_BASE_URL to use a model that can."
        )
    return TASKS[name](llm, **variables)
