"""What the tests of the app's pages share."""

from typing import NoReturn

from streamlit.testing.v1 import AppTest

from lessons.errors import DatabaseError


def press(page: AppTest, label: str) -> AppTest:
    """Click the button with this label; nothing may break."""
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception
    return page


def shown(page: AppTest) -> str:
    """The words on the page."""
    texts = [element.value for element in [*page.markdown, *page.caption, *page.error, *page.warning]]
    return "\n".join([*texts, *(button.label for button in page.button)])


def away(*_: object) -> NoReturn:
    """What stands in for a function that writes something down, while the database is away."""
    raise DatabaseError("The database is away.")
