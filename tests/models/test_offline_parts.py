"""A question with several parts is answered part by part, and what is missing is named."""

import pytest

from lessons.keyless.parts import parts
from lessons.keyless.words import read_question
from tests.models.answer_cases import FAQ_KO, REPORTS_EN, REPORTS_KO, ask, refuses


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How long are backups kept, and who may restore them?", 2),
        ("Compare the Q3 2024 revenue of Marlow Foods and Tessin Optics.", 2),
        ("환불은 얼마나 걸리고 결제 수단은 누가 바꾸나요?", 1),
        ("매출은 얼마이고 재무 책임자는 누구인가요?", 2),
        ("토큰은 만료가 있나요? 몇 개까지 만들 수 있죠?", 2),
        ("파일은 언제까지 받을 수 있고 백업은 며칠 뒤에 지워지나요?", 2),
        ("When does the office open?", 1),
    ],
)
def test_a_question_is_cut_where_another_part_begins(question: str, count: int) -> None:
    assert len(parts(read_question(question))) == count


def test_each_part_expects_its_own_kind_of_answer() -> None:
    first, second = parts(read_question("Who signs the contract, and when does it end?"))
    assert (first.question.kinds, second.question.kinds) == ({"person"}, {"date"})


def test_another_question_keeps_its_own_words() -> None:
    *_, last = parts(read_question("How many staff has the mill in Ashby, and when was the one in Corley closed?"))
    assert {unit.text: unit.weight for unit in last.question.units}["staff"] < 0.5


def test_each_part_has_its_own_citation() -> None:
    said = ask(
        "What was the operating margin of Tessin Optics, and who became its chief financial officer?", REPORTS_EN
    )
    assert "6.6% [3]" in said
    assert "Ines Calder" in said


def test_each_part_has_its_own_citation_in_korean() -> None:
    said = ask("환불은 며칠 걸리나요? 결제 수단은 누가 바꿀 수 있나요?", FAQ_KO)
    assert "5일" in said
    assert "계정 소유자" in said


def test_a_missing_part_is_named() -> None:
    said = ask("What was the Q3 2024 revenue of Marlow Foods, and how many ships does Velmar Shipping own?", REPORTS_EN)
    assert "44.7 billion" in said
    assert said.endswith("The documents do not say: “how many ships does Velmar Shipping own”.")


def test_a_missing_part_is_named_in_korean() -> None:
    said = ask("가람식품의 2024년 3분기 매출은 얼마인가요? 새빛전자의 매출은 얼마인가요?", REPORTS_KO)
    assert "447억 원" in said
    assert said.endswith("“새빛전자의 매출은 얼마인가요”에 대한 답은 문서에 나와 있지 않습니다.")


def test_a_question_of_which_every_part_is_missing_is_refused() -> None:
    question = "Who founded Velmar Shipping, and when did Velmar Shipping move to Lisbon?"
    assert refuses(question, REPORTS_EN)
