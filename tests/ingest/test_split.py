"""How the enhanced index cuts files: along sections and pages, with what each chunk knows about its place."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core import get_tokenizer
from llama_index.core.schema import BaseNode, Document, MetadataMode, TextNode

from lessons.ingest.index import enhanced_index
from lessons.ingest.split import header
from lessons.models.keyless import OfflineLLM

BODY = "The plant in Regensburg delivered more batteries than in any quarter before, and the order book grew with it."


def pages(*texts: str, title: str | None = "Q4 2024 update", date: str | None = None) -> list[Document]:
    """Pages whose headings are the lines that begin with `#`, as the reader would find them."""
    return [_page(text, number, title, date) for number, text in enumerate(texts, start=1)]


def _page(text: str, number: int, title: str | None, date: str | None) -> Document:
    found = re.finditer(r"^(#+) (.*)$", text, re.MULTILINE)
    headings = [[match.start(), match.end(), len(match[1]), match[2]] for match in found]
    structure = {"title": title, "date": date, "headings": headings}
    metadata = {"source_file": "a.pdf", "page_number": number, "file_type": "pdf", "structure": structure}
    hidden = list(metadata)
    return Document(
        text=text, metadata=metadata, excluded_embed_metadata_keys=hidden, excluded_llm_metadata_keys=hidden
    )


def split(*texts: str, **known: str | None) -> Sequence[BaseNode]:
    return enhanced_index().enriched("none", OfflineLLM()).chunks(pages(*texts, **known), "mina")


def test_a_chunk_is_embedded_under_title_subject_and_headings_and_displayed_plain() -> None:
    who = "Calderwick Storage SE, grid batteries, inverters and operation. Regensburg and Ghent, forty-first report."
    chunk = split(f"# Q4 2024 update\n{who}", f"## Orders\n### Europe\n{BODY}")[-1]
    assert chunk.get_content(MetadataMode.EMBED).startswith(f"Q4 2024 update\n{who}\nOrders > Europe\n\n")
    assert chunk.get_content(MetadataMode.LLM) == chunk.get_content(MetadataMode.NONE)
    assert "Calderwick" not in chunk.get_content(MetadataMode.NONE)


def test_a_chunk_knows_file_page_section_title_date_owner_and_place() -> None:
    first, second = split(f"# Q4 2024 update\n{BODY}", f"## Orders\n{BODY}", date="2025-02-13")
    assert second.metadata == {
        "source_file": "a.pdf", "file_type": "pdf", "title": "Q4 2024 update", "about": BODY, "date": "2025-02-13",
        "language": "en",
        "page_number": 2, "section": "Orders", "sections": ["Orders"], "user_id": "mina", "type": "document",
        "ref_id": "a.pdf", "chunk_index": 1, "doc_type": "quarterly-report", "has_steps": False,
    }  # fmt: skip
    assert "section" not in first.metadata


def test_a_page_without_a_heading_goes_on_under_the_headings_of_the_page_before() -> None:
    *_, last = split(f"# Q4 2024 update\n{BODY}\n## Costs\n{BODY}", BODY)
    assert last.metadata["section"] == "Costs"
    assert last.metadata["page_number"] == 2


def test_a_heading_stays_with_the_text_below_it_even_over_a_page_and_both_pages_are_recorded() -> None:
    first, second = split(f"# Report\n{BODY}\n## Staff", BODY)
    assert "Staff" not in first.get_content()
    assert second.get_content() == f"## Staff\n\n{BODY}"
    assert second.metadata["page_number"] == 1
    assert second.metadata["page_starts"] == [[0, 1], [len("## Staff\n\n"), 2]]


def test_sections_of_a_page_share_a_chunk_as_long_as_they_fit_under_what_they_have_in_common() -> None:
    (chunk,) = split(f"## Sales\n### Europe\n{BODY}\n### Asia\n{BODY}")
    assert chunk.metadata["section"] == "Sales"
    long = " ".join([BODY] * 12)
    assert [chunk.metadata["section"] for chunk in split(f"## Europe\n{long}\n## Asia\n{long}")] == ["Europe", "Asia"]


def test_headings_in_a_row_share_a_chunk_under_the_inner_one() -> None:
    (chunk,) = split(f"## Segments\n### Etching\n{BODY}")
    assert chunk.metadata["section"] == "Segments > Etching"


def test_short_sections_share_a_chunk_under_the_heading_they_have_in_common() -> None:
    (chunk,) = split(
        "## Billing\n### When?\nOn the first.\n### How?\nBy invoice, and only by invoice, to your address."
    )
    assert chunk.metadata["section"] == "Billing"


def test_a_long_section_repeats_whole_sentences_at_its_cuts() -> None:
    text = " ".join(f"Sentence number {number} tells of the year {1900 + number}." for number in range(120))
    one, two, *_ = (chunk.get_content() for chunk in split(f"## Years\n{text}"))
    shared = two[: two.index(one[-30:]) + 30]
    assert one.endswith(shared)
    assert shared.startswith("Sentence number")
    assert 50 < len(get_tokenizer()(shared)) <= 100


def test_each_part_of_a_table_has_its_head() -> None:
    rows = [f"| {1900 + year} | {year} wagons of potatoes, turnips and onions | {year * 7} |" for year in range(60)]
    head = "| Year | Freight | Toll |\n| --- | --- | --- |\n"
    chunks = split("## Freight\n" + head + "\n".join(rows))
    assert len(chunks) > 2
    assert all(chunk.get_content().startswith(head) for chunk in chunks[1:])
    assert not any(
        chunk.get_content().startswith("|") for chunk in split(f"{head}| 1900 | none | 0 |\n\n{BODY * 30}")[1:]
    )


def test_korean_is_cut_at_the_ends_of_its_sentences() -> None:
    text = " ".join(f"{number}번째 문장은 매출이 늘었다고 말합니다." for number in range(200))
    assert all(chunk.get_content().endswith("말합니다.") for chunk in split(f"## 실적\n{text}"))


def test_a_file_without_headings_is_cut_as_plain_sentences_and_embedded_plain() -> None:
    (chunk,) = split(BODY, title=None)
    assert chunk.get_content(MetadataMode.EMBED) == BODY


OUTLOOK = (
    "## 전망\n"
    + "이 내용은 감사를 받지 않았습니다. " * 4
    + "회사는 앞으로도 연구 개발과 설비 투자를 꾸준히 늘려 새로운 고객을 확보하고 해외 시장에서 입지를 넓혀 갈 "
    "계획이라고 설명했습니다. "
    * 5
    + "세담소재는 지난 분기에 반도체 소재 사업의 매출이 전년 같은 기간보다 크게 늘었다고 밝혔습니다. "
    "문의는 고객 센터로 해 주십시오."
)
LONG_LINE = "Beta " + "word " * 488 + "ends here. Nothing else of note was decided in this rather long quarter of work."


@pytest.mark.parametrize("text", [OUTLOOK, LONG_LINE])
def test_a_short_last_piece_begins_earlier_in_the_text_as_it_stands(text: str) -> None:
    chunks = [chunk.get_content() for chunk in split(text)]
    assert len(chunks) > 1
    assert len(chunks[-1]) >= 100
    assert text.endswith(chunks[-1])
    assert all(chunk in text and len(get_tokenizer()(chunk)) <= 500 for chunk in chunks)


words = st.text("가나다라 abcdefg.#!?\n", max_size=400)


@settings(max_examples=60)
@given(st.lists(words.filter(str.strip), min_size=1, max_size=5), st.integers(1, 6))
def test_chunks_are_never_too_long_too_short_or_empty_and_lose_nothing(texts: list[str], times: int) -> None:
    texts = [text.strip() * times for text in texts]
    chunks = [chunk.get_content() for chunk in split(*texts)]
    whole = "".join("".join(texts).split())
    assert all(len(get_tokenizer()(chunk)) <= 500 and chunk.strip() for chunk in chunks)
    assert len(chunks) == 1 or min(map(len, chunks)) >= 100
    assert set("".join("".join(chunks).split())) == set(whole)
    assert sum(len("".join(chunk.split())) for chunk in chunks) >= len(whole)


def test_a_chunk_of_several_sections_names_them_all() -> None:
    chunks = split(f"# Q4 2024 update\n{BODY}\n## Orders\n{BODY}\n### By region\n{BODY}\n## Costs\n{BODY}")
    assert chunks[0].metadata["sections"] == ["Orders", "Orders > By region", "Costs"]
    assert "section" not in chunks[0].metadata


def test_the_header_is_the_same_for_a_chunk_that_was_stored() -> None:
    (chunk,) = enhanced_index().chunks(pages(f"## Orders\n{BODY}"), "mina")
    assert header(chunk) == {"title": "Q4 2024 update", "section": "Orders"}
    assert header(TextNode(text=chunk.get_content(), metadata=chunk.metadata)) == header(chunk)
