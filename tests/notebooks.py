"""Execute the notebooks of the course and compare their outputs, in a data folder with the shipped documents loaded."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.course.measures import notebooks

ROOT = Path(__file__).parents[1]
COMPARE = ["--nbval", "--nbval-sanitize-with", "tests/nbval_sanitize.cfg", "--nbval-kernel-name", "python3"]


def main() -> int:
    """The exit code of the comparison. Arguments go to pytest; without any, all notebooks run."""
    with tempfile.TemporaryDirectory(prefix="lessons-notebooks-") as folder:
        os.environ["LESSONS_DATA_DIR"] = folder
        from lessons.database import erase
        from lessons.library import load_corpus
        from lessons.workspace import workspace

        try:
            load_corpus(workspace())
            command = [sys.executable, "-m", "pytest", *COMPARE, *(sys.argv[1:] or map(str, notebooks()))]
            return subprocess.call(command, cwd=ROOT)
        finally:
            erase()


if __name__ == "__main__":
    sys.exit(main())
