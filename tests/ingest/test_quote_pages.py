"""A quote is cited with the page on which it stands, wherever its chunk begins."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.schema import BaseNode, Document, MetadataMode
from pptx import Presentation

from lessons.ingest.index import Index, enhanced_index, ingredients, naive_index
from lessons.ingest.read import read
from lessons.models.keyless import OfflineLLM
from lessons.settings import ROOT
from lessons.text import sentences
from lessons.text.sources import by_page, page_label, pages_of
from tests.ingest.test_split import BODY, split
from tests.support.files import write_pdf

CORPUS = ROOT / "data" / "corpus"
INDEXES = {index.name: index.enriched("none", OfflineLLM()) for index in [naive_index(), *ingredients()]}


def solid(text: str) -> str:
    return "".join(text.split())


def cited(chunk: BaseNode, quote: str) -> str:
    """What a citation of these words puts behind the name of the file."""
    return page_label(*pages_of(chunk.metadata, chunk.get_content(), quote))


@pytest.fixture(scope="module")
def shipped() -> list[list[Document]]:
    """Every file of the corpus that has several pages."""
    files = sorted(path for path in CORPUS.rglob("*") if path.suffix in (".pdf", ".pptx"))
    return [pages for path in files if len(pages := read(path)) > 1]


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_every_sentence_of_a_shipped_file_stands_on_its_page(shipped: Sequence[list[Document]], index: Index) -> None:
    assert len(shipped) > 100
    for pages in shipped:
        texts = {page.metadata["page_number"]: solid(page.text) for page in pages}
        for chunk in index.chunks(pages, "mina"):
            for sentence in sentences(chunk.get_content()):
                found = pages_of(chunk.metadata, chunk.get_content(), sentence)
                here = "".join(texts[page] for page in range(found[0], found[-1] + 1))
                assert solid(sentence) in here, (pages[0].metadata["source_file"], found, sentence)
                if len(found) > 1:
                    assert not any(solid(sentence) in texts[page] for page in by_page(chunk.metadata))


def test_shipped_chunks_of_several_pages_exist(shipped: Sequence[list[Document]]) -> None:
    several = [chunk for pages in shipped for chunk in INDEXES["enhanced"].chunks(pages, "mina")]
    assert sum("page_starts" in chunk.metadata for chunk in several) > 20


def test_the_pages_of_a_section_over_three_pages_are_told_apart() -> None:
    (chunk,) = split("## Ferry\nThe ferry leaves at six.", "It costs 40 crowns.", f"Dogs travel free. {BODY}")
    assert chunk.metadata["page_number"] == 1
    quotes = "The ferry leaves at six.", "It costs 40 crowns.", "Dogs travel free."
    assert [cited(chunk, quote) for quote in quotes] == [", p. 1", ", p. 2", ", p. 3"]
    assert cited(chunk, "Nothing like it is there.") == cited(chunk, "") == ", pp. 1–3"


def test_text_under_a_heading_at_the_end_of_a_page_is_on_the_next() -> None:
    *_, chunk = split(f"# Report\n{BODY}\n## Staff", f"Nadia Brandt leads the yard. {BODY}")
    assert (cited(chunk, "Staff"), cited(chunk, "Nadia Brandt leads the yard.")) == (", p. 1", ", p. 2")


def test_a_quote_over_a_page_break_has_both_pages() -> None:
    (chunk,) = split("## Mooring\nBoats longer than twelve", f"metres moor outside. {BODY}")
    assert cited(chunk, "Boats longer than twelve metres moor outside.") == ", pp. 1–2"


def test_the_rows_of_a_table_over_two_pages_have_their_own() -> None:
    rows = "\n".join(f"| Berth {number} | {number * 7} m |" for number in range(3, 12))
    (chunk,) = split("## Berths\n| Berth | Length |\n| --- | --- |\n| Berth 1 | 7 m |", rows)
    assert cited(chunk, "| Berth 1 | 7 m |") == ", p. 1"
    assert cited(chunk, "| Berth 3 | 21 m |") == ", p. 2"


def test_the_pieces_of_a_long_section_know_their_pages_where_they_overlap() -> None:
    long = [f"Entry {number} of the log names buoy {number + 400}." for number in range(140)]
    chunks = split("## Log\nThe log begins here.", " ".join(long))
    first, *others = chunks
    assert first.metadata["page_starts"] == [[0, 1], [first.get_content().index("Entry 0"), 2]]
    assert len(others) > 1
    assert {(chunk.metadata["page_number"], "page_starts" in chunk.metadata) for chunk in others} == {(2, False)}


def test_a_short_last_page_is_found_at_the_end_of_a_piece_that_begins_earlier() -> None:
    long = " ".join(f"Entry {number} of the log names buoy {number + 400}." for number in range(140))
    *_, last = split(f"## Log\n{long}", "The log ends.")
    assert (last.metadata["page_number"], cited(last, "The log ends.")) == (1, ", p. 2")
    assert cited(last, "Entry 139 of the log names buoy 539.") == ", p. 1"


@given(st.lists(st.text("가나 ab.#!?\n", max_size=300).filter(str.strip), min_size=2, max_size=5), st.integers(1, 9))
def test_each_part_of_any_chunk_stands_on_its_page(texts: list[str], times: int) -> None:
    texts = [text.strip() * times for text in texts]
    for chunk in split(*texts):
        parts: Mapping[int, str] = by_page(chunk.metadata, chunk.get_content())
        assert all(solid(part) and solid(part) in solid(texts[page - 1]) for page, part in parts.items())
        assert solid("".join(parts.values())) == solid(chunk.get_content())


def test_a_short_slide_is_cited_with_its_own_number(tmp_path: Path) -> None:
    deck = Presentation()
    for title, text in (("Rota", "Ines opens up."), ("Keys", "The keys hang in the shed."), ("Alarm", BODY)):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, text
    deck.save(str(tmp_path / "rota.pptx"))
    (chunk,) = INDEXES["enhanced"].chunks(read(tmp_path / "rota.pptx"), "mina")
    quotes = "Ines opens up.", "The keys hang in the shed.", BODY
    assert [cited(chunk, quote) for quote in quotes] == [", p. 1", ", p. 2", ", p. 3"]


def test_pages_are_neither_embedded_nor_shown_to_a_model(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", "The ferry leaves at six.", f"It costs 40 crowns. {BODY[:60]}")
    (chunk,) = enhanced_index().chunks(read(tmp_path / "a.pdf"), "mina")
    assert "page_starts" in chunk.metadata
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        assert "page" not in chunk.get_content(mode)
