"""The tables and the plot of what memories are worth."""

from rich.console import Console

from lessons.evaluate.dialogue_run import TOKENS
from lessons.evaluate.evaluation import Evaluation
from lessons.evaluate.locomo import Recalled
from lessons.evaluate.memory_report import dialogue_report, locomo_report
from lessons.evaluate.plots.memory import plot_growth
from tests.evaluate.records import record
from tests.evaluate.test_dialogue_run import DIALOGUE


def printed(table: object) -> list[str]:
    console = Console(width=120)
    with console.capture() as capture:
        console.print(table)
    return [" ".join(line.replace("│", " ").split()) for line in capture.get().splitlines()]


def test_correct_answers_stand_by_memory_distance_and_kind() -> None:
    records = [
        record(
            memory,
            0,
            question_id="d-2",
            category="stands alone",
            metrics={"correctness": right, "strict": right, TOKENS: tokens},
        )
        for memory, right, tokens in (("none", 0.0, 0.0), ("window", 1.0, 1_234.0))
    ]
    lines = printed(dialogue_report(Evaluation("dialogues", "dev", tuple(records)), [DIALOGUE]))
    for label in ("all", "stands alone", "plain", "en"):
        assert f"{label} (1) 0.00 [0.00, 0.00] 1.00 [1.00, 1.00]" in lines
    assert "tokens handed over 0 1,234" in lines


def test_old_facts_stand_by_their_age() -> None:
    found = [Recalled("window", "?", "temporal", age, share, 50) for age, share in ((3, 1.0), (30, 0.0), (300, 0.5))]
    lines = printed(locomo_report(found))
    assert "all (3) 0.50 [0.00, 1.00]" in lines
    assert "1–5 turns old (1) 1.00 [1.00, 1.00]" in lines
    assert "21–100 turns old (1) 0.00 [0.00, 0.00]" in lines
    assert "older than 100 turns (1) 0.50 [0.50, 0.50]" in lines
    assert "tokens handed over 50" in lines


def test_each_memory_is_a_line_over_the_turns() -> None:
    axes = plot_growth({"none": [0, 0], "window": [0, 7]}).axes[0]
    lines = {line.get_label(): list(map(tuple, line.get_xydata())) for line in axes.lines}  # type: ignore[arg-type]
    assert lines == {"none": [(1, 0), (2, 0)], "window": [(1, 0), (2, 7)]}
