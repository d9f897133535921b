"""What the server says of itself, and that it ends with whoever started it."""

import signal
import subprocess
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from lessons.models.llm import describe
from lessons.models.served import ServedLLM, probe
from tests.served.llama_server import MODEL, ROOT, WINDOW, LlamaServer, joined_weights

HOLD = """
import sys
from pathlib import Path
from tests.served.llama_server import llama_server

with llama_server(Path(sys.argv[1])) as server:
    print(server.pid, flush=True)
    sys.stdin.read()
"""


def test_the_server_lists_its_model_and_the_window(server: LlamaServer) -> None:
    (listed,) = httpx.get(f"{server.url}/models").json()["data"]
    assert listed["id"] == MODEL
    assert listed["meta"]["n_ctx"] == WINDOW


def test_the_command_line_serves_weights_until_it_is_interrupted(server: LlamaServer, tmp_path: Path) -> None:
    weights = joined_weights(tmp_path)
    command = [sys.executable, "-c", "from lessons.cli import main; main()", "serve", str(weights), "--port", "18097"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        said = [process.stdout.readline().strip() for _ in range(4)]
        assert said[2:] == ["OPENAI_BASE_URL=http://127.0.0.1:18097/v1", f"LESSONS_LLM_MODEL={weights.stem}"]
        (listed,) = httpx.get("http://127.0.0.1:18097/v1/models").json()["data"]
        process.send_signal(signal.SIGINT)
        assert (listed["id"], process.wait(30)) == (weights.stem, 0)


def test_the_probe_reaches_the_model(llm: ServedLLM, server: LlamaServer) -> None:
    probe(llm)
    assert describe(llm) == f"{MODEL} at {httpx.URL(server.url).netloc.decode()}"


def test_the_server_ends_when_the_process_that_started_it_is_killed(
    server: LlamaServer, pytestconfig: pytest.Config
) -> None:
    weights = joined_weights(pytestconfig.cache.mkdir("weights"))
    command = [sys.executable, "-c", HOLD, str(weights)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as starter:
        child = psutil.Process(int(starter.stdout.readline()))
        starter.kill()
    gone, alive = psutil.wait_procs([child], timeout=30)
    assert (len(gone), alive) == (1, [])
