"""The trace of one answer, the one record that everything else reads: what every step took in, gave out, and cost."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter, time
from typing import Any

from lessons.language import N_, _
from lessons.tables import html_table


@dataclass
class Step:
    """One step of an answer. Times are milliseconds, tokens the model's own count or an estimate, cost US dollars.

    What the `parts` used, such as the steps of one search of an agent, is counted in it. `answered` says how often the
    output of which model was used: a call that failed is paid for in `llm_calls` and answered by the keyless model.
    `prompts` are what the calls of this step sent.
    """

    name: str
    input: Any = None
    output: Any = None
    ms: float = 0.0
    llm_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    notes: list[str] = field(default_factory=list)
    parts: list["Step"] = field(default_factory=list, repr=False)
    answered: Counter[str] = field(default_factory=Counter, repr=False)
    prompts: list[str] = field(default_factory=list, repr=False)
    began: float = field(default_factory=time, repr=False, compare=False)  # seconds since 1970

    @property
    def label(self) -> str:
        """The name in words, in the language of the reader."""
        return _(self.name.lower().replace("_", " "))

    def nest(self, step: "Step") -> None:
        """Count what a step within this one used, and keep it as a part of this one."""
        self.parts.append(step)
        self.add(step)

    def add(self, step: "Step") -> None:
        """Count what another step used, and take over its notes."""
        self.llm_calls += step.llm_calls
        self.tokens_in += step.tokens_in
        self.tokens_out += step.tokens_out
        self.cost += step.cost
        self.notes += step.notes
        self.answered += step.answered


@dataclass(repr=False)
class Trace:
    """The steps of one answer, in the order in which they began."""

    steps: list[Step] = field(default_factory=list)

    @contextmanager
    def step(self, name: str, input: Any = None) -> Iterator[Step]:
        """Time a block of work as one step; an exception is noted on the step and raised on."""
        step = Step(name, input)
        self.steps.append(step)
        started = perf_counter()
        try:
            yield step
        except Exception as error:
            step.notes.append(f"failed: {error}")
            raise
        finally:
            step.ms += (perf_counter() - started) * 1000

    def __getitem__(self, name: str) -> Step:
        """Return the first step called `name`; KeyError if there is none."""
        return {step.name: step for step in reversed(self.steps)}[name]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def ms(self) -> float:
        return sum(step.ms for step in self.steps)

    @property
    def llm_calls(self) -> int:
        return sum(step.llm_calls for step in self.steps)

    @property
    def tokens(self) -> int:
        return sum(step.tokens_in + step.tokens_out for step in self.steps)

    @property
    def cost(self) -> float:
        return sum(step.cost for step in self.steps)

    @property
    def answered(self) -> Counter[str]:
        """How often the output of which model was used, in all steps."""
        return sum((step.answered for step in self.steps), Counter())

    def __repr__(self) -> str:
        line = _("{0}: {1} ms, {2} model calls")
        return "\n".join(line.format(step.label, f"{step.ms:.1f}", step.llm_calls) for step in self.steps)

    def _repr_html_(self) -> str:
        head = [N_("step"), N_("time"), "model calls", "tokens in", "tokens out", N_("notes")]
        return html_table(head, map(_row, self.steps))


def _row(step: Step) -> list[str]:
    numbers = [f"{number:,}" for number in (step.llm_calls, step.tokens_in, step.tokens_out)]
    return [step.label, f"{step.ms:.1f} ms", *numbers, " ".join(map(_, step.notes))]
