"""`lessons gate`: today's answers against a baseline, in exit codes and words that CI and its reader understand."""

from dataclasses import replace
from pathlib import Path

import pytest

from lessons.errors import LessonsError
from lessons.evaluate.choose import against_baseline, changed_settings
from lessons.evaluate.runs import read_run, ship
from lessons.settings import Settings
from tests.evaluate.records import evaluation
from tests.test_cli import lessons

GOOD = evaluation({"smart": [1.0] * 40})
ROOMS = {f"room {number}": f"The key of room {number} hangs on hook {number + 40}." for number in range(12)}


def questions(path: Path, hooks: int = 40) -> Path:
    """Twelve questions; their answers are those of the documents where `hooks` is 40."""
    lines = [f"Where does the key of {name} hang?,On hook {number + hooks}" for number, name in enumerate(ROOMS)]
    path.write_text("\n".join(["question,answer", *lines]), encoding="utf-8")
    return path


def test_the_same_answers_pass() -> None:
    result = against_baseline(GOOD, GOOD, margin=0.0)
    assert result.failed == []
    assert str(result).endswith("Passed.")


def test_a_loss_that_is_shown_fails_and_names_its_questions() -> None:
    result = against_baseline(GOOD, evaluation({"smart": [0.0] * 12 + [1.0] * 28}))
    assert [gain.metric for gain in result.failed] == ["recall@5"]
    assert "FAILED  recall@5: 1.000 → 0.700" in str(result)
    assert "fell: What is question 10?" in str(result)
    assert "… and 7 more" in str(result)


def test_a_loss_that_chance_may_have_made_fails_only_by_a_margin() -> None:
    unlucky = evaluation({"smart": [0.0] * 2 + [1.0] * 38})
    assert not against_baseline(GOOD, unlucky).failed
    assert not against_baseline(GOOD, unlucky, margin=0.2).failed
    assert against_baseline(GOOD, unlucky, margin=0.05).failed


def test_questions_are_paired_by_their_words_wherever_they_stand() -> None:
    before = evaluation({"smart": [0.0, 1.0] * 20})
    moved_down = tuple(replace(each, question_id=f"line-{at}") for at, each in enumerate(before.records[::-1]))
    assert all(gain.moved == 0 for gain in against_baseline(before, replace(before, records=moved_down)).gains)


def test_a_question_that_is_asked_twice_is_paired_in_order() -> None:
    asked = evaluation({"smart": [0.0, 1.0] * 20})
    twice = replace(asked, records=tuple(replace(each, question="and then?") for each in asked.records))
    assert [(gain.n, gain.moved) for gain in against_baseline(twice, twice).gains] == [(40, 0)] * 3


def test_too_few_shared_questions_and_another_stage_are_not_judged() -> None:
    with pytest.raises(LessonsError, match=r"^3 questions with an answer or evidence are in both runs"):
        against_baseline(GOOD, evaluation({"smart": [1.0] * 3}))
    with pytest.raises(LessonsError, match="no answers of naive, only of smart"):
        against_baseline(GOOD, evaluation({"naive": [1.0] * 40}))


def test_questions_without_answer_and_evidence_do_not_pass() -> None:
    unknown = replace(GOOD, records=tuple(replace(each, metrics={"groundedness": 1.0}) for each in GOOD.records))
    with pytest.raises(LessonsError, match=r"^0 questions with an answer or evidence"):
        against_baseline(unknown, unknown)


def test_settings_that_changed_are_told() -> None:
    assert changed_settings(GOOD, replace(GOOD, settings={"top_k": 3, "new": 1})) == ["top_k: 10 → 3"]


def test_a_run_comes_back_from_its_file_and_anything_else_is_a_sentence(tmp_path: Path) -> None:
    ship(GOOD, path := tmp_path / "run.jsonl.gz")
    assert read_run(path) == GOOD
    packed = path.read_bytes()
    (damaged := tmp_path / "damaged.gz").write_bytes(packed[:20] + b"\xff" * 20 + packed[40:])
    path.write_bytes(packed[:40])
    for broken in (path, damaged, tmp_path / "no.gz", questions(tmp_path / "set.csv")):
        with pytest.raises(LessonsError, match="holds no run"):
            read_run(broken)
    with pytest.raises(LessonsError, match="cannot be written"):
        ship(GOOD, tmp_path / "no" / "run.jsonl.gz")


@pytest.fixture(scope="module")
def owner(database: Settings, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("rooms")
    for name, text in ROOMS.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    assert lessons("ingest", str(folder), "--user", folder.name).returncode == 0
    return folder.name


def test_the_command_ends_with_0_1_or_2(owner: str, tmp_path: Path) -> None:
    """The first run writes the baseline; the second is worse, since its questions expect what no document says."""
    set_, baseline = questions(tmp_path / "set.csv"), str(tmp_path / "baseline.jsonl.gz")
    command = ("gate", baseline, "--stage", "naive", "--questions", str(set_), "--user", owner)
    missing = lessons(*command)
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "Nothing was compared" in missing.stderr
    assert "new baseline: naive, 12 questions" in lessons(*command, "--update").stdout
    held = lessons(*command)
    assert (held.returncode, held.stdout.splitlines()[-1]) == (0, "Passed.")
    questions(set_, hooks=70)
    worse = lessons(*command)
    assert (worse.returncode, worse.stdout.splitlines()[-1]) == (1, "Failed.")
    assert "FAILED  correctness: 1.000 → 0.500" in worse.stdout


def test_a_command_that_cannot_be_understood_ends_with_2() -> None:
    for wrong in ((), ("x", "--stage", "best"), ("x", "--margin", "-1")):
        assert lessons("gate", *wrong).returncode == 2
