"""Whose documents the app shows: at home anybody's who is named, on a shared app only those of its list."""

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from streamlit.testing.v1 import AppTest

from lessons.ingest.pipeline import ingest
from lessons.library import indexes
from lessons.pages import common
from lessons.rag.types import Scope
from lessons.rag.workspace import workspace
from lessons.settings import settings
from lessons.tables import plain
from tests.app.test_browser import at_rest, pytestmark, see, there

ME = "단원 owner"
NAME = "가게 쪽지.md"


def script() -> None:
    from lessons.pages import compare

    compare.page()


@pytest.fixture(scope="module")
def mine(shop: None, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A document of an owner that is not shipped, in every index, as `lessons ingest --user` leaves it."""
    path, place = tmp_path_factory.mktemp("mine") / "note.md", workspace()
    path.write_text("# Shop\n\nThe shop opens at 6:05.\n\n## Staff\n\nTwo people work there.\n", encoding="utf-8")
    for index in indexes():
        list(ingest([(path, NAME)], index, place.store(index), place.embedding, Scope(ME)))


def opened(owner: str) -> AppTest:
    page = AppTest.from_function(script, default_timeout=120)
    page.query_params["owner"] = owner
    page.run()
    assert not page.exception
    return page


def test_an_owner_of_ones_own_is_chosen_by_the_address(mine: None) -> None:
    page = opened(ME)
    assert page.sidebar.selectbox[0].value == ME
    assert NAME in page.selectbox(key="file").options


def test_an_owner_that_was_chosen_stays_in_the_list(mine: None) -> None:
    page = opened(ME)
    page.sidebar.selectbox[0].set_value("reader").run()
    assert NAME not in page.selectbox(key="file").options
    assert ME in page.sidebar.selectbox[0].options


def test_at_home_those_who_have_uploaded_files_are_listed_and_no_other_owner(
    mine: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = Scope("harbour")
    job = common.jobs().submit([(b"# Ferry\n\nThe ferry leaves at 6:45.", "ferry.md")], scope)
    assert common.jobs().wait(job, scope, 120).status == "COMPLETED"
    assert "harbour" in opened("reader").sidebar.selectbox[0].options
    assert ME not in opened("reader").sidebar.selectbox[0].options
    monkeypatch.setattr(common, "is_shared", lambda: True)
    assert "harbour" not in opened("reader").sidebar.selectbox[0].options


def test_a_shared_app_takes_no_other_name(mine: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "is_shared", lambda: True)
    page = opened(ME)
    assert page.sidebar.selectbox[0].value == settings().user
    assert not page.sidebar.selectbox[0].proto.accept_new_options
    assert ME not in page.sidebar.selectbox[0].options
    assert NAME not in page.selectbox(key="file").options


def test_an_owner_without_documents_is_told_so(mine: None) -> None:
    told = plain("has no documents yet. Add some, or check the name.")
    assert told in opened("nobody knows").info[0].value
    assert not any(told in info.value for info in opened(ME).info)


def test_a_name_that_cannot_be_one_is_told_in_a_sentence(mine: None) -> None:
    assert "name the owner" in opened("  ").error[0].value


def test_characters_that_nobody_sees_are_not_part_of_a_name(mine: None) -> None:
    assert opened("m\x00e").sidebar.selectbox[0].value == opened("me").sidebar.selectbox[0].value == "me"


@pytest.mark.timeout(600)
@pytestmark
def test_a_name_that_is_typed_is_the_owner_also_after_a_reload(browser: WebDriver, address: str, mine: None) -> None:
    browser.get(f"{address}/documents")
    see(browser, "Documents of reader")
    at_rest(browser)
    there(browser, "[data-testid=stSidebar] input[role=combobox]").send_keys(ME, Keys.ENTER)
    see(browser, f"Documents of {ME}: 1")
    browser.refresh()
    see(browser, f"Documents of {ME}: 1")
    there(browser, f"[data-testid=stSidebar] input[value='{ME}']")
