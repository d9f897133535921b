"""A process that is killed at its work, as a kernel is that runs out of memory."""

import os
import subprocess
import sys

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
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    lines = []
    with subprocess.Popen(command, cwd=ROOT, env=environment, encoding="utf-8", **pipes) as process:  # type: ignore[call-overload]
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if at in line:
                process.kill()
                return lines
    raise LessonsError(f"The program ended before it printed {at!r}; its last words were: {''.join(lines[-1:])}")
