"""The cell of a notebook that runs, as far as the page that runs it tells."""

import sys
from typing import Any


def in_solution() -> bool:
    """Whether a cell tagged as a solution runs. JupyterLab sends a cell's tags along; elsewhere nobody knows."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython else None
    request: dict[str, Any] = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return "solution" in request.get("metadata", {}).get("tags", [])
