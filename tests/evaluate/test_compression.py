"""What compression costs in right answers."""

import pytest

from lessons.evaluate.evaluation import Evaluation, EvaluationTable, Record
from lessons.evaluate.savings import METHODS, WHOLE, compression_table
from tests.evaluate.records import record

RIGHT = {"cut off": (1.0, 0.0), "extractive": (1.0, 1.0), "abstractive": (0.5, 1.0), "hybrid": (1.0, 0.5)}


def answered(method: str, share: str, number: int, right: float) -> Record:
    return record(method, number, category=share, metrics={"correctness": right, "strict": float(right == 1)})


@pytest.fixture
def results() -> EvaluationTable:
    whole = [answered(WHOLE, "100%", number, 1.0) for number in range(2)]
    shares = ("50%", "25%")
    rest = [answered(way, share, at, RIGHT[way][at]) for way in METHODS for share in shares for at in range(2)]
    return compression_table(Evaluation("golden", "dev", (*whole, *rest)))


def test_the_whole_context_is_the_same_for_every_method(results: EvaluationTable) -> None:
    assert {row[1] for row in results.rows} == {"1.00 [1.00, 1.00] (1.00)"}


def test_the_table_has_a_row_for_each_method_and_a_column_for_each_share(results: EvaluationTable) -> None:
    assert results.head[1:] == ["100%", "50%", "25%"]
    assert results._repr_html_().count("<tr>") == 1 + len(METHODS)
    assert "cut off | 1.00 [1.00, 1.00] (1.00) | 0.50 [0.00, 1.00] (0.50)" in repr(results)
