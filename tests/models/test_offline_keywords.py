"""Keywords without a model: what a reader would write on the margin, in both languages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.keyless.enrich import keywords
from lessons.text.korean import read_korean


def found(text: str, *others: str, section: str = "", count: int = 5) -> list[str]:
    return keywords(None, text, count, section, (text, *others))["keywords"]


def test_korean_keywords_are_nouns_without_their_particles() -> None:
    text = (
        "매출은 2,370억 원으로 늘었습니다. 영업이익률이 11.8%로 높아졌고 수주잔고에는 장기공급계약을 넣지 않았습니다."
    )
    assert found(text) == ["매출", "영업이익률", "수주잔고", "장기공급계약"]


def test_a_noun_before_hada_counts_only_where_it_stands_as_a_noun_too() -> None:
    assert "발행" not in found("세금계산서를 발행합니다.")
    assert "발행" in found("발행은 결제 뒤에 합니다. 세금계산서를 발행합니다.", section="발행")


def test_bare_korean_nouns_in_front_join_the_next() -> None:
    assert found("카드 매출전표가 증빙을 대신합니다.") == ["카드 매출전표", "증빙"]


def test_english_keywords_are_noun_phrases_without_verbs() -> None:
    words = found(
        "The parser checks the syntax. The order book grew, and the order book stays full of repeat business."
    )
    assert words[0] == "order book"
    assert "parser" in words
    assert not {"checks", "grew", "stays"} & set(words)


@pytest.mark.parametrize("code", ["CCX-4030", "ORD-2024-001", "2023-농조-118", "HTTP/2", "DBS310"])
def test_an_identifier_comes_first_and_whole(code: str) -> None:
    text = f"The connector fails with {code} if the permission is missing. The permission is granted in the console."
    assert found(text)[0] == code
    assert found(f"권한이 없으면 {code}이 표시됩니다. 권한은 콘솔에서 부여합니다.")[0] == code


@pytest.mark.parametrize("number", ["1,620", "11.8%", "2024-10-14", "Q4", "10:30", "4.3", "3분기"])
def test_a_number_alone_is_no_keyword(number: str) -> None:
    assert not any(number in word for word in found(f"Revenue reached {number} in the quarter. {number} 기준입니다."))


def test_a_word_that_every_chunk_of_the_document_has_comes_after_a_rare_one() -> None:
    others = ["The workspace has users.", "The workspace has budgets.", "The workspace has alerts."]
    assert found("The workspace has a webhook.", *others) == ["webhook", "workspace"]


def test_a_document_settles_what_one_sentence_leaves_open() -> None:
    assert "재고" in found("남은 재고", "재고를 셉니다.")


def test_the_heading_gives_keywords_to_a_chunk_that_does_not_repeat_it() -> None:
    assert found("0.5% for each week.", section="Delay penalties") == ["Delay penalties"]


@pytest.mark.parametrize(
    ("word", "stem"),
    [("영업이익률이", "영업이익률"), ("환자들에게", "환자"), ("경로", "경로"), ("재무성과", "재무성과"),
     ("평가", "평가"), ("구내식당", "구내식당"),
     ("서버에서는", "서버"), ("보고서", "보고서"), ("휴무일입니다", "휴무일")],
)  # fmt: skip
def test_a_korean_word_loses_its_particle_and_nothing_else(word: str, stem: str) -> None:
    assert read_korean(word)[0] == stem


@settings(max_examples=60)
@given(st.text("매출이 늘었다 order book CCX-40,.\n|#", max_size=200), st.integers(1, 8))
def test_keywords_are_never_more_than_asked_for_and_never_twice(text: str, count: int) -> None:
    words = found(text, count=count)
    assert len(words) <= count
    assert len({word.lower() for word in words}) == len(words)
    assert all(any(character.isalpha() for character in word) for word in words)
