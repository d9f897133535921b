"""Processes without a network: in a network of their own where the system allows it, and watched everywhere."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_fixed

ROOT = Path(__file__).parents[2]
LESSONS = [sys.executable, "-c", "from lessons.cli import main; main()"]


def watched(tries: Path) -> dict[str, str]:
    """The environment of processes that cannot connect to other machines; what they try is written to the file."""
    return os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "tests/course/offline"), str(ROOT)]),
        "LESSONS_TEST_TRIES": str(tries),
    }


def said(tries: Path) -> str:
    """What was tried; empty if nothing was."""
    return tries.read_text(encoding="utf-8") if tries.exists() else ""


def run(command: list[str], tries: Path) -> str:
    """What a command prints in a network that is nothing but itself."""
    options = {"capture_output": True, "encoding": "utf-8", "timeout": 240, "cwd": ROOT}
    done = subprocess.run([*_apart(), *command], env=watched(tries) | {"PYTHONUTF8": "1"}, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def _apart() -> list[str]:
    """How to start a process with a loopback only: root keeps its identity, another user becomes root of it."""
    for options in (["-n"], ["-rn"]) if shutil.which("unshare") else ():
        apart = ["unshare", *options, "sh", "-c", 'ip link set lo up 2>/dev/null; exec "$@"', "sh"]
        if subprocess.run([*apart, "true"], capture_output=True).returncode == 0:
            return apart
    return []


@retry(retry=retry_if_exception_type(URLError), wait=wait_fixed(0.1), stop=stop_after_delay(120))
def page(told: str) -> str:
    """The page at an address that is about to answer."""
    with build_opener(ProxyHandler({})).open(told, timeout=30) as reply:
        return reply.read().decode()
