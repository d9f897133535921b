"""A second app process: it goes on with a session, and notes which windows it took up. Run as a script."""

import os
import sys

from sqlalchemy import Engine

from lessons.database import engine
from lessons.keyless.llm import OfflineLLM
from lessons.memory.summaries import RecursiveSummary
from lessons.memory.turns import State, Turn
from lessons.rag.types import Scope
from lessons.settings import Settings


class Noting(RecursiveSummary):
    """Writes the last turn of every window that it takes up to standard output; may die while doing so."""

    dies = False

    def update_state(self, state: State, window: list[Turn]) -> State:
        os.write(1, f"{window[-1].number}\n".encode())
        if self.dies:
            os._exit(9)
        return super().update_state(state, window)


def memory(place: Engine, session: str) -> Noting:
    return Noting(place, OfflineLLM(), None, Scope("mina"), session)  # type: ignore[arg-type]


if __name__ == "__main__":
    folder, session, count, dies = sys.argv[1:]
    mine = memory(engine(Settings(data_dir=folder)), session)  # type: ignore[arg-type]
    mine.dies = dies == "dies"
    for number in range(int(count)):
        mine.remember(f"My budget is {number} dollars.", "Noted.")
    mine.wait_for_updates()
