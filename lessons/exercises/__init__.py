"""The exercises of the notebooks: `check` judges what a learner wrote, `progress` shows how far they have come."""

from lessons.exercises.checking import check
from lessons.exercises.progress_table import progress

__all__ = ["check", "progress"]
