"""Streamlit's command line in a process that ends with the one that started it; run by `lessons app`.

The starter keeps the other end of our input open and writes nothing to it. The system closes it when the starter ends,
however it ends: then nobody is left who could end us.
"""

import os
import sys
from threading import Thread

from streamlit.web.cli import main


def _end_with_the_starter() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    Thread(target=_end_with_the_starter, daemon=True).start()
    main()
