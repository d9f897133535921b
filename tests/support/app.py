"""What the tests of the app's pages share."""

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
