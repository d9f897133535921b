"""The app without a mouse: ask, open a citation's passage, and close it; what is read can be read, and has a name."""

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from lessons.pages.asking import golden_samples
from tests.app.test_browser import at_rest, pytestmark, see

__all__ = ["pytestmark"]

FAINT = """
const sums = colour => colour.match(/[\\d.]+/g).map(Number);
const over = (front, back) => [0, 1, 2].map(i => front[i] * (front[3] ?? 1) + back[i] * (1 - (front[3] ?? 1)));
const behind = e => {
  if (!e) return [255, 255, 255];
  const own = sums(getComputedStyle(e).backgroundColor);
  return own[3] === 0 ? behind(e.parentElement) : over(own, behind(e.parentElement));
};
const opacity = e => e ? getComputedStyle(e).opacity * opacity(e.parentElement) : 1;
const light = c => c.slice(0, 3).map(v => v / 255)
  .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0.05);
return [...document.querySelectorAll('p, label, button, h1, h2, h3')]
  .filter(e => e.checkVisibility() && e.innerText && !e.closest('[disabled]'))
  .filter(e => {
    const back = behind(e), own = sums(getComputedStyle(e).color);
    const [a, b] = [light(over([...own.slice(0, 3), (own[3] ?? 1) * opacity(e)], back)), light(back)];
    return Math.max(a, b) / Math.min(a, b) < 4.5;
  }).map(e => e.innerText);
"""


def press_keys(browser: WebDriver, *keys: str) -> None:
    at_rest(browser)
    ActionChains(browser).send_keys(*keys).perform()


def focused(browser: WebDriver) -> str:
    element = browser.switch_to.active_element
    is_folded = element.tag_name == "summary"  # its words begin with the name of an icon
    return str(element.accessible_name if is_folded else element.text or element.accessible_name)


def tab_to(browser: WebDriver, beginning: str, back: bool = False) -> None:
    """Press Tab, or back Shift and Tab, until the focus is on what begins so: its words, or the name of a field."""
    for _ in range(60):
        at_rest(browser)
        keys = ActionChains(browser)
        (keys.key_down(Keys.SHIFT) if back else keys).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
        names = focused(browser), browser.switch_to.active_element.accessible_name
        if any(name.startswith(beginning) for name in names):
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
    WebDriverWait(browser, 60).until(lambda driver: driver.switch_to.active_element.accessible_name.startswith("Smart"))
    assert not browser.find_elements(By.CSS_SELECTOR, "[role=dialog]")


@pytest.mark.timeout(600)
def test_language_samples_and_pages_are_chosen_with_keys_alone(browser: WebDriver, address: str, shop: None) -> None:
    browser.get(f"{address}/chat")
    see(browser, "Nothing has been said yet")
    tab_to(browser, "English")
    press_keys(browser, Keys.ARROW_RIGHT, Keys.SPACE)
    see(browser, "예시 질문")
    assert focused(browser) == "한국어"
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
    WebDriverWait(browser, 60).until(
        lambda driver: "Deleted: kiosk.md" not in driver.find_element(By.TAG_NAME, "body").text
    )


@pytest.mark.timeout(600)
def test_two_runs_are_compared_and_their_regressions_listed_with_keys_alone(
    browser: WebDriver, address: str, shop: None
) -> None:
    browser.get(f"{address}/scoreboard")
    see(browser, "Question by question")
    tab_to(browser, "Compared with")
    press_keys(browser, "keyless-dev", Keys.ENTER)
    see(browser, "no question in common")
    tab_to(browser, "Compared with", back=True)
    press_keys(browser, "Qwen-Coder-agentic-test", Keys.ENTER)
    see(browser, "agentic (Qwen-Coder-agentic-test)")
    tab_to(browser, "Regressions only")
    while_drawn_anew = WebDriverWait(browser, 60, ignored_exceptions=[StaleElementReferenceException, ValueError])
    worse_and_better = while_drawn_anew.until(moved)
    press_keys(browser, Keys.SPACE)
    while_drawn_anew.until(lambda driver: 1 < moved(driver) < worse_and_better)


def moved(browser: WebDriver) -> int:
    """How many rows the table of questions has, with that of its names; ValueError while it is not there."""
    _means, questions = browser.find_elements(By.CSS_SELECTOR, "[data-testid=stDataFrame] [role=grid]")
    return int(questions.get_attribute("aria-rowcount"))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_and_headings_follow_each_other(
    browser: WebDriver, address: str, shop: None, scheme: str
) -> None:
    wanted = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)
    browser.get(address)
    see(browser, "What each stage changes")
    at_rest(browser)
    # A button that has just been enabled fades to its colour.
    WebDriverWait(browser, 30).until(lambda driver: not driver.execute_script(FAINT), "words that hardly stand out")
    levels = [int(each.tag_name[1]) for each in browser.find_elements(By.CSS_SELECTOR, "h1, h2, h3, h4")]
    assert all(later <= before + 1 for before, later in zip([0, *levels], levels, strict=False))
