"""What the tests of the app's pages share."""

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest


def press(page: AppTest, label: str) -> AppTest:
    """Click the button with this label; nothing may break."""
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception
    return page


def shown(page: AppTest) -> str:
    """The words on the page."""
    texts = [element.value for element in [*page.markdown, *page.caption, *page.error, *page.warning]]
    return "\n".join([*texts, *(button.label for button in page.button)])


def until(happened: Callable[[], bool]) -> None:
    """Wait for what another thread or process does; TimeoutError after a minute."""
    for _ in range(600):
        if happened():
            return
        time.sleep(0.1)
    raise TimeoutError("it did not happen within a minute")
