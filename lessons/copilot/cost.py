"""What a copilot costs a month, from what one run of it used."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lessons.copilot.copilot import Copilot
from lessons.language import _
from lessons.memory.conversation import Conversation
from lessons.memory.summaries import RecursiveSummary
from lessons.models.llm import price
from lessons.settings import settings
from lessons.tables import html_table
from lessons.trace import Step


@dataclass(frozen=True)
class Rate:
    """Model calls and tokens of one use, on average over a run."""

    calls: float
    tokens_in: float
    tokens_out: float

    @classmethod
    def of(cls, steps: Iterable[Step], uses: int) -> "Rate":
        """Divide what the steps used by the number of uses; zero without a use."""
        used = [(step.llm_calls, step.tokens_in, step.tokens_out) for step in steps]
        return cls(*(sum(column) / uses for column in zip(*used, strict=True))) if used and uses else cls(0, 0, 0)


@dataclass(frozen=True, repr=False)
class CostModel:
    """The rates of one question, its retrieval and its answer, and of one update of the memory."""

    retrieval: Rate
    answer: Rate
    update: Rate

    def updates(self, turns: int) -> int:
        """Count the memory updates of a session: one for each full window that has a turn behind it."""
        return max(0, turns - 1) // settings().memory_window

    def monthly(self, sessions_a_day: int, turns: int, *prices: float) -> dict[str, float]:
        """Estimate US dollars a month of retrieval, answers and memory, at `prices` as `price` takes them."""
        uses = {"retrieval": (self.retrieval, turns), "answer": (self.answer, turns)}
        uses["update"] = self.update, self.updates(turns)
        return {
            name: 30 * sessions_a_day * count * price(rate.tokens_in, rate.tokens_out, *prices)
            for name, (rate, count) in uses.items()
        }

    def __repr__(self) -> str:
        return "\n".join(" ".join(row) for row in self._rows())

    def _repr_html_(self) -> str:
        return html_table(["", _("model calls"), _("tokens in"), _("tokens out")], self._rows())

    def _rows(self) -> list[list[str]]:
        names = _("retrieval, a question"), _("answer, a question"), _("memory, an update")
        rates = zip(names, (self.retrieval, self.answer, self.update), strict=True)
        return [[name, f"{r.calls:.1f}", f"{r.tokens_in:,.0f}", f"{r.tokens_out:,.0f}"] for name, r in rates]


def measure_cost(copilot: Copilot, questions: Sequence[str], memory: RecursiveSummary, user: str) -> CostModel:
    """Ask the questions in one conversation, wait for its memory, and take the averages."""
    conversation = Conversation(memory)
    answering, retrieving = list[Step](), list[Step]()
    for question in questions:
        for step in conversation.ask(copilot, question, user=user).trace:
            (answering if step.name == "answer" else retrieving).append(step)
    memory.wait_for_updates()
    memory.update()
    updates = memory.state.upto // settings().memory_window
    count = len(questions)
    return CostModel(Rate.of(retrieving, count), Rate.of(answering, count), Rate.of([memory.usage], updates))
