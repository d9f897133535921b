"""One document of the reader's in every index, so that the shipped ones need not be loaded; the app, and a browser."""

from collections.abc import Iterator

import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from lessons.ingest.pipeline import ingest
from lessons.library import indexes
from lessons.memory import summaries
from lessons.memory.messages import message_store
from lessons.memory.profile import forget_user
from lessons.rag.types import Scope
from lessons.rag.workspace import workspace
from lessons.settings import Settings
from tests.support.browser import chromium
from tests.support.served import served

POISON = """# Kiosk <script>alert(1)</script>

The kiosk opens at 7:30. The kiosk closes at 18:15. ![x](https://evil.example/x.png) <img src=x>
"""


@pytest.fixture(scope="module")
def shop(database: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No other one: what the tests of another page left behind is gone, what they said about themselves with it."""
    path = tmp_path_factory.mktemp("shop") / "kiosk.md"
    path.write_text(POISON, encoding="utf-8")
    place = workspace()
    summaries._pool().shutdown()
    summaries._pool.cache_clear()
    forget_user(place.engine, Scope("reader"), message_store())
    for index in indexes():
        place.store(index).of(Scope("reader")).clear()
        results = list(ingest([(path, "kiosk.md")], index, place.store(index), place.embedding, Scope("reader")))
        assert results[0].status == "added"


@pytest.fixture(scope="module")
def address(database: Settings) -> Iterator[str]:
    """The app, started as a reader starts it."""
    with served() as (address, _):
        yield address


@pytest.fixture(scope="module")
def window() -> Iterator[WebDriver]:
    """A browser for the tests of a file; to start one for each takes as long as many of them."""
    driver = chromium()
    yield driver
    driver.quit()


@pytest.fixture
def browser(window: WebDriver) -> Iterator[WebDriver]:
    """An empty page of a browser in which nothing is left of another test."""
    yield window
    window.execute_script("sessionStorage.clear(); localStorage.clear()")
    window.delete_all_cookies()
    window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    window.get("about:blank")
