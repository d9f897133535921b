"""The three tools: what they find, and what they never show."""

import pytest

from lessons.copilot.tools import Call, CopilotTools
from lessons.errors import LessonsError
from lessons.settings import settings
from tests.copilot.conftest import NEIGHBOUR


def test_a_search_of_everything_keeps_so_many_of_either_kind(
    tools: CopilotTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings(), "copilot_faq_chunks", 1)
    monkeypatch.setattr(settings(), "copilot_guide_chunks", 2)
    kinds = [document.metadata["doc_type"] for document in tools.search_all("servicing the pump")]
    assert sorted(kinds) == ["faq", "guide", "guide"]


def test_the_defaults_are_three_of_the_faq_and_seven_of_the_guides() -> None:
    chosen = settings()
    assert (chosen.copilot_calls, chosen.copilot_faq_chunks, chosen.copilot_guide_chunks) == (3, 3, 7)


def test_a_search_by_metadata_keeps_to_sections_with_steps(tools: CopilotTools) -> None:
    found = tools.search_by_metadata("the pump", doc_type="guide", has_steps=True)
    assert found
    assert all(document.metadata["has_steps"] for document in found)


def test_a_section_comes_whole_and_in_order(tools: CopilotTools) -> None:
    found = tools.get_section("guide_pump.md", "")
    places = [document.metadata["chunk_index"] for document in found]
    assert places == list(range(len(found)))
    assert len(found) >= 4


def test_a_section_inside_a_file_leaves_the_others_out(tools: CopilotTools) -> None:
    text = "".join(document.content for document in tools.get_section("guide_pump.md", "Rotor"))
    assert "rotor valve" in text
    assert "inlet valve" not in text


def test_an_unknown_section_is_told_in_a_sentence(tools: CopilotTools) -> None:
    with pytest.raises(LessonsError, match="has no section 'Wings'"):
        tools.get_section("guide_pump.md", "Wings")


def test_nothing_of_another_owner_is_found(tools: CopilotTools) -> None:
    found = [*tools.search_all("Secret pump warranty 99 months"), *tools.get_section("faq.md", "")]
    assert found
    assert all(document.metadata["user_id"] != NEIGHBOUR and "99 months" not in document.content for document in found)


def test_every_document_knows_the_outline_of_its_file(tools: CopilotTools) -> None:
    found = next(each for each in tools.search_all("rotor valve") if each.source == "guide_pump.md")
    assert {"", "Inlet", "Filter", "Rotor", "Outlet"} <= set(found.metadata["outline"])


def test_a_call_that_cannot_be_run_says_why(tools: CopilotTools) -> None:
    with pytest.raises(LessonsError, match="holds no words"):
        tools.run(Call("search_all", {"query": " ?! "}))
