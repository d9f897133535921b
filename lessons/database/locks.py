"""A file lock that the operating system releases when its holder dies, however it dies.

On POSIX it is `flock`, not the record locks of `lockf` (which the `fasteners` package uses): a record lock is lost as
soon as any other handle on the file is closed in the same process, does not exclude threads, and is not passed on to a
forked child. Windows has none of these traps, so `fasteners` does the work there.
"""

import os
import sys
from pathlib import Path
from time import monotonic, sleep


class FileLock:
    """A shared or exclusive lock on `path`, held until `release` or until the process and its forked children end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: object = None

    def acquire(self, *, shared: bool = False, timeout: float | None = None) -> bool:
        """Wait up to `timeout` seconds (None: for ever, without polling on POSIX) and say whether the lock is held."""
        acquire = _acquire_windows if sys.platform == "win32" else _acquire_posix
        self._held = acquire(self.path, shared, timeout)
        return self._held is not None

    def release(self) -> None:
        """Close the handle without unlocking it: a forked child keeps its share."""
        held, self._held = self._held, None
        if isinstance(held, int):
            os.close(held)
        elif held is not None:
            held.lockfile.close()  # type: ignore[attr-defined]

    def still_on_disk(self) -> bool:
        """Whether the locked file is still the one at `path` (someone may have removed the folder)."""
        try:
            return not isinstance(self._held, int) or os.path.samestat(os.fstat(self._held), os.stat(self.path))
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
