"""Runs are kept in the database, found again, compared, and exported."""

import csv
import gzip
import json
import sys
from collections.abc import Iterator
from io import StringIO
from math import nan
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from lessons.database import engine
from lessons.errors import LessonsError
from lessons.evaluate.evaluation import METRICS, OUTCOMES, UNANSWERABLE, Evaluation
from lessons.evaluate.golden import SETS, golden_questions
from lessons.evaluate.judge import judge_text
from lessons.evaluate.run import answers
from lessons.evaluate.runs import (
    SHIPPED,
    ResultRow,
    as_csv,
    as_jsonl,
    delete,
    load,
    read_run,
    runs,
    save,
    ship,
    shipped,
)
from lessons.library import indexes
from lessons.rag.workspace import Workspace
from lessons.settings import Settings, settings
from lessons.stages import stages
from tests.evaluate.records import evaluation, record
from tests.support.shipped import shipped_corpus

RUN = evaluation({"naive": [0.0, 0.5, nan], "smart": [1.0, 1.0, nan]})


@pytest.fixture(scope="module")
def store(database: Settings) -> Engine:
    return engine(database)


@pytest.fixture(scope="module")
def library() -> Iterator[Workspace]:
    with shipped_corpus(indexes()) as place:
        yield place


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("keyless-*.jsonl.gz")), ids=lambda path: path.name)
def test_a_shipped_run_is_what_the_keyless_model_answers_here(library: Workspace, path: Path) -> None:
    """A changed prompt, search or judge makes it stale; the README's commands measure it anew."""
    kept = read_run(path)
    asked = {record.question_id for record in kept.records[:3]}
    ways = [stage.but(stage.name, workspace=library) for stage in stages().values() if stage.name in kept.stages]
    again = answers(ways, [golden for golden in golden_questions(kept.split, SETS[kept.data]) if golden.id in asked])
    known, fresh = (
        {(each.stage, each.question_id): (each.answer, each.metrics["correctness"]) for each in records}
        for records in (kept.records, again)
    )
    assert len(fresh) == 3 * len(ways)
    assert fresh.items() <= known.items()


def test_a_run_comes_back_as_it_was(store: Engine) -> None:
    found = load(save(RUN, store), store)
    assert found.as_dict() == RUN.as_dict()
    assert (found.data, found.split, found.settings, found.at) == (RUN.data, RUN.split, RUN.settings, RUN.at)
    assert found.records[0] == RUN.records[0]


def test_runs_are_listed_latest_first_with_what_they_ran_on(store: Engine) -> None:
    first, second = save(RUN, store), save(RUN, store)
    listed = runs(store)
    assert [row.id for row in listed[:2]] == [second, first]
    assert (listed[0].stages, listed[0].questions) == (["naive", "smart"], 3)
    assert f"run {second} · " in str(listed[0])


def test_an_unknown_run_is_a_sentence(store: Engine) -> None:
    with pytest.raises(LessonsError, match="no run 987654321"):
        load(987654321, store)


def test_a_removed_run_is_gone_with_its_answers(store: Engine) -> None:
    number = save(RUN, store)
    delete(number, store)
    assert number not in [row.id for row in runs(store)]


def test_beyond_the_limit_the_oldest_runs_of_an_owner_go_and_nobody_elses(
    store: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings(), "stored_runs", 2)
    first, other, *kept = (save(RUN, store, f"runs-{name}") for name in ("kept", "kept-too", "kept", "kept"))
    assert [row.id for row in runs(store, "runs-kept") if row.user_id] == kept[::-1]
    assert load(other, store, "runs-kept-too").as_dict() == RUN.as_dict()
    with store.connect() as connection:
        assert connection.scalar(select(func.count()).where(ResultRow.run_id == first)) == 0


def test_the_csv_holds_a_line_for_each_answer() -> None:
    lines = list(csv.DictReader(StringIO(as_csv(RUN))))
    assert len(lines) == 6
    assert {*METRICS} - {*OUTCOMES, UNANSWERABLE} < set(lines[0])
    assert [line["outcome"] for line in lines] == ["right"] * 6
    assert (lines[1]["recall@5"], lines[2]["recall@5"]) == ("0.5", "")
    assert lines[1]["question"] == "1번 질문은 무엇인가요?"


def test_an_answer_that_looks_like_a_formula_stays_text_in_a_spreadsheet() -> None:
    run = Evaluation("golden", "dev", (record("naive", 0, answer='=HYPERLINK("x")'),))
    assert "\"'=HYPERLINK" in as_csv(run)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a file")
def test_a_file_that_can_be_written_in_part_only_leaves_the_earlier_run(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "base.jsonl.gz"
    ship(RUN, path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        with pytest.raises(LessonsError, match="cannot be written"):
            ship(evaluation({"naive": [1.0]}), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert read_run(path).as_dict() == RUN.as_dict()
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_the_lines_of_json_hold_every_answer_with_its_metrics() -> None:
    lines = [json.loads(line) for line in as_jsonl(RUN).splitlines()]
    assert [line["stage"] for line in lines] == ["naive"] * 3 + ["smart"] * 3
    assert lines[1]["metrics"]["recall@5"] == 0.5
    assert "recall@5" not in lines[2]["metrics"]


def test_a_private_run_is_its_owners_and_nobody_elses(store: Engine) -> None:
    number = save(RUN, store, "runs-mina")
    assert str(runs(store, "runs-mina")[0]).endswith("3 questions of your own")
    for other in (None, "runs-joon", ""):
        assert number not in [row.id for row in runs(store, other)]
        delete(number, store, other)
        with pytest.raises(LessonsError, match="no run"):
            load(number, store, other)
    assert load(number, store, "runs-mina").as_dict() == RUN.as_dict()
    delete(number, store, "runs-mina")
    assert number not in [row.id for row in runs(store, "runs-mina")]


def test_no_run_that_ships_names_a_place_on_the_machine_that_made_it() -> None:
    values = [value for run in shipped().values() for value in run.settings.values()]
    assert values
    assert [value for value in values if isinstance(value, str) and Path(value).is_absolute()] == []


def test_a_shipped_run_has_the_verdicts_of_todays_judge() -> None:
    questions = {each.id: each for each in golden_questions("test")}
    run = shipped()["keyless-test"]
    for each in run.of("smart"):
        correctness, refused = judge_text(questions[each.question_id], each.answer)
        assert (each.value("correctness"), each.refused) == (correctness, refused)
    summary = run.summary("smart")
    assert sum(summary.means[name] for name in OUTCOMES) == pytest.approx(1)
    assert 0 < summary.means["belonging"] < 1


def test_a_run_with_more_fields_than_today_is_read(tmp_path: Path) -> None:
    ship(RUN, tmp_path / "run.jsonl.gz")
    head, *rows = gzip.decompress((tmp_path / "run.jsonl.gz").read_bytes()).decode().splitlines()
    older = [json.dumps(json.loads(row) | {"right_answer_wrong_evidence": False}) for row in rows]
    (tmp_path / "old.jsonl.gz").write_bytes(gzip.compress("\n".join([head, *older]).encode()))
    assert read_run(tmp_path / "old.jsonl.gz").records == read_run(tmp_path / "run.jsonl.gz").records
