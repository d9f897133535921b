"""What kind of document a chunk is from, and which sections tell steps."""

import pytest
from llama_index.core.schema import TextNode

from lessons.ingest.classify import UNKNOWN, Classifier, document_type, has_steps

BODY = "Some words that say nothing about their kind."


def kind(title: str, text: str = BODY, file: str = "upload.pdf") -> str:
    return document_type(file, title, text)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Frequently asked questions", "faq"), ("자주 묻는 질문: 배송", "faq"),
        ("Installation guide for the X200", "guide"), ("프린터 설치 가이드", "guide"), ("How to return goods", "guide"),
        ("What's new in 2.1", "release_notes"), ("3.0 릴리스 노트", "release_notes"),
        ("Price list 2026", "reference"), ("요금표", "reference"),
        ("Acme: second-quarter results", "quarterly-report"), ("한빛전자 2분기 실적", "quarterly-report"),
        ("Acme, Q3 2025 earnings", "quarterly-report"), ("Press release: new plant", "press-release"),
        ("새 공장 준공 보도자료", "press-release"), ("Memo to all staff", "memo"), ("Rental agreement", "contract"),
        ("공급 계약서", "contract"), ("Week 3: sorting", "lecture"), ("5주차: 정렬", "lecture"),
        ("강의계획서", "syllabus"), ("Annual report 2024", "annual-letter"),
        ("Course outline, spring", "syllabus"), ("독감 예방 안내문", "leaflet"),
    ],
)  # fmt: skip
def test_a_title_names_the_kind_in_both_languages(title: str, expected: str) -> None:
    assert kind(title) == expected


def test_a_file_name_tells_the_kind_when_the_title_does_not() -> None:
    assert kind("Cirrus", file="docs/release-notes_2.1.md") == "release_notes"


def test_the_title_counts_more_than_the_file_name() -> None:
    assert kind("FAQ for tenants", file="handout.md") == "faq"


@pytest.mark.parametrize("title", ["", "Thoughts on the harbour", "바다에 관하여"])
def test_what_nothing_speaks_for_is_a_plain_document(title: str) -> None:
    assert kind(title) == UNKNOWN


def test_many_questions_on_lines_of_their_own_are_a_faq() -> None:
    assert kind("Help", "\n".join(f"How do I do thing {number}?\nLike this." for number in range(5))) == "faq"


@pytest.mark.parametrize(
    "text",
    [
        "1. Open the settings.\n2. Choose a name.\n3. Save.",
        "1. 설정을 엽니다.\n2. 이름을 고릅니다.\n3. 저장하십시오.",
        "Step 1: Open the lid.\nStep 2: Pour the water in.\nStep 3: Close it.",
        "1. In the console create a key.\n2. On the same page, open Addresses.\n3. Still in the console choose Save.",
        "To renew:\n- Open the page.\n- Enter the code.\n- Press Save.",
    ],
)
def test_numbered_or_listed_commands_are_steps(text: str) -> None:
    assert has_steps(text)


@pytest.mark.parametrize(
    "text",
    [
        "1. November 16: talks\n2. December 15: last day\n3. January 12: payment",
        "2. Orders\nThe order book grew.\n3. Staff\nTwo people joined.\n4. Outlook\nIt stays.",
        "매출이 늘었습니다. 이익도 늘었습니다. 현금도 늘었습니다.",
        "",
    ],
)
def test_other_lists_and_prose_are_no_steps(text: str) -> None:
    assert not has_steps(text)


def test_every_chunk_of_a_section_with_steps_says_so_and_the_others_do_not() -> None:
    def chunk(text: str, section: str) -> TextNode:
        return TextNode(text=text, metadata={"source_file": "a.md", "title": "Guide", "section": section})

    nodes = [chunk("1. Open it.\n2. Close it.", "A"), chunk("3. Lock it.", "A"), chunk(BODY, "B")]
    found = [(node.metadata["doc_type"], node.metadata["has_steps"]) for node in Classifier()(nodes)]
    assert found == [("guide", True), ("guide", True), ("guide", False)]
