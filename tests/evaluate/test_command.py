"""`lessons evaluate` as scripts see it."""

import json
import os
import re
import signal
from pathlib import Path
from threading import Thread

import pytest

from lessons.evaluate.runs import runs
from lessons.rag.workspace import workspace
from lessons.settings import Settings
from tests.evaluate.test_beir import make
from tests.support.openai_server import Server, model_behind, openai_server
from tests.support.waiting import until
from tests.test_cli import lessons

CORPUS = [
    {"_id": "kiosk", "title": "Kiosk", "text": "The kiosk in the lobby opens at 7:30 every weekday."},
    {"_id": "도서관", "title": "", "text": "사내 도서관은 평일 오전 9시에 문을 엽니다."},
    {"_id": "garden", "title": "Garden", "text": "The garden closes at nine in the evening."},
]
QUERIES = [
    {"_id": "q1", "text": "When does the kiosk open?", "metadata": {"answer": "7:30", "type": "bridge"}},
    {"_id": "q2", "text": "도서관은 몇 시에 열어요?", "metadata": {"answer": "9시", "type": "bridge"}},
    {"_id": "q3", "text": "When does the garden close?"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\tkiosk\t1\nq2\t도서관\t1\nq3\tgarden\t1\n"


@pytest.fixture
def folder(database: Settings, tmp_path: Path) -> Path:
    return make(tmp_path, CORPUS, QUERIES, QRELS)


def without_times(document: object) -> object:
    if isinstance(document, dict):
        return {key: without_times(value) for key, value in document.items() if key not in ("p50_ms", "p95_ms")}
    return document


def test_a_foreign_set_is_measured_by_stage_and_category_and_alike_each_time(folder: Path) -> None:
    done, again = (lessons("evaluate", "--stage", "naive", "--data", str(folder), "--json") for _ in range(2))
    assert done.returncode == 0, done.stderr
    assert "Note: 3 questions decide nothing" in done.stderr
    measured = json.loads(done.stdout)
    assert without_times(measured) == without_times(json.loads(again.stdout))
    naive = measured["stages"]["naive"]
    assert (naive["n"], naive["recall@5"], naive["all@10"], naive["mrr@10"], naive["ndcg@10"]) == (3, 1, 1, 1, 1)
    assert naive["correctness"] == 1
    assert [naive[name] for name in ("right", "half", "refused", "wrong", "belonging")] == [1, 0, 0, 0, 1]
    assert naive["wrong_unanswerable"] is None
    assert naive["by_category"]["bridge"]["n"] == 2
    assert naive["by_category"]["all"]["correctness"] is None
    assert naive["llm_calls"] == 1
    assert measured["gains"] == []


def test_correctness_is_left_out_where_the_reference_is_too_long_to_judge(tmp_path: Path) -> None:
    long = " ".join(["The kiosk opens early because the first trains bring most of its customers."] * 3)
    queries = [{"_id": "q1", "text": "Why does the kiosk open early?", "metadata": {"answer": long}}]
    folder = make(tmp_path, queries=queries, qrels="q1\td1\t1\n")
    done = lessons("evaluate", "naive", "--data", str(folder), "--json")
    assert json.loads(done.stdout)["stages"]["naive"]["correctness"] is None
    assert "Correctness leaves out 1 of 1 questions" in done.stdout + done.stderr


def test_a_limit_asks_fewer_questions_of_the_whole_corpus(folder: Path) -> None:
    done = lessons("evaluate", "naive", "--data", str(folder), "--limit", "2", "--sample-seed", "5", "--json")
    assert json.loads(done.stdout)["stages"]["naive"]["n"] == 2


def test_without_a_limit_that_of_the_settings_holds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace().settings, "evaluation_questions", 1)
    done = lessons("evaluate", "naive", "--data", str(folder), "--json")
    assert json.loads(done.stdout)["stages"]["naive"]["n"] == 1


def test_a_person_reads_a_table_and_the_run_is_stored(folder: Path) -> None:
    done = lessons("evaluate", "--stage", "naive", "--data", str(folder))
    assert all(name in done.stdout for name in ("recall@5", "right", "half", "refused", "wrong", "belonging"))
    assert "Note: 3 questions decide nothing" in done.stdout
    assert "passed: " not in done.stdout
    latest = runs(workspace().engine)[0]
    assert f"Stored as run {latest.id}." in done.stdout
    assert (latest.data, latest.split, latest.questions) == (folder.name, "test", 3)
    assert not {"openai_api_key", "database_url", "data_dir"} & set(latest.settings)


def test_a_broken_set_ends_with_code_1_and_the_place(folder: Path) -> None:
    with (folder / "corpus.jsonl").open("a") as file:
        file.write("{broken\n")
    done = lessons("evaluate", "--data", str(folder), "--json")
    assert (done.returncode, done.stdout) == (1, "")
    assert "corpus.jsonl, line 4: expected a JSON object" in done.stderr


@pytest.mark.parametrize(
    "arguments", [("--stage", "perfect"), ("--split", "train"), ("--limit", "0"), ("--sample-seed", "x")]
)
def test_bad_usage_ends_with_code_2(arguments: tuple[str, ...]) -> None:
    done = lessons("evaluate", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr


def test_questions_of_ones_own_are_asked_on_ones_own_documents(database: Settings, tmp_path: Path) -> None:
    (tmp_path / "pier.md").write_text("The pier closes at eight in the evening.", encoding="utf-8")
    (tmp_path / "set.csv").write_text(
        "question,answer,source_file,asker\nWhen does the pier close?,At eight,pier.md,Ida\n"
    )
    assert lessons("ingest", str(tmp_path / "pier.md"), "--user", "own-set").returncode == 0
    arguments = ("evaluate", "--questions", str(tmp_path / "set.csv"), "--stage", "naive", "--json")
    done = lessons(*arguments, "--user", "own-set")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["stages"]["naive"]
    assert (found["n"], found["correctness"], found["doc_recall@5"]) == (1, 1.0, 1.0)
    assert "Ignored: asker." in json.loads(done.stdout)["notes"]
    assert done.stderr.count("Ignored: asker.") == 1
    assert runs(workspace().engine, "own-set")[0].user_id == "own-set"
    nothing = lessons(*arguments, "--user", "own-set-nobody")
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert "own-set-nobody has no documents to ask about" in nothing.stderr


def test_a_shipped_question_set_is_asked_by_its_name(database: Settings) -> None:
    done = lessons("evaluate", "naive", "--questions", "multihop", "--limit", "2", "--json")
    assert json.loads(done.stdout)["stages"]["naive"]["n"] == 2
    latest = runs(workspace().engine)[0]
    assert (latest.data, latest.split) == ("multihop", "dev")


def test_a_name_that_is_no_question_set_is_bad_usage_and_names_them() -> None:
    done = lessons("evaluate", "--questions", "frozen")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no question set 'frozen'; choose from golden, multihop, bilingual" in " ".join(done.stderr.split())


def test_without_a_terminal_each_long_part_says_how_far_it_is_and_stdout_is_json_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lessons.cli.shared._SECONDS_BETWEEN_LINES", 0.0)
    done = lessons("evaluate", "naive", "--data", str(folder), "--json")
    assert json.loads(done.stdout)["stages"]["naive"]["n"] == 3
    for part, total in {"Indexing": 3, "Asking": 3, "Asking with the evidence given": 2}.items():
        assert re.search(rf"^{part}: {total} of {total} done$", done.stderr, re.MULTILINE)


def test_ctrl_c_stores_what_was_answered(folder: Path, database: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server() as server:
        monkeypatch.setattr(workspace(), "llm", model_behind(server, "slow"))
        before = len(runs(workspace().engine))
        Thread(target=interrupt_after, args=(server, 2)).start()
        done = lessons("evaluate", "naive,enhanced", "--data", str(folder), "--json")
    assert done.returncode == 130
    assert "Stopping after the answer under way" in done.stderr
    assert done.stderr.endswith("Stopped. What was stored before stays.\n")
    assert len(runs(workspace().engine)) == before + 1
    assert [*json.loads(done.stdout)["stages"]] == ["naive"]


def interrupt_after(server: Server, requests: int) -> None:
    until(lambda: len(server.requests) >= requests)
    os.kill(os.getpid(), signal.SIGINT)


def test_a_question_set_that_cannot_be_opened_is_a_sentence(database: Settings, tmp_path: Path) -> None:
    done = lessons("evaluate", "--questions", str(tmp_path / "no.csv"))
    assert done.returncode == 1
    assert "cannot be opened" in done.stderr
    both = lessons("evaluate", "--questions", str(tmp_path / "no.csv"), "--data", str(tmp_path))
    assert both.returncode == 2
    assert "leave it out" in both.stderr
