"""The exercises of the notebooks: `check` judges, `hint` helps, `solved` guards later cells, `progress` sums up."""

from lessons.exercises.checking import check, hint, solved
from lessons.exercises.progress_table import progress

__all__ = ["check", "hint", "progress", "solved"]
