"""The app without a mouse: ask, open a citation's passage, and close it; what is read can be read, and has a name."""

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver

from lessons.pages.asking import golden_samples
from tests.app.test_browser import at_rest, is_idle, pytestmark, see, wait

__all__ = ["pytestmark"]


def press_keys(browser: WebDriver, *keys: str) -> None:
    at_rest(browser)
    ActionChains(browser).send_keys(*keys).perform()


def names_of_focus(browser: WebDriver) -> tuple[str, str]:
    element = browser.switch_to.active_element
    is_folded = element.tag_name == "summary"  # its words begin with the name of an icon
    name = str(element.accessible_name)
    return name if is_folded else str(element.text) or name, name


def focused(browser: WebDriver) -> tuple[str, str]:
    """Name what has the focus: its words, and its accessible name; asked again where it is drawn anew meanwhile."""
    return wait(browser, 30).until(names_of_focus)


def tab_to(browser: WebDriver, beginning: str, back: bool = False) -> None:
    """Press Tab, or back Shift and Tab, until the focus is on what begins so: its words, or the name of a field."""
    at_rest(browser)
    for _ in range(60):
        wait(browser, 240).until(is_idle)
        keys = ActionChains(browser)
        (keys.key_down(Keys.SHIFT) if back else keys).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
        if any(name.startswith(beginning) for name in focused(browser)):
            return
    raise AssertionError(f"Tab never came to {beginning!r}")


@pytest.mark.timeout(600)
def test_a_question_is_asked_and_a_passage_opened_and_closed_with_keys_alone(
    browser: WebDriver, address: str, shop: None
) -> None:
    browser.get(f"{address}/?stages=Naive&stages=Smart&question=When does the kiosk open?")
    see(browser, "Options")
    tab_to(browser, "Options")
    press_keys(browser, Keys.ENTER)
    tab_to(browser, "Naive")
    press_keys(browser, Keys.SPACE)
    tab_to(browser, "Ask")
    press_keys(browser, Keys.ENTER)
    see(browser, "Save as Markdown")
    assert [each.text for each in browser.find_elements(By.TAG_NAME, "h3")] == ["Smart"]
    tab_to(browser, "Smart: [1]")
    press_keys(browser, Keys.ENTER)
    see(browser, "The passage in its document")
    press_keys(browser, Keys.ESCAPE)
    wait(browser, 60).until(lambda driver: driver.switch_to.active_element.accessible_name.startswith("Smart"))
    assert not browser.find_elements(By.CSS_SELECTOR, "[role=dialog]")


@pytest.mark.timeout(600)
def test_language_samples_and_pages_are_chosen_with_keys_alone(browser: WebDriver, address: str, shop: None) -> None:
    browser.get(f"{address}/chat")
    see(browser, "Nothing has been said yet")
    tab_to(browser, "English")
    press_keys(browser, Keys.ARROW_RIGHT, Keys.SPACE)
    see(browser, "예제 질문")
    assert focused(browser)[0] == "한국어"
    press_keys(browser, Keys.ARROW_LEFT, Keys.SPACE)
    see(browser, "Try one of these")
    tab_to(browser, golden_samples("reader")[0].question)
    press_keys(browser, Keys.ENTER)
    see(browser, "Retrieved chunks")
    tab_to(browser, "leaderboard")
    press_keys(browser, Keys.ENTER)
    see(browser, "Question by question")


@pytest.mark.timeout(600)
def test_a_fact_is_corrected_and_what_was_said_is_forgotten_with_keys_alone(
    browser: WebDriver, address: str, shop: None
) -> None:
    browser.get(f"{address}/chat")
    see(browser, "Nothing has been said yet")
    tab_to(browser, "In English or Korean")
    press_keys(browser, "My budget is 500 dollars.", Keys.ENTER)
    see(browser, "Profile (1)")
    tab_to(browser, "budget")
    press_keys(browser, Keys.END, *[Keys.BACKSPACE] * len("500 dollars"), "300 dollars", Keys.ENTER)
    at_rest(browser)
    tab_to(browser, "delete_forever", back=True)
    press_keys(browser, Keys.ENTER)
    see(browser, "This deletes for good")
    tab_to(browser, "Delete all of it")
    press_keys(browser, Keys.ENTER)
    see(browser, "Profile (0)")
    see(browser, "Nothing has been said yet")


@pytest.mark.timeout(600)
def test_what_can_be_copied_and_where_the_keyboard_is_are_seen(browser: WebDriver, address: str) -> None:
    browser.get(f"{address}/health")
    see(browser, "Versions, and what to paste into an issue")
    tab_to(browser, "chat")
    assert browser.switch_to.active_element.value_of_css_property("outline-width") == "2px"
    tab_to(browser, "Versions")
    press_keys(browser, Keys.ENTER)
    tab_to(browser, "Write the report")
    press_keys(browser, Keys.ENTER)
    see(browser, "### Environment")
    tab_to(browser, "Copy to clipboard")
    assert browser.switch_to.active_element.is_displayed()


@pytest.mark.timeout(600)
def test_a_question_is_not_covered_while_it_is_typed(browser: WebDriver, address: str, shop: None) -> None:
    browser.get(address)
    see(browser, "Options")
    tab_to(browser, "Your question")
    press_keys(browser, "When does the kiosk open?")
    hints = browser.find_elements(By.CSS_SELECTOR, "[data-testid=InputInstructions]")
    assert not [hint for hint in hints if hint.is_displayed()]


@pytest.mark.timeout(600)
def test_a_document_is_deleted_and_brought_back_with_keys_alone(browser: WebDriver, address: str, shop: None) -> None:
    browser.get(f"{address}/documents")
    see(browser, "Documents to delete")
    tab_to(browser, "Choose files")
    tab_to(browser, "Documents to delete")
    press_keys(browser, "kiosk", Keys.ENTER)
    tab_to(browser, "delete")
    press_keys(browser, Keys.ENTER)
    see(browser, "Deleted: kiosk.md")
    tab_to(browser, "undo")
    press_keys(browser, Keys.ENTER)
    wait(browser, 60).until(lambda driver: "Deleted: kiosk.md" not in driver.find_element(By.TAG_NAME, "body").text)


@pytest.mark.timeout(600)
def test_two_runs_are_compared_with_keys_alone(browser: WebDriver, address: str, shop: None) -> None:
    browser.get(f"{address}/scoreboard")
    see(browser, "Question by question")
    tab_to(browser, "Compared with")
    press_keys(browser, "keyless-dev", Keys.ENTER)
    see(browser, "no question in common")
    tab_to(browser, "Compared with", back=True)
    press_keys(browser, "Qwen-Coder-agentic-test", Keys.ENTER)
    see(browser, "agentic (Qwen-Coder-agentic-test)")
    see(browser, "Questions that became worse come first.")
