"""A PostgreSQL server of our own, shared by every process that uses the same data folder.

`ensure_running` makes the cluster if there is none, starts the server if it does not answer, and returns its address.
What can go wrong on the way, and what holds against it:

- Two processes start at once: starting happens under an exclusive file lock.
- `initdb` is killed: it works in a temporary folder, which becomes the cluster by a rename when it is complete.
- The server is killed, or `postmaster.pid` names a stranger: only an answer to a connection counts as running.
- A client is killed: every user holds a shared lock, which the kernel frees. A detached watcher process
  (`cluster.watch`) waits for the last to go and then stops the server; the next client replaces a missing watcher.
- The data folder's path is long or odd: the Unix socket lies in a short private folder under /tmp. Nothing listens on
  TCP, except on Windows: there it is a free loopback port with a random password.
- PostgreSQL refuses to run as root, and a system user cannot enter root's private folders. So root's cluster lies under
  /var/lib/rag-workbook, run by the system user `rag-workbook`, and `postgres` in the data folder is a link to it.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import psycopg

from lessons.database.cluster import (
    Address,
    halt,
    home_of,
    keywords,
    last_address,
    make_cluster,
    new_address,
    startup_error_message,
)
from lessons.database.programs import FileLock, drop_stale_pid, run, stop_server
from lessons.errors import DatabaseError

START_SECONDS = 60.0  # that a start may take; recovery after a power cut is what needs them
LARGEST_LOG = 5_000_000  # bytes

_user_locks: dict[Path, FileLock] = {}
_watchers: list[subprocess.Popen] = []


def ensure_running(data_dir: Path) -> Address:
    """Start the server of `data_dir` unless it runs, keep it as long as this process lives, and return its address."""
    with _start_lock(data_dir) as home:
        _register_user(home)
        _ensure_watcher(home)
        return _wait_until_ready(home) or _start(home)


def stop(data_dir: Path) -> None:
    """Stop the server of `data_dir` even if others use it; the next use starts it again."""
    with _start_lock(data_dir) as home:
        _unregister_user(home)
        halt(home)


def erase(data_dir: Path) -> None:
    """Stop the server of `data_dir` and delete everything it stored."""
    with _start_lock(data_dir) as home:
        _unregister_user(home)
        halt(home)
        # A watcher that is just starting must not put a file into a folder that is being emptied.
        aside = home.with_name(f"{home.name}-erased")
        shutil.rmtree(aside, ignore_errors=True)  # left by somebody who was killed at the next line
        shutil.rmtree(home.rename(aside))
        link = data_dir / "postgres"
        if link.is_symlink():
            link.unlink()


def log_of(data_dir: Path) -> Path:
    """Return the file into which the server writes its log."""
    return data_dir / "postgres" / "cluster" / "server.log"


@contextmanager
def _start_lock(data_dir: Path) -> Iterator[Path]:
    """Yield the server's home, with all other processes and threads kept out; DatabaseError if the disk refuses."""
    try:
        home, lock = _acquire_start_lock(data_dir)
        try:
            yield home
        finally:
            lock.release()
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DatabaseError(startup_error_message(data_dir, str(error), "the system refused a step")) from error


def _acquire_start_lock(data_dir: Path) -> tuple[Path, FileLock]:
    while True:
        home = home_of(data_dir)
        lock = FileLock(home / "start.lock")
        if not lock.acquire(timeout=2 * START_SECONDS):
            raise DatabaseError(f"Another process has been starting PostgreSQL in {home} for minutes: end it first.")
        if lock.is_on_disk():
            return home, lock
        lock.release()  # while we waited, someone removed the folder


def _register_user(home: Path) -> None:
    """Count as a user until this process and its forked children end."""
    lock = _user_locks.get(home)
    if lock and lock.is_on_disk():
        return
    _unregister_user(home)
    lock = FileLock(home / "users.lock")
    if not lock.acquire(shared=True, timeout=START_SECONDS):
        raise DatabaseError(f"PostgreSQL in {home} is still stopping after a minute: wait a little and try again.")
    _user_locks[home] = lock


def _unregister_user(home: Path) -> None:
    if lock := _user_locks.pop(home, None):
        lock.release()


def _ensure_watcher(home: Path) -> None:
    """Start the process that stops the server after its last user, unless it is there."""
    probe = FileLock(home / "watcher.lock")
    if not probe.acquire(timeout=0):
        return
    probe.release()
    detached: dict = {"start_new_session": True}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    detached |= dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    command = [sys.executable, "-m", "lessons.database.cluster", str(home)]
    # It outlives us on purpose: keep Python from warning about it.
    _watchers.append(subprocess.Popen(command, cwd=Path(__file__).parents[2], **detached))


def _start(home: Path) -> Address:
    cluster = home / "cluster"
    if not cluster.exists():
        make_cluster(home)
    stop_server(cluster)  # one that runs unreachable, because its socket was removed
    drop_stale_pid(cluster)
    address = new_address(home)
    sockets, host = ("", address.host) if os.name == "nt" else (address.host, "")
    options = f"-p {address.port} -c unix_socket_directories={sockets} -c unix_socket_permissions=0700"
    options += f" -c listen_addresses={host}"
    deadline = monotonic() + START_SECONDS
    while True:
        output = _run_pg_ctl_start(cluster, options)
        if _wait_until_ready(home, deadline - monotonic()):
            return address
        # Processes that a killed server left behind hold its shared memory for a moment.
        if "is still in use" not in output or monotonic() > deadline:
            raise DatabaseError(startup_error_message(home, output, "its server did not come up"))
        sleep(0.2)


def _run_pg_ctl_start(cluster: Path, options: str) -> str:
    """Start once and return what `pg_ctl` and the server said."""
    log = cluster / "server.log"
    offset = log.stat().st_size if log.exists() else 0
    if offset > LARGEST_LOG:
        log.unlink()
        offset = 0
    arguments = ["start", "-w", "-t", str(int(START_SECONDS)), "-l", log.name, "-o", options]
    _, output = run("pg_ctl", *arguments, folder=cluster)
    return output + "\n" + log.read_bytes()[offset:].decode(errors="replace") if log.exists() else output


def _wait_until_ready(home: Path, patience: float = START_SECONDS) -> Address | None:
    """Return the last address if the server of this very cluster answers there, waiting while it starts or stops."""
    address = last_address(home)
    deadline = monotonic() + patience
    while address and (home / "cluster").exists():
        try:
            with psycopg.connect(**keywords(address), autocommit=True) as connection:
                folder = connection.execute("SHOW data_directory").fetchone()
                return address if folder and os.path.samefile(folder[0], home / "cluster") else None
        except psycopg.OperationalError as error:
            if "too many clients" in str(error) or "remaining connection slots" in str(error):
                return address
            if "the database system is" not in str(error) or monotonic() > deadline:
                return None
            sleep(0.05)
    return None
