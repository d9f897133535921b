"""What a question names: its periods, its names, and words that only look like something else."""

import pytest

from lessons.keyless.words import read_question
from lessons.models.keyless import NOT_FOUND
from tests.models.answer_cases import ask, context

PLANS = context(
    (
        "dalby-2022-q1.pdf, p. 2 | Dalby Mills: Q1 2022 › Outlook",
        "The old loom is retired at the end of 2025. Operating profit was 3.1 million.",
    )
)
PLANS_KO = context(
    (
        "달비방직_2022_1분기.pdf, p. 2 | 달비방직 2022년 1분기 실적 › 전망",
        "낡은 직기는 2025년 말에 멈춥니다. 영업이익은 31억 원입니다.",
    )
)
TWO_LANGUAGES = context(
    ("보안_안내.md", "# 보안\n\n백업은 35일 동안 보관합니다."),
    ("handbook.md", "# Handbook\n\nClosing files are kept for 60 months. The handbook is kept in the office."),
)


def test_a_quarter_that_is_named_is_demanded() -> None:
    units = {unit.text: unit for unit in read_question("What was it in Q3 2024, at the end of 2024?").units}
    assert units["q3"].required


def test_a_year_and_a_quarter_of_two_periods_do_not_make_a_third() -> None:
    assert ask("What was the operating profit of Dalby Mills in Q1 2025?", PLANS) == NOT_FOUND["en"]
    assert "3.1 million" in ask("What was the operating profit of Dalby Mills in Q1 2022?", PLANS)


def test_a_year_and_a_quarter_of_two_periods_do_not_make_a_third_in_korean() -> None:
    assert ask("달비방직의 2025년 1분기 영업이익은 얼마인가요?", PLANS_KO) == NOT_FOUND["ko"]
    assert "31억 원" in ask("달비방직의 2022년 1분기 영업이익은 얼마인가요?", PLANS_KO)


@pytest.mark.parametrize("word", ["가로", "사고", "보기", "광고"])
def test_a_korean_noun_that_ends_like_a_particle_stays_whole(word: str) -> None:
    assert [unit.text for unit in read_question(f"{word} 얼마인가요?").units] == [word]


def test_the_subject_of_a_korean_enumeration_has_no_particle() -> None:
    units = [unit.text for unit in read_question("김치랑 만두 가격이 얼마인가요?").units]
    assert units[:2] == ["김치", "만두"]


def test_a_first_document_in_the_other_language_is_read_with_the_others() -> None:
    assert "35일" in ask("How long are backups kept?", TWO_LANGUAGES)


def test_a_korean_word_before_a_division_names_it() -> None:
    question = read_question("가람식품의 제빵 부문 영업이익률은 얼마인가요?")
    assert next(unit for unit in question.units if unit.text == "제빵").required
