"""Keywords and summaries on chunks: with the keyless model, with a served one, and when that one fails."""

from collections.abc import Sequence
from typing import Any

import pytest
from llama_index.core.llms import LLM
from llama_index.core.schema import BaseNode, MetadataMode

from lessons.ingest.enrich import ENRICHED_KEYS, Keywords, clean_keywords
from lessons.ingest.index import enhanced_index, naive_index
from lessons.keyless.llm import OfflineLLM
from lessons.models.llm import language_model
from lessons.settings import Settings, settings
from lessons.trace import Step
from tests.ingest.test_split import pages
from tests.support.openai_server import Server

ORDERS = (
    "## Orders\nThe order book grew, because two grid operators ordered batteries under ORD-2024-001 for three years."
)
STAFF = "## Staff\nThe plant in Regensburg hired forty welders, and the apprentices of the year before stay on with us."
COSTS = "## Costs\nFreight costs fell, while the new collective agreement raised personnel costs by four percent."


def enriched(level: Any = "full", llm: LLM | None = None, **given: Any) -> Sequence[BaseNode]:
    return enhanced_index().enriched(level, llm or OfflineLLM()).chunks(pages(ORDERS, STAFF, COSTS), "mina", **given)


def served(server: Server) -> LLM:
    return language_model(Settings(openai_base_url=server.url, max_retries=0))


def test_a_chunk_gets_keywords_as_a_list_and_the_summaries_of_itself_and_its_neighbours() -> None:
    first, second, third = (node.metadata for node in enriched())
    assert first["keywords"][0] == "ORD-2024-001"
    assert second["section_summary"].startswith("The plant in Regensburg hired")
    assert second["prev_section_summary"] == first["section_summary"]
    assert second["next_section_summary"] == third["section_summary"]
    assert "prev_section_summary" not in first
    assert "next_section_summary" not in third


@pytest.mark.parametrize(("level", "added"), [("none", 0), ("keywords", 1), ("full", 4)])
def test_the_level_says_what_is_added(level: str, added: int) -> None:
    node = enriched(level)[1]
    assert len(set(ENRICHED_KEYS) & set(node.metadata)) == added


def test_what_is_added_is_neither_displayed_nor_given_to_the_model() -> None:
    plain, rich = enriched("none")[1], enriched("full")[1]
    for mode in (MetadataMode.NONE, MetadataMode.LLM):
        assert rich.get_content(mode) == plain.get_content(mode)


def test_what_is_embedded_above_the_text_is_what_the_text_does_not_say_itself() -> None:
    index = enhanced_index()
    splitter = index.transformations[0].model_copy(
        update={"embedded": ("title", "section", "section_summary", "keywords")}
    )
    chunks = type(index)("trial", (splitter, *index.transformations[1:])).chunks(pages(ORDERS, STAFF), "mina")
    said = chunks[0].metadata
    head = f"Q4 2024 update\n{', '.join(said['keywords'])}\n\n"
    assert chunks[0].get_content(MetadataMode.EMBED) == f"{head}{ORDERS}"


def test_each_chunk_is_summarised_once_and_every_call_is_booked() -> None:
    step, told = Step("enrich"), list[tuple[str, int, int]]()
    enriched(step=step, advance=lambda *progress: told.append(progress))
    assert step.llm_calls == 6
    assert step.tokens_in > 6 * 50
    assert told == [(what, done, 3) for what in ("summaries", "keywords") for done in (1, 2, 3)]


def test_a_level_changes_the_fingerprint_and_only_of_an_index_that_enriches() -> None:
    prints = {enhanced_index().enriched(level, OfflineLLM()).fingerprint("x") for level in ("none", "keywords", "full")}
    assert len(prints) == 3
    assert naive_index().enriched("full", OfflineLLM()).fingerprint("x") == naive_index().fingerprint("x")


def test_the_fingerprint_knows_the_model_and_not_its_key() -> None:
    def fingerprint(**chosen: str) -> str:
        return enhanced_index().enriched("full", language_model(Settings(**chosen))).fingerprint("x")  # type: ignore[arg-type]

    assert fingerprint(openai_api_key="a") == fingerprint(openai_api_key="b") != fingerprint()
    assert fingerprint(openai_api_key="a", llm_model="other") != fingerprint(openai_api_key="a")


def test_the_same_file_is_enriched_the_same_way_every_time() -> None:
    assert [node.metadata for node in enriched()] == [node.metadata for node in enriched()]


def test_a_served_model_is_asked_in_the_language_of_the_chunk(server: Server) -> None:
    korean = (
        "## 수주\n"
        + 2 * "두 전력 회사가 3년 동안 쓸 배터리를 주문해서 수주잔고가 늘었습니다. 번호 ORD-2024-001입니다. "
    )
    step = Step("enrich")
    enhanced_index().enriched("keywords", served(server)).chunks(pages(ORDERS, korean), "mina", step=step)
    asked = [request["messages"][0]["content"] for request in server.requests]
    assert len(asked) == 2
    assert sorted(text.startswith("아래 본문을") for text in asked) == [False, True]


@pytest.mark.parametrize("behaviour", ["error", "truncated", "empty", "no_choices"])
def test_the_keyless_model_fills_in_where_the_model_fails_and_the_step_says_so(server: Server, behaviour: str) -> None:
    server.behave(behaviour)
    step = Step("enrich")
    found = enriched("full", served(server), step=step)
    assert [node.metadata["keywords"] for node in found] == [node.metadata["keywords"] for node in enriched()]
    assert [node.metadata["section_summary"] for node in found] == [n.metadata["section_summary"] for n in enriched()]
    assert len(step.notes) == 6
    assert all("keyless model" in note for note in step.notes)


def test_keywords_are_trimmed_deduplicated_and_never_empty_or_numbers_or_too_long() -> None:
    given = [" order  book, ", "Order book", "", "  ", "2024", "11.8%", "x" * 51, "수주\u0000잔고", "CCX-4030.", "more"]
    assert clean_keywords(given, 3) == ["order book", "수주잔고", "CCX-4030"]


def test_a_keyword_is_as_long_as_a_filter_may_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "keyword_filter_chars", 10)
    assert clean_keywords(["order book", "order books"], 2) == ["order book"]
    assert Keywords.model_json_schema()["properties"]["keywords"]["items"]["maxLength"] == 10
