"""`lessons gates`: what it says and asks before it starts."""

import io
import sys
from collections.abc import Iterator

import pytest

from lessons.evaluate.gates import MEASURED, REFERENCE, estimate
from lessons.evaluate.golden import SETS, golden_questions
from lessons.evaluate.runs import read_run, runs
from lessons.rag.workspace import workspace
from lessons.settings import Settings
from lessons.stages import stages
from tests.support.openai_server import Server, model_behind, openai_server
from tests.test_cli import lessons

GATES = ["gates", "--limit", "1"]


@pytest.fixture
def served(database: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server whose model the workspace asks."""
    with openai_server() as server:
        monkeypatch.setattr(workspace(), "llm", model_behind(server, llm_model="mine"))
        server.requests.clear()
        yield server


def test_the_keyless_model_is_measured_at_once_at_no_cost(database: Settings) -> None:
    done = lessons("gates", "--limit", "2")
    assert done.returncode == 0, done.stderr
    assert "This measures the keyless model (extractive, no network): 24 answers, free of charge." in done.stderr
    assert [each.data for each in runs(workspace().engine)[:2]] == ["multihop", "golden"]
    assert "too few questions" in done.stdout


def test_where_nobody_can_agree_the_cost_is_said_and_nothing_is_asked(served: Server) -> None:
    done = lessons(*GATES)
    assert (done.returncode, done.stdout, served.requests) == (1, "", [])
    assert "mine at 127.0.0.1" in done.stderr
    assert "will give 12 answers. An estimate of what that takes: " in done.stderr
    assert "add --yes" in done.stderr


class Keyboard(io.StringIO):
    """What somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("typed", ["n\n", ""])
def test_nothing_is_asked_of_a_reader_who_does_not_agree(
    served: Server, typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Keyboard(typed))
    done = lessons(*GATES)
    assert (done.returncode, done.stdout.strip(), served.requests) == (1, "", [])
    assert "Go on?" in done.stderr


def test_the_estimate_is_what_the_shipped_run_took_and_as_much_for_each_further_question() -> None:
    run, (golden, multihop) = read_run(REFERENCE), [len(golden_questions("test", SETS[name])) for name in MEASURED]
    answers, tokens, cost = estimate([*stages()])
    took, share = [*run.records, *run.with_evidence], 1 + MEASURED["multihop"] * multihop / golden
    assert answers == (golden + multihop) * (len(stages()) + 1)
    assert tokens == pytest.approx(sum(each.tokens for each in took) * share, rel=1e-3)
    assert cost == pytest.approx(sum(each.cost for each in took) * share, rel=1e-3)
