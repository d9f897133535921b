"""The command line as scripts see it: exit codes, stdout for answers, stderr for messages, JSON that is only JSON."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import NamedTuple
from unittest.mock import Mock, patch

import pytest
from rich.console import Console

from lessons.cli import main
from lessons.cli.shared import bars
from lessons.errors import DatabaseError
from lessons.library import indexes
from lessons.memory.messages import message_store
from lessons.models.llm import language_model
from lessons.rag.types import Scope
from lessons.rag.workspace import workspace
from lessons.settings import Settings
from lessons.stages import stages
from tests.support.files import write_pdf
from tests.support.openai_server import openai_server

FACTS = {
    "kiosk.md": "# Kiosk\n\nThe kiosk in the lobby opens at 7:30 every weekday. Coffee costs 2 euros.\n",
    "도서관.txt": "사내 도서관은 평일 오전 9시에 문을 엽니다. 책은 한 번에 다섯 권까지 빌릴 수 있습니다.\n",
}


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def lessons(*arguments: str) -> Done:
    """Run a command in this process, where database and models are warm."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr), patch.object(sys, "argv", ["lessons", *arguments]):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
    return Done(code, stdout.getvalue(), stderr.getvalue())


def lessons_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Run a command as a process of its own."""
    command = [sys.executable, "-c", "from lessons.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ | environment)


@pytest.fixture(scope="module")
def owner(database: Settings, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An owner of this module alone, with two documents, ingested through the command line."""
    folder = tmp_path_factory.mktemp("facts")
    for name, text in FACTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = lessons("ingest", str(folder), "--user", folder.name, "--json")
    assert done.returncode == 0, done.stderr
    assert {line["status"] for line in json.loads(done.stdout)} == {"added"}
    return folder.name


def test_help_names_every_command() -> None:
    done = lessons("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in ("doctor", "ingest", "ask", "app"))


def test_what_ctrl_c_stops_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lessons.doctor.checks", Mock(side_effect=KeyboardInterrupt))
    done = lessons("doctor")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped. What was stored before stays.\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("ask",),
        ("ask", "x", "--stage", "perfect"),
        ("ingest",),
        ("ingest", "x", "--index", "none"),
        ("ingest", ""),
        ("app", "--port", "99999"),
    ],
)
def test_bad_usage_ends_with_code_2_and_a_message_on_stderr(arguments: tuple[str, ...]) -> None:
    done = lessons(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a file on which the disk is full, as Linux has it")
def test_a_full_disk_is_a_sentence() -> None:
    command = [sys.executable, "-c", "from lessons.cli import main; main()", "--help"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (1, "The disk is full: free some space, then repeat the command.\n")


def test_the_doctor_reports_each_part(database: Settings) -> None:
    done = lessons("doctor", "--json")
    assert done.returncode == 0, done.stderr
    checks = {check["name"]: check for check in json.loads(done.stdout)}
    assert {"python", "database", "embedding", "language model", "documents"} <= set(checks)
    assert all(check["ok"] for check in checks.values())


def test_the_doctor_says_what_to_do_about_a_dead_database(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = Settings(database_url="postgresql://nobody:secret@127.0.0.1:1/none")
    monkeypatch.setattr("lessons.settings.settings", lambda: chosen)
    done = lessons("doctor")
    assert done.returncode == 1
    assert "NO  database" in done.stdout
    assert "secret" not in done.stdout + done.stderr


@pytest.mark.parametrize("stage", ["smart", "agentic"])
def test_a_refused_key_is_one_sentence_and_no_success(owner: str, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server() as server:
        server.key = "another"
        served = language_model(Settings(openai_base_url=server.url, openai_api_key="mine"))
        monkeypatch.setattr(workspace(), "llm", served)
        done = lessons("ask", "When does the kiosk open?", "--user", owner, "--stage", stage)
    assert done.returncode == 1
    assert "refused the key; check OPENAI_API_KEY" in done.stderr


def test_an_answer_is_streamed_with_its_citations(owner: str) -> None:
    done = lessons("ask", "When does the kiosk open?", "--user", owner)
    assert done.returncode == 0, done.stderr
    assert "7:30" in done.stdout
    assert "[1] kiosk.md" in done.stdout


def test_an_earlier_answer_is_reused_if_that_is_wanted(owner: str) -> None:
    question = ("ask", "When does the kiosk open?", "--user", owner, "--stage", "naive")
    assert "from the cache" not in lessons(*question, "--cache").stderr
    assert "from the cache" in lessons(*question, "--cache").stderr
    assert "from the cache" not in lessons(*question).stderr


def test_json_holds_answer_citations_documents_and_trace(owner: str) -> None:
    done = lessons("ask", "도서관은 몇 시에 열어요?", "--user", owner, "--stage", "naive", "--json")
    (answer,) = json.loads(done.stdout)
    assert answer["stage"] == "naive"
    assert answer["found"]
    assert "9시" in answer["answer"]
    assert {citation["source_file"] for citation in answer["citations"]} == {"도서관.txt"}
    assert all(citation["quote"] in FACTS["도서관.txt"] for citation in answer["citations"])
    assert {each["chunk_id"] for each in answer["citations"]} <= {each["chunk_id"] for each in answer["documents"]}
    assert [step["step"] for step in answer["trace"]] == ["retrieve", "context", "answer"]
    assert answer["trace"][-1]["llm_calls"] == 1


def test_json_names_the_page_on_which_the_quote_stands(database: Settings, tmp_path: Path) -> None:
    rental = "Rowing boats are rented for 12 euros an hour."
    write_pdf(tmp_path / "boats.pdf", "The harbour opens in May.", rental)
    assert lessons("ingest", str(tmp_path), "--user", tmp_path.name).returncode == 0
    question = "For how many euros are rowing boats rented?"
    done = lessons("ask", question, "--user", tmp_path.name, "--stage", "enhanced", "--json")
    (answer,) = json.loads(done.stdout)
    (citation,), (document,) = answer["citations"], answer["documents"]
    assert (citation["quote"], citation["page"], citation["pages"]) == (rental, 2, [2])
    assert (document["page"], document["pages"]) == (1, [1, 2])


def test_several_answers_stand_below_the_names_of_their_stages(owner: str) -> None:
    lines = lessons("ask", "How much is a coffee?", "--user", owner, "--stage", "all").stdout.splitlines()
    names = [f"{name}:" for name in stages()]
    assert [line for line in lines if line in names] == names


def test_a_search_can_be_kept_to_one_file(owner: str) -> None:
    done = lessons("ask", "When does it open?", "--user", owner, "--source-file", "도서관.txt", "--json")
    (answer,) = json.loads(done.stdout)
    assert {document["source_file"] for document in answer["documents"]} == {"도서관.txt"}


def test_an_unknown_file_name_is_ignored_with_a_warning(owner: str) -> None:
    done = lessons("ask", "When does the kiosk open?", "--user", owner, "--source-file", "x' OR 1=1 --")
    assert done.returncode == 0
    assert "is not among the documents" in done.stderr
    assert "7:30" in done.stdout


def test_a_filter_narrows_the_search_and_a_wrong_one_is_a_sentence(owner: str) -> None:
    done = lessons("ask", "When?", "--user", owner, "--filter", "file_type == 'md'", "--json")
    assert {document["source_file"] for document in json.loads(done.stdout)[0]["documents"]} == {"kiosk.md"}
    wrong = lessons("ask", "When?", "--user", owner, "--filter", "file_type = 'md'")
    assert wrong.returncode == 1
    assert "column 11" in wrong.stderr
    unknown = lessons("ask", "When?", "--user", owner, "--filter", "filetype == 'md'")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "No document has the field 'filetype'; the fields are source_file, page_number," in unknown.stderr


@pytest.mark.parametrize("question", ["", "   \n\t "])
def test_an_empty_question_is_refused_with_a_sentence(owner: str, question: str) -> None:
    done = lessons("ask", question, "--user", owner)
    assert (done.returncode, done.stdout) == (1, "")
    assert "The question is empty; type one." in done.stderr


@pytest.mark.parametrize("question", ["🙂🙂", "x" * 100_000, "' OR '1'='1"])
def test_an_odd_question_is_answered_that_it_is_not_there(owner: str, question: str) -> None:
    (answer,) = json.loads(lessons("ask", question, "--user", owner, "--json").stdout)
    assert (answer["found"], answer["citations"]) == (False, [])


def test_who_asked_is_told_when_nothing_was_found(owner: str) -> None:
    done = lessons("ask", "When?", "--user", owner, "--filter", "page_number == 77")
    assert done.returncode == 0
    assert f"Asked as {owner} (2 documents). Another owner? --user NAME" in done.stderr
    assert "Asked as nobody-yet (0 documents)." in lessons("ask", "When?", "--user", "nobody-yet").stderr
    assert "Asked as" not in lessons("ask", "When does the kiosk open?", "--user", owner).stderr


def test_ingesting_again_adds_nothing_and_a_copy_is_told_apart(owner: str, tmp_path: Path) -> None:
    for name in ("kiosk.md", "copy.md"):
        (tmp_path / name).write_text(FACTS["kiosk.md"], encoding="utf-8")
    done = lessons("ingest", str(tmp_path / "kiosk.md"), str(tmp_path / "copy.md"), "--user", owner, "--json")
    for name in ("naive", "enhanced"):
        told = [line["status"] for line in json.loads(done.stdout) if line["index"] == name]
        assert told == ["unchanged", "duplicate"]


def test_a_bad_file_is_reported_and_the_others_go_on(owner: str, tmp_path: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"no pdf")
    (tmp_path / "good.txt").write_text("The garden closes at nine.")
    (tmp_path / "table.csv").write_text("gate,closes\nnorth,nine")
    done = lessons("ingest", str(tmp_path), "--user", "cli-bad", "--json")
    assert done.returncode == 1
    told = {(line["file"], line["index"]): line["status"] for line in json.loads(done.stdout)}
    assert told == {
        ("bad.pdf", "naive"): "failed",
        ("good.txt", "naive"): "added",
        ("bad.pdf", "enhanced"): "failed",
        ("good.txt", "enhanced"): "added",
        ("table.csv", ""): "skipped",
    }


def test_a_bad_file_is_named_once_beside_its_reason(database: Settings, tmp_path: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"no pdf")
    done = lessons("ingest", str(tmp_path / "bad.pdf"), "--user", "cli-named-once", "--index", "naive")
    assert done.stdout.startswith("failed    bad.pdf [naive] – It is ")
    assert done.stdout.count("bad.pdf") == 1


def test_each_file_is_told_as_soon_as_it_is_stored(
    database: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in FACTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    broken = Mock(side_effect=[None, DatabaseError("The database is away.")])
    monkeypatch.setattr("lessons.rag.store.ChunkStore.replace_document", broken)
    done = lessons("ingest", str(tmp_path), "--user", tmp_path.name, "--index", indexes()[0].name)
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["Opening the database …", "Ingesting: 1 of 2 done", "The database is away."]
    assert done.stdout.startswith("added ")
    assert len(done.stdout.splitlines()) == 1


def test_without_a_terminal_what_comes_before_an_answer_is_on_stderr_also_with_json(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lessons.library.ensure_corpus", lambda workspace, user, progress: progress(1, 508))
    done = lessons("ask", "When does the kiosk open?", "--user", "nobody-yet", "--json")
    assert done.stderr == "Opening the database …\nLoading the shipped documents: 1 of 508 done\n"


def test_lines_on_stdout_go_where_stdout_goes_while_a_terminal_shows_bars(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Console(file=io.StringIO(), force_terminal=True)
    monkeypatch.setattr("lessons.cli.shared.errors", lambda: terminal)
    with bars() as watch:
        watch("Ingesting", 1, 2)
        print("added kiosk.md")
    assert capsys.readouterr().out == "added kiosk.md\n"


def test_without_a_terminal_progress_is_a_line_now_and_then_on_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lessons.cli.shared.errors", lambda: Console(stderr=True, force_terminal=False))
    with bars() as watch:
        watch("Loading", 1, 9)
        watch("Asking", 1, 4)
        watch("Asking", 2, 4)
        monkeypatch.setattr("lessons.cli.shared._SECONDS_BETWEEN_LINES", 0.0)
        watch("Asking", 3, 4)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "Loading: 1 of 9 done\nAsking: 1 of 4 done\nAsking: 3 of 4 done\n"


class Screen(io.TextIOWrapper):
    """A terminal that keeps the bytes which are written to it."""

    def isatty(self) -> bool:
        return True


def test_lines_stand_above_the_bars_where_both_are_on_a_terminal(
    database: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kiosk.md").write_text(FACTS["kiosk.md"], encoding="utf-8")
    screen = Screen(written := io.BytesIO(), encoding="utf-8", write_through=True)
    terminal = Console(file=screen, force_terminal=True)
    monkeypatch.setattr("lessons.cli.shared.errors", lambda: terminal)
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "argv", ["lessons", "ingest", str(tmp_path), "--user", tmp_path.name])
    with suppress(SystemExit):
        main()
    assert "\x1b[2Kadded     kiosk.md" in written.getvalue().decode()


def test_files_of_an_unknown_kind_are_named(owner: str, tmp_path: Path) -> None:
    for name in ("kiosk.md", "회의록.hwp", ".hidden.hwp"):
        (tmp_path / name).write_text(FACTS["kiosk.md"], encoding="utf-8")
    done = lessons("ingest", str(tmp_path), "--user", owner)
    assert "Note: of a kind that cannot be read: 회의록.hwp\n" in done.stderr


def test_a_level_of_enrichment_that_changes_nothing_is_told(owner: str, tmp_path: Path) -> None:
    (tmp_path / "kiosk.md").write_text(FACTS["kiosk.md"], encoding="utf-8")
    path = str(tmp_path / "kiosk.md")
    done = lessons("ingest", path, "--user", owner, "--index", "naive", "--enrich", "full", "--json")
    assert json.loads(done.stdout)[0]["status"] == "unchanged"
    assert "--enrich changes nothing" in done.stderr


def test_a_dry_run_says_what_enriching_costs_and_ingests_nothing(owner: str, tmp_path: Path) -> None:
    (tmp_path / "pier.md").write_text("The pier closes at eight in the evening.", encoding="utf-8")
    arguments = ("ingest", str(tmp_path), "--user", "cli-dry", "--json")
    dry = lessons(*arguments, "--dry-run", "--enrich", "full")
    assert dry.returncode == 0
    assert all(line["calls"] == 2 and line["cost"] == 0 for line in json.loads(dry.stdout))
    nothing = lessons(*arguments, "--dry-run", "--enrich", "none")
    assert (json.loads(nothing.stdout), nothing.stderr.count("nothing is enriched")) == ([], 1)
    assert {line["status"] for line in json.loads(lessons(*arguments).stdout)} == {"added"}


def test_a_missing_path_is_a_sentence(database: Settings) -> None:
    done = lessons("ingest", "no/such/file.txt")
    assert done.returncode == 1
    assert "no/such/file.txt does not exist" in done.stderr


def test_a_session_remembers_what_was_said(owner: str) -> None:
    for question in ("When does the kiosk open?", "How much is a coffee?"):
        assert lessons("ask", question, "--user", owner, "--session", "morning").returncode == 0
    said = message_store().get_or_create(Scope(owner), "morning").history()
    assert [content for role, content in said if role == "user"] == [
        "When does the kiosk open?",
        "How much is a coffee?",
    ]
    assert "7:30" in said[1][1]
