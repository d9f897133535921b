"""The exercises of the notebooks: `check` judges, `hint` helps, `solved` guards later cells, `progress` sums up."""

from lessons.exercises.checking import check, hint, progress, solved

__all__ = ["check", "hint", "progress", "solved"]
