"""Stages of the reader's own: those that `my_stages.py` defines join the five in the app and on the command line."""

import runpy
import traceback
from functools import lru_cache
from pathlib import Path

from lessons.errors import LessonsError
from lessons.rag.pipeline import Stage
from lessons.settings import settings
from lessons.stages import by_name, stages


def every_stage() -> dict[str, Stage]:
    """Return the five stages and the reader's own, by name. Raise LessonsError if the reader's file is unusable."""
    return stages() | own_stages()


def own_stages() -> dict[str, Stage]:
    """Run the reader's file, if there is one, and return the stages that it defines at its top level."""
    path = settings().own_stages
    return _read(path, path.stat().st_mtime_ns) if path.is_file() else {}


@lru_cache(1)
def _read(path: Path, _changed: int) -> dict[str, Stage]:
    try:
        namespace = runpy.run_path(str(path))
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = lines[-1] if lines else getattr(error, "lineno", None) or 1
        raise LessonsError(f"{path.name}, line {line}, cannot be run: {type(error).__name__}: {error}") from error
    stages_by_name = by_name(
        value for value in namespace.values() if isinstance(value, Stage) and value not in stages().values()
    )
    if duplicates := stages_by_name.keys() & stages().keys():
        raise LessonsError(
            f"{path.name} calls a stage {min(duplicates)!r}, like one of the five; give it another name."
        )
    return stages_by_name
