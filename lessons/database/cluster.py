"""Where a cluster lies, how it is made, how its server is reached, and the process that stops it after its last user.

Run as a program, this module is that process, one for each server, started detached by `embedded.py`. All that it
imports stays in memory as long as the server runs: keep it small.
"""

import json
import os
import secrets
import shutil
import socket
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lessons.database.programs import ROOT_FOLDER, FileLock, am_root, hand_over, run, stop_server
from lessons.errors import DatabaseError

SUPERUSER = "postgres"
SOCKETS = Path("/tmp/rag-workbook-")
SETTINGS = {
    "shared_buffers": "128MB",
    "max_connections": "100",
    # Parallel index builds want more shared memory than a container has, and build another graph each time.
    "max_parallel_maintenance_workers": "0",
    "jit": "off",
    "log_checkpoints": "off",
}


@dataclass(frozen=True)
class Address:
    """Where a server listens: a folder with a Unix socket and no password, or a loopback address with one."""

    host: str
    port: int
    password: str | None = None


def home_of(data_dir: Path) -> Path:
    """Make the folder with everything of one server: `postgres` in the data folder, or what it links to."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    home = data_dir / "postgres"
    if am_root() and not home.exists():
        target = home.readlink() if home.is_symlink() else ROOT_FOLDER / f"data-{secrets.token_hex(6)}"
        for folder in (ROOT_FOLDER, target):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o711)  # the system user must pass through, whatever the umask
        try:
            home.symlink_to(target)
        except FileExistsError:  # it was there, or another process was first
            if home.resolve() != target:
                target.rmdir()
    home.mkdir(mode=0o700, exist_ok=True)
    return home.resolve()


def make_cluster(home: Path) -> None:
    """Run `initdb` in a temporary folder and rename it to `cluster` when it is complete."""
    for unfinished in home.glob("unfinished-*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(dir=home, prefix="unfinished-"))
    hand_over(folder)
    # The builtin locale is the same on every platform, so that Korean sorts and lower-cases alike everywhere.
    locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    settings = [f"--set={name}={value}" for name, value in SETTINGS.items()]
    code, output = run("initdb", f"--username={SUPERUSER}", *_login(home), *locale, *settings, folder=folder)
    (home / "password").unlink(missing_ok=True)
    if code != 0:
        shutil.rmtree(folder, ignore_errors=True)
        reason = f"the set-up ended with code {code}, so run the command again"
        raise DatabaseError(startup_error_message(home, output, reason))
    folder.rename(home / "cluster")


def _login(home: Path) -> list[str]:
    if os.name != "nt":
        return ["--auth=trust"]  # whoever reaches the private socket folder
    password = secrets.token_urlsafe(24)
    save_address(home, Address("127.0.0.1", 0, password))
    (home / "password").write_text(password)
    return ["--auth=scram-sha-256", f"--pwfile={home / 'password'}"]


def last_address(home: Path) -> Address | None:
    """Return the address that the last starter saved; whether a server is there must be tried."""
    with suppress(OSError, ValueError, TypeError):
        return Address(**json.loads((home / "server.json").read_text()))
    return None


def save_address(home: Path, address: Address) -> Address:
    """Write the address down, whole or not at all."""
    unfinished = home / "server.json.new"
    unfinished.write_text(json.dumps(asdict(address)))
    unfinished.replace(home / "server.json")
    return address


def new_address(home: Path) -> Address:
    """Return an address for a server that is about to start, the same as last time if it is still to be had.

    A Unix socket's path has at most 103 bytes (macOS) or 107 (Linux), hence /tmp and not the data folder.
    """
    last = last_address(home) or Address("", 0)
    if os.name == "nt":
        return save_address(home, Address("127.0.0.1", _free_port(last.port), last.password))
    _remove_sockets(home)
    folder = Path(last.host)
    try:
        folder.mkdir(mode=0o700)
    except OSError:  # never had one, or someone else has taken its name
        folder = Path(tempfile.mkdtemp(dir=SOCKETS.parent, prefix=SOCKETS.name))
    (folder / "home").write_text(str(home))
    hand_over(folder, home / "cluster")
    return save_address(home, Address(str(folder), 5432))


def _remove_sockets(home: Path) -> None:
    """Remove the socket folder, unless it belongs to another home, of which this one is a copy."""
    address = last_address(home)
    with suppress(OSError):
        if address and (Path(address.host) / "home").read_text() == str(home):
            shutil.rmtree(address.host, ignore_errors=True)


def _free_port(last: int) -> int:
    for port in (last, 0):
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return probe.getsockname()[1]
    raise DatabaseError("No loopback port is free for PostgreSQL: set DATABASE_URL to a server of your own.")


def halt(home: Path) -> None:
    """Stop the server, if one runs, and remove its socket folder."""
    stop_server(home / "cluster")
    _remove_sockets(home)


def keywords(address: Address) -> dict[str, Any]:
    """Return what psycopg needs to connect to an embedded server."""
    arguments: dict[str, Any] = {"host": address.host, "port": address.port, "user": SUPERUSER, "dbname": SUPERUSER}
    arguments |= {"connect_timeout": 10, "sslmode": "disable", "gssencmode": "disable"}
    return arguments | ({"password": address.password} if address.password else {})


def watch(home: Path) -> None:
    """Wait for the last user of the server in `home`, then stop the server.

    It sleeps in the kernel until the users' lock is free. All that it has imported stays in memory meanwhile.
    """
    watcher_lock, users_lock = FileLock(home / "watcher.lock"), FileLock(home / "users.lock")
    if not watcher_lock.acquire(timeout=0):
        return
    users_lock.acquire()
    if users_lock.is_on_disk():
        halt(home)
    watcher_lock.release()  # first: a new client must not take this watcher for one that still watches
    users_lock.release()


def startup_error_message(home: Path, output: str, otherwise: str) -> str:
    """Say in one sentence why PostgreSQL could not be set up or started, from what it printed."""
    if "No space left on device" in output or "Disk quota exceeded" in output:
        return (
            f"The disk that holds {home} is full: free some space, or set LESSONS_DATA_DIR to a folder on another disk."
        )
    if "Read-only file system" in output or "Permission denied" in output:
        return f"The folder {home} cannot be written: set LESSONS_DATA_DIR to a folder that you own."
    if "Illegal instruction" in output:
        return "This processor cannot run the PostgreSQL that pip installed: set DATABASE_URL to a server of your own."
    if "incompatible with server" in output:
        older = (home / "cluster" / "PG_VERSION").read_text().strip()
        _, installed = run("postgres", "--version", folder=home)
        return (
            f"The database in {home} was made by PostgreSQL {older} and {installed} is installed: "
            "delete it and ingest again."
        )
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["nothing"]
    last = next((line for line in reversed(lines) if "FATAL" in line or "error" in line.lower()), lines[-1])
    return f"PostgreSQL cannot work in {home}, because {otherwise} (it said: {last[-300:]})."


if __name__ == "__main__":
    watch(Path(sys.argv[1]))
