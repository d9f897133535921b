"""The memory of the app's processes while it is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import linear_regression
from threading import Lock

import psutil

TOLD = 11  # readings, the first and the last among them


@dataclass
class Memory:
    """The resident MB of a process and its children, before the first question (`read[0]`) and after each."""

    process: psutil.Process
    read: list[float] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def __call__(self) -> None:
        with self._lock:
            self.read.append(resident(self.process))

    def __str__(self) -> str:
        last = len(self.read) - 1
        places = sorted({round(part * last / (TOLD - 1)) for part in range(TOLD)})
        along = ", ".join(f"{self.read[place]:.0f} ({place:,})" for place in places)
        grown = f"Growth over the last three quarters: {growth(self.read):+.1f} MB"
        return f"Memory in MB (after so many questions): {along}\n{grown}"


def resident(process: psutil.Process) -> float:
    """MB of a process and everything it started; a child that ends meanwhile counts nothing."""
    total = 0
    for each in [process, *process.children(recursive=True)]:
        try:
            total += each.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total / 1e6


def growth(read: Sequence[float]) -> float:
    """How far the line through the last three quarters of the readings rises."""
    last = read[len(read) // 4 :]
    return linear_regression(range(len(last)), last).slope * (len(last) - 1)
