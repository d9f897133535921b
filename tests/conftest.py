"""What every test shares: settings that are nobody's own, and two real databases."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import hypothesis
import pytest
from sqlalchemy import Engine, make_url, text

for name in ("DATABASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
    os.environ.pop(name, None)
os.environ["LANGUAGE"] = "en"
os.environ["LESSONS_DATA_DIR"] = tempfile.mkdtemp(prefix="lessons-test-")

from lessons.database import engine, erase, stop  # noqa: E402
from lessons.database.programs import am_root, run, stop_server, system_user  # noqa: E402
from lessons.settings import Settings  # noqa: E402
from tests.support.ports import free_port  # noqa: E402

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

    from tests.support.openai_server import Server

hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
hypothesis.settings.register_profile("further", deadline=None)
hypothesis.settings.load_profile("same")  # chance fails no change; --hypothesis-profile=further looks further

Settings.model_config["env_file"] = None  # the reader's own .env is not for tests

PASSWORD = "p@ss word/5%"
SLOW = (
    "app", "benchmarks", "course", "data", "exercises", "faults", "production", "scale", "memory/test_concurrency.py",
    "database/test_distribution.py", "database/test_embedded_server.py", "database/test_pooler.py",
    "database/test_replicas.py", "evaluate/test_beir.py", "evaluate/test_command.py",
    "evaluate/test_public.py", "evaluate/test_recording.py", "evaluate/test_run.py",
    "ingest/test_jobs_processes.py", "rag/test_path.py", "test_cli.py", "test_serve.py",
)  # fmt: skip
"""Folders and files that start a browser, a cluster or other processes: `make quick` leaves them out."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow, and begin with it: of two processes none has a browser's tests left when the other is done."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and item.path.relative_to(here).as_posix().startswith(SLOW):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_unconfigure() -> None:
    """Remove the data folder of the session, with the server that a test may have started in it."""
    folder = Path(os.environ["LESSONS_DATA_DIR"])
    if (folder / "postgres").exists():
        erase(Settings(data_dir=folder))
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module", autouse=True)
def main_module() -> Iterator[None]:
    """Streamlit's test runner puts its script in the place of the main module, where child processes would find it."""
    before = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = before


@pytest.fixture(scope="session")
def database() -> Settings:
    """Settings with an embedded server that the whole session shares."""
    chosen = Settings()
    engine(chosen)
    return chosen


@pytest.fixture(scope="session")
def tcp_server() -> Iterator[str]:
    """The DATABASE_URL of a second server, which listens on TCP and asks for a password.

    Nothing of our own starts it, only PostgreSQL's programs. The password needs percent-encoding in a URL.
    """
    folder = Path(tempfile.mkdtemp(prefix="tcp-server-"))
    owner = system_user() if am_root() else None
    word = folder / "word"
    cluster = folder / "cluster"
    cluster.mkdir(mode=0o700)
    word.write_text(PASSWORD)
    if owner is not None:
        folder.chmod(0o711)
        word.chmod(0o644)
        os.chown(cluster, owner, -1)
    port = free_port()
    made, said = run(
        "initdb",
        "-U",
        "owner",
        "-A",
        "scram-sha-256",
        f"--pwfile={word}",
        "-N",
        "-E",
        "UTF8",
        "--locale=C",
        folder=cluster,
    )
    assert made == 0, said
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=100 -F"
    started, said = run("pg_ctl", "start", "-w", "-l", "log", "-o", options, folder=cluster)
    assert started == 0, said
    yield f"postgresql://owner:p%40ss%20word%2F5%25@127.0.0.1:{port}/postgres"
    stop_server(cluster)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def server() -> Iterator["Server"]:
    """A misbehaving OpenAI-compatible server for the tests of a file."""
    from tests.support.openai_server import openai_server

    with openai_server() as running:
        yield running


@pytest.fixture
def served(server: "Server") -> "Callable[..., LLM]":
    """The model behind the server, which from now on behaves in this way."""
    from tests.support.openai_server import model_behind

    return partial(model_behind, server)


@pytest.fixture(params=["embedded", "tcp"])
def any_database(request: pytest.FixtureRequest) -> Settings:
    """Settings for each of the two databases in turn."""
    if request.param == "embedded":
        return request.getfixturevalue("database")
    return Settings(database_url=request.getfixturevalue("tcp_server"))


@pytest.fixture(scope="module")
def tenant(tcp_server: str) -> Iterator[Callable[[str], Engine]]:
    """The engine of a user with these rights, who owns a database on the second server."""
    made: dict[str, Settings] = {}

    def tenant(rights: str) -> Engine:
        if rights not in made:
            made[rights] = new_tenant(tcp_server, rights)
        return engine(made[rights])

    yield tenant
    for chosen in made.values():
        stop(chosen)


def new_tenant(tcp_server: str, rights: str) -> Settings:
    name = f"t{uuid4().hex[:8]}"
    server = make_url(tcp_server)
    with engine(Settings(database_url=tcp_server)).connect() as administrator:
        administrator.execution_options(isolation_level="AUTOCOMMIT")
        administrator.execute(text(f"CREATE ROLE {name} LOGIN PASSWORD 'word' {rights}"))
        administrator.execute(text(f"CREATE DATABASE {name} OWNER {name}"))
    there = Settings(database_url=server.set(database=name).render_as_string(False))
    with engine(there).begin() as administrator:
        administrator.execute(text("CREATE EXTENSION vector"))
    stop(there)
    return Settings(database_url=server.set(database=name, username=name, password="word").render_as_string(False))
