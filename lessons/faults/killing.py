"""A process that is killed at its work, as a kernel is that runs out of memory."""

import os
import subprocess
import sys
from tempfile import TemporaryFile
from typing import Any

from lessons.errors import LessonsError
from lessons.faults.database import SpareDatabase
from lessons.settings import ROOT


def killed(program: str, database: SpareDatabase, at: str) -> list[str]:
    """Run a Python program on this database, and kill it as soon as a line that it prints holds `at`.

    Gives the lines that were printed until then. The kill is a SIGKILL: the program cannot tidy up. LessonsError if it
    ends before it comes to `at`.
    """
    environment = os.environ | {"DATABASE_URL": database.url, "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-c", program]
    lines = []
    with TemporaryFile("w+", encoding="utf-8") as errors:
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": errors, "encoding": "utf-8"}
        with subprocess.Popen(command, cwd=ROOT, env=environment, **pipes) as process:
            for line in process.stdout or ():
                lines.append(line.rstrip("\n"))
                if at in line:
                    process.kill()
                    return lines
        errors.seek(0)
        last = errors.read().strip().rpartition("\n")[2]
    raise LessonsError(f"The program ended before it printed {at!r}; it said: {last}")
