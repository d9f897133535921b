"""The naive chunk that holds the words of an enhanced one, and what is embedded above them."""

from llama_index.core.schema import TextNode

from lessons.ingest.before_after import header, same_words
from lessons.ingest.index import enhanced_index
from tests.ingest.test_split import BODY, pages


def test_the_chunk_with_the_same_words_is_found_in_both_languages() -> None:
    others = [TextNode(text="매출이 늘었습니다."), TextNode(text="The order book grew."), TextNode(text="")]
    assert same_words(TextNode(text="매출은 크게 늘었습니다"), others) is others[0]
    assert same_words(TextNode(text="the order book"), others) is others[1]


def test_the_shorter_of_two_that_hold_all_the_words_is_taken() -> None:
    others = [TextNode(text="The order book grew, and much else."), TextNode(text="The order book grew.")]
    assert same_words(TextNode(text="order book"), others) is others[1]


def test_without_a_shared_word_there_is_none() -> None:
    assert same_words(TextNode(text="order"), [TextNode(text="매출")]) is None
    assert same_words(TextNode(text="order"), []) is None


def test_the_header_is_the_same_for_a_chunk_that_was_stored() -> None:
    (chunk,) = enhanced_index().chunks(pages(f"## Orders\n{BODY}"), "mina")
    assert header(chunk) == {"title": "Q4 2024 update", "section": "Orders"}
    assert header(TextNode(text=chunk.get_content(), metadata=chunk.metadata)) == header(chunk)
