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
    """The five stages of the course and then the reader's own, by name; LessonsError if the file cannot be used."""
    return stages() | own_stages()


def own_stages() -> dict[str, Stage]:
    """Those that the reader's file, if there is one, defines at its top level; it runs as part of the program."""
    path = settings().own_stages
    return _read(path, path.stat().st_mtime_ns) if path.is_file() else {}


@lru_cache(1)
def _read(path: Path, _changed: int) -> dict[str, Stage]:
    try:
        made = runpy.run_path(str(path))
    except Exception as error:
        here = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = here[-1] if here else getattr(error, "lineno", None) or 1
        raise LessonsError(f"{path.name}, line {line}, cannot be run: {type(error).__name__}: {error}") from error
    own = by_name(each for each in made.values() if isinstance(each, Stage) and each not in stages().values())
    if taken := own.keys() & stages().keys():
        raise LessonsError(f"{path.name} calls a stage {min(taken)!r}, like one of the five; give it another name.")
    return own
