"""The page of the map: all of it, or the entries that hold what is typed."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.support.app import shown


@pytest.fixture
def page() -> AppTest:
    def script() -> None:
        from lessons.pages import about

        about.field()

    opened = AppTest.from_function(script).run()
    assert not opened.exception
    return opened


def names(page: AppTest) -> list[str]:
    return [heading.value for heading in page.subheader]


def test_the_whole_map_is_shown_without_links_that_the_app_cannot_follow(page: AppTest) -> None:
    assert names(page)[0] == "Contextual retrieval"
    assert names(page)[-1] == "MCP (Model Context Protocol)"
    assert "](../" not in shown(page)
    assert "| verdict |" in shown(page)


def test_a_link_of_the_overview_leads_to_its_entry(page: AppTest) -> None:
    assert [f"[{heading.value}](#{heading.anchor})" in shown(page) for heading in page.subheader] == [True] * len(
        names(page)
    )


@pytest.mark.parametrize("query", ["gptCACHE", "lessons/context/guard.py"])
def test_what_is_typed_narrows_it_to_the_entries_that_hold_it(page: AppTest, query: str) -> None:
    page.text_input(key="technique").set_value(query).run()
    assert names(page) == ["Semantic cache (GPTCache)"]
    assert "| verdict |" not in shown(page)


def test_nothing_found_is_told(page: AppTest) -> None:
    page.text_input(key="technique").set_value("xyzzy").run()
    assert names(page) == []
    assert page.caption[0].value == "Entries found: 0"
