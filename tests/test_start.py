"""The command line and the package start quickly: what takes long to import waits until it is needed."""

import subprocess
import sys

import pytest

HEAVY = ("llama_index", "streamlit", "matplotlib", "pandas", "sqlalchemy", "numpy", "pydantic", "rich.markdown")
HELP = "import sys; sys.argv = ['lessons', '--help']; from lessons.cli import app; app(standalone_mode=False)"


@pytest.mark.parametrize("started", ["import lessons", "import lessons.cli", HELP])
def test_nothing_heavy_is_imported_before_it_is_needed(started: str) -> None:
    report = f"\nimport sys; print('imported', sorted(set({HEAVY}) & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", started + report], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "imported []"
