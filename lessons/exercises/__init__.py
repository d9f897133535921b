"""The exercises of the notebooks: `check` judges what a learner wrote, `progress` shows how far they have come.

`hint` helps step by step, and `solved` guards the cells that use what was written.
"""

from lessons.exercises.checking import check, hint, solved
from lessons.exercises.progress_table import progress

__all__ = ["check", "hint", "progress", "solved"]
