"""`lessons gates`: what it says and asks before it starts, and the report that it writes."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lessons.evaluate.gates import MEASURED, REFERENCE, as_markdown, estimate, gate_report
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


def test_the_keyless_model_is_measured_at_once_at_no_cost(database: Settings, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    done = lessons("gates", "--limit", "2", "--output", str(report))
    assert (done.returncode, done.stdout) == (0, f"The report is in {report}.\n"), done.stderr
    assert "This measures the keyless model (extractive, no network): 24 answers, free of charge." in done.stderr
    assert [each.data for each in runs(workspace().engine)[:2]] == ["multihop", "golden"]
    text = report.read_text(encoding="utf-8")
    assert "Model\\: keyless model" in text
    assert "## Gates on golden, test" in text
    assert "too few questions" in text
    assert "## Gains on multihop, test: all@10" in text
    assert "enhanced against naive" in text


def test_an_earlier_report_is_overwritten_only_by_force(database: Settings, tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("mine")
    done = lessons(*GATES, "--output", str(tmp_path / "report.md"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "is there already; add --force" in done.stderr
    assert (tmp_path / "report.md").read_text() == "mine"
    assert lessons(*GATES, "--output", str(tmp_path / "report.md"), "--force").returncode == 0
    assert (tmp_path / "report.md").read_text(encoding="utf-8").startswith("# Gates of the stages")


def test_a_report_that_could_not_be_written_is_refused_before_anything_is_asked(served: Server) -> None:
    done = lessons(*GATES, "--yes", "--output", "no/such/folder/report.md")
    assert done.returncode == 1
    assert "is missing or closed" in done.stderr
    assert served.requests == []


def test_where_nobody_can_agree_the_cost_is_said_and_nothing_is_asked(served: Server, tmp_path: Path) -> None:
    done = lessons(*GATES, "--output", str(tmp_path / "report.md"))
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
    served: Server, tmp_path: Path, typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Keyboard(typed))
    done = lessons(*GATES, "--output", str(tmp_path / "report.md"))
    assert (done.returncode, done.stdout.strip(), served.requests) == (1, "", [])
    assert "Go on?" in done.stderr


def test_a_served_model_is_named_in_the_report(served: Server, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    done = lessons(*GATES, "--output", str(report), "--yes")
    assert done.returncode == 0, done.stderr
    assert served.requests
    assert "Model\\: mine at" in report.read_text(encoding="utf-8")


def test_the_estimate_is_what_the_shipped_run_took_and_as_much_for_each_further_question() -> None:
    run, (golden, multihop) = read_run(REFERENCE), [len(golden_questions("test", SETS[name])) for name in MEASURED]
    answers, tokens, cost = estimate([*stages()])
    took, share = [*run.records, *run.with_evidence], 1 + MEASURED["multihop"] * multihop / golden
    assert answers == (golden + multihop) * (len(stages()) + 1)
    assert tokens == pytest.approx(sum(each.tokens for each in took) * share, rel=1e-3)
    assert cost == pytest.approx(sum(each.cost for each in took) * share, rel=1e-3)


def test_the_report_says_of_each_gate_what_confirms_or_refutes_it() -> None:
    run = read_run(REFERENCE)
    gates, text = gate_report(run), as_markdown([run])
    assert all("Confirmed" in gate.decided_by and "refuted" in gate.decided_by for gate in gates)
    assert text.count("Confirmed ") == len(gates)
    assert "## Gains" not in text
