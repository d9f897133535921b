"""Wrong on purpose: for each exercise, mistakes that a learner makes and that its check must find.

One that fails in more cases than another would be found with it, so it is here only for another sort of verdict.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_made: dict[str, list[Any]] = {}


def mistake(id_: str) -> Callable[[Any], Any]:
    """Add a function or class to the wrong-on-purpose set of an exercise."""

    def add(learner: Any) -> Any:
        mistakes(id_, learner)
        return learner

    return add


def mistakes(id_: str, *learners: Any, **named: Callable[..., Any]) -> None:
    """Add objects to the wrong-on-purpose set of an exercise; a lambda goes by the name that it is given under."""
    for name, learner in named.items():
        learner.__name__ = name
    _made.setdefault(id_, []).extend([*learners, *named.values()])


def mistakes_of(notebook: str) -> dict[str, list[Any]]:
    """The mistakes for every exercise of a notebook such as '04'."""
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        import_module(f"tests.exercises.mistakes.{path.stem}")
    return {id_: made for id_, made in _made.items() if id_.startswith(f"{notebook}.")}
