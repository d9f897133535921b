"""Ten visitors at a time ask twenty questions each. Measure it with `uv run python -m tests.app.load`.

They are sessions of the real app without a browser, and when one leaves the next comes, until all questions are asked.
The stages have the same number of visitors, who ask the golden questions of *dev*, each from another place on. An
answer is mixed up if it differs from what the stage says when nobody else asks.
"""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from statistics import median, quantiles

import psutil

from lessons.evaluate.golden import golden_questions
from lessons.library import ensure_corpus
from lessons.rag.workspace import workspace
from lessons.stages import stages
from lessons.tables import plain
from tests.app.load_memory import Memory
from tests.support.served import served
from tests.support.visitor import Visitor, visitor

VISITORS, QUESTIONS = 10, 20


@dataclass(frozen=True)
class Asked:
    """A question to a stage about an owner's documents, and the answer that it gets alone, as a page shows it."""

    question: str
    stage: str
    owner: str
    expected: str


@dataclass(frozen=True)
class Seen:
    """What a visitor saw: the seconds from 'Ask' to the finished page, and what was wrong, if anything."""

    seconds: float
    problem: str = ""


@cache
def alone(question: str, stage: str, owner: str) -> Asked:
    """The question with the answer that it gets when nobody else asks."""
    return Asked(question, stage, owner, plain(stages()[stage].ask(question, user=owner).text))


def visit(address: str, asked: list[Asked], watch: Callable[[], None] = lambda: None) -> list[Seen]:
    """Ask one question after the other in a session of their own; `watch` is called after each."""
    with visitor(address) as session:
        return [_seen(session, each, watch) for each in asked]


def all_at_once(address: str, visits: list[list[Asked]], watch: Callable[[], None] = lambda: None) -> list[Seen]:
    """Everything that the visitors saw, of whom up to `VISITORS` come at the same time."""
    with ThreadPoolExecutor(VISITORS) as pool:
        return [seen for each in pool.map(lambda asked: visit(address, asked, watch), visits) for seen in each]


def _seen(session: Visitor, asked: Asked, watch: Callable[[], None]) -> Seen:
    begun = time.perf_counter()
    try:
        texts = session.ask(asked.question, asked.stage, asked.owner)
    except RuntimeError as error:
        return Seen(time.perf_counter() - begun, f"error: {error}")
    seconds = time.perf_counter() - begun
    watch()
    return Seen(seconds, "" if asked.expected in texts else f"mixed up: {asked.stage}, {asked.question!r}")


def planned(questions: int) -> list[list[Asked]]:
    """What each visitor asks, so many questions in all."""
    golden, names = golden_questions("dev"), list(stages())
    drawn = cycle(golden)
    return [
        [alone(each.question, names[number % len(names)], each.owner) for each in islice(drawn, QUESTIONS)]
        for number in range(-(-questions // QUESTIONS))
    ]


def main() -> int:
    """Print the measurement; 1 if anything went wrong."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument(
        "--questions", type=int, default=VISITORS * QUESTIONS, help="in all, rounded up to whole visits"
    )
    questions = parser.parse_args().questions
    ensure_corpus(workspace(), workspace().settings.user)
    visits = planned(questions)
    with served() as (address, process):
        visit(address, visits[0][:1])  # so that the database is open
        memory = Memory(psutil.Process(process))
        memory()
        begun = time.perf_counter()
        seen = all_at_once(address, visits, memory)
        whole = time.perf_counter() - begun
    seconds, problems = [each.seconds for each in seen], [each.problem for each in seen if each.problem]
    print(f"{VISITORS} visitors at a time, {len(seen)} answers in {whole:.0f} s, {len(problems)} wrong")
    print(f"p50 {median(seconds):.2f} s, p95 {quantiles(seconds, n=20)[-1]:.2f} s, longest {max(seconds):.2f} s")
    print(memory, *problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
