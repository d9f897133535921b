"""Stops an embedded server when its last user has gone; run by `embedded.py` as a detached process, one per server.

It sleeps in the kernel until the users' lock is free. The kernel frees a user's share however the user ends, so a
killed client counts as gone. Everything imported here stays in memory as long as the server runs: keep it small.
"""

import sys
from pathlib import Path

from lessons.database.cluster import halt
from lessons.database.locks import FileLock


def main(home: Path) -> None:
    """Wait for the last user of the server in `home`, then stop the server."""
    me, users = FileLock(home / "watcher.lock"), FileLock(home / "users.lock")
    if not me.acquire(timeout=0):
        return
    users.acquire()
    if users.still_on_disk():
        halt(home)
    me.release()  # before the users' lock: a new client must not take this watcher for one that still watches
    users.release()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
