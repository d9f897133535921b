"""The app in a real browser: ask, upload a file of one's own, ask about it."""

import shutil
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from matplotlib.image import imread
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.expected_conditions import element_to_be_clickable
from selenium.webdriver.support.ui import WebDriverWait

from lessons.ingest.pipeline import ingest
from lessons.library import indexes
from lessons.memory.summaries import RecursiveSummary
from lessons.rag.types import Scope
from lessons.rag.workspace import workspace
from tests.support.openai_server import Server, openai_server
from tests.support.served import served

pytestmark = pytest.mark.skipif(not shutil.which("chromedriver"), reason="needs Chromium and its driver")


def see(browser: WebDriver, words: str, seconds: float = 240) -> None:
    def is_there(driver: WebDriver) -> bool:
        return words in driver.find_element(By.TAG_NAME, "body").text

    WebDriverWait(browser, seconds, ignored_exceptions=[Exception]).until(is_there, f"never saw {words!r}")


def click(browser: WebDriver, label: str) -> None:
    press(browser, f"//button[normalize-space()='{label}' and not(@disabled)]")


def wait(browser: WebDriver, seconds: float) -> WebDriverWait[WebDriver]:
    """Wait as the driver does, and ask again for an element that the page drew anew meanwhile."""
    return WebDriverWait(browser, seconds, ignored_exceptions=[StaleElementReferenceException])


def press(browser: WebDriver, xpath: str) -> None:
    """Press a button once the page has come to rest: one that is drawn anew at that moment would miss it."""

    def is_pressed(driver: WebDriver) -> bool:
        driver.find_element(By.XPATH, xpath).click()
        return True

    at_rest(browser)
    wait(browser, 30).until(is_pressed)


def at_rest(browser: WebDriver) -> None:
    """Wait until the page's script has rested for a quarter of a second: a press comes before the run it starts."""

    def rests(driver: WebDriver) -> bool:
        if is_idle(driver):
            time.sleep(0.25)
        return is_idle(driver)

    wait(browser, 240).until(rests)


def is_idle(browser: WebDriver) -> bool:
    return bool(browser.find_elements(By.CSS_SELECTOR, "[data-test-script-state=notRunning]"))


def ask(browser: WebDriver, question: str) -> None:
    field = wait(browser, 240).until(element_to_be_clickable((By.CSS_SELECTOR, "[data-testid=stForm] input")))
    field.send_keys(question, Keys.TAB)
    click(browser, "Ask")


def ask_by_link(browser: WebDriver, address: str, question: str) -> None:
    """Open the address of a question to two stages, and have it answered."""
    browser.get(f"{address}/?stages=Naive&stages=Smart&question={question}")
    see(browser, "Options")
    click(browser, "Ask")
    see(browser, "Save as Markdown")


PAYLOAD = """# Umbrellas <script>document.title = "broken"</script>

The kiosk rents <b>umbrellas</b> for 9 euros, see https://evil.example/a and [more](javascript:alert(1)).
It rents no boats, see www.evil.example or write to evil@evil.example.
![x](https://evil.example/x.png) <img src=x onerror="document.title = 'broken'">

    <iframe src="https://evil.example"></iframe>
"""


@pytest.fixture
def payload(shop: None, tmp_path: Path) -> Iterator[str]:
    """The name of a document that tries to come alive, in every index; so does the name."""
    path, name, place = tmp_path / "payload.md", "<img src=x onerror=alert(1)>.md", workspace()
    path.write_text(PAYLOAD, encoding="utf-8")
    for index in indexes():
        list(ingest([(path, name)], index, place.store(index), place.embedding, Scope("reader")))
    yield name
    for index in indexes():
        place.store(index).delete_document(Scope("reader"), name)


@pytest.mark.timeout(600)
def test_stages_are_compared_a_citation_opened_and_the_comparison_saved(
    browser: WebDriver, address: str, payload: str, tmp_path: Path
) -> None:
    folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
    ask_by_link(browser, address, "How much are umbrellas?")
    press(browser, "//button[contains(., 'Save as Markdown')]")
    saved = tmp_path / "comparison.md"  # the browser names the file before it has written it
    wait(browser, 60).until(lambda _: saved.exists() and "How much are umbrellas" in saved.read_text("utf-8"))
    press(browser, "//button[contains(., 'onerror')]")
    see(browser, "The passage in its document")
    see(browser, "<iframe src")
    assert "umbrellas" in browser.find_element(By.CSS_SELECTOR, "[role=dialog] span strong").text.lower()
    alive = "a[href*='evil.example'], a[href^=javascript], img[src*=evil], img[src=x], iframe[src*=evil], main b"
    assert [each.get_attribute("outerHTML") for each in browser.find_elements(By.CSS_SELECTOR, alive)] == []
    assert browser.title != "broken"


NARROWED = """
const cards = [...document.querySelectorAll('[class*=st-key-card-]')];
cards.forEach(card => Object.assign(card.style, {width: '160px', minWidth: 0}));
const beyond = card => each => each.getBoundingClientRect().right > card.getBoundingClientRect().right + 1;
return cards.flatMap(card => [...card.querySelectorAll('*')].filter(beyond(card)).map(each => each.innerText));
"""
"""Make the cards of the stages as narrow as they get; what of them then reaches beyond its card."""


@pytest.mark.timeout(600)
def test_a_long_file_name_stays_within_a_narrow_card(
    browser: WebDriver, address: str, shop: None, tmp_path: Path
) -> None:
    path, name, place = tmp_path / "long.md", f"{'long_' * 20}name.md", workspace()
    path.write_text("# Ferry\n\nThe ferry leaves at 6:45.\n", encoding="utf-8")
    naive = indexes()[0]
    list(ingest([(path, name)], naive, place.store(naive), place.embedding, Scope("reader")))
    browser.get(f"{address}/?stages=Naive&question=When does the ferry leave?")
    see(browser, "Options")
    click(browser, "Ask")
    see(browser, f"[1] {name}")
    at_rest(browser)
    place.store(naive).delete_document(Scope("reader"), name)
    assert browser.execute_script(NARROWED) == []


BESIDE = """
const [earlier, question] = arguments;
const asked = () => [...document.querySelectorAll('h2')].some(head => head.innerText === question);
new MutationObserver(() => window.beside = window.beside || (earlier.isConnected && asked()))
  .observe(document.body, {subtree: true, childList: true, characterData: true});
"""
"""Watch whether an element is ever on the page together with the heading of a question."""


@pytest.mark.timeout(600)
def test_what_was_answered_is_gone_as_soon_as_something_else_is_asked(
    browser: WebDriver, address: str, shop: None
) -> None:
    ask_by_link(browser, address, "When does the kiosk open?")
    at_rest(browser)
    save = browser.find_element(By.XPATH, "//button[contains(., 'Save as Markdown')]")
    browser.execute_script(BESIDE, save, "When does the kiosk open? And close?")
    ask(browser, " And close?")
    wait(browser, 60).until(lambda driver: driver.find_elements(By.XPATH, "//h2[contains(., 'And close?')]"))
    see(browser, "Save as Markdown")
    assert browser.execute_script("return window.beside") is False


@pytest.mark.timeout(600)
def test_a_reader_uploads_a_file_and_asks_about_it(browser: WebDriver, address: str, tmp_path: Path) -> None:
    note = tmp_path / "우리집.md"
    note.write_text("# 우리 집\n\n고양이 이름은 나비이고 매일 아침 7시에 밥을 먹습니다.\n", encoding="utf-8")
    browser.get(f"{address}/documents")
    see(browser, "Add your own documents")
    browser.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(note))
    see(browser, "우리집.md")
    click(browser, "Ingest")
    see(browser, "ask about it on the Compare page")

    browser.get(address)
    ask(browser, "고양이 이름이 뭐예요?")
    see(browser, "나비이고 매일 아침 7시에")
    see(browser, "[1] 우리집.md")
    see(browser, "Where each passage ranked")
    assert not browser.find_elements(By.CSS_SELECTOR, "[data-testid=stException]")


@pytest.mark.timeout(600)
def test_a_conversation_is_there_after_a_reload_and_a_passage_stays_open_while_the_memory_is_updated(
    browser: WebDriver, address: str, shop: None
) -> None:
    browser.get(f"{address}/chat")
    see(browser, "Nothing has been said yet")
    there(browser, "[data-testid=stChatInput] textarea").send_keys(
        "When does the kiosk open? <img src=x onerror=alert(1)>", Keys.ENTER
    )
    see(browser, "Retrieved chunks")
    see(browser, "1 turn word for word")
    session_id = parse_qs(urlsplit(browser.current_url).query)["session"][0]
    memory = RecursiveSummary.of(workspace(), Scope("reader"), session_id)
    memory.turns.add("My name is Mina.", "Hello.")
    browser.refresh()
    see(browser, "When does the kiosk open? <img src=x onerror=alert(1)>")
    assert not browser.find_elements(By.CSS_SELECTOR, "[data-testid=stMain] img[src=x]")
    press(browser, "//button[starts-with(normalize-space(), '[1]')]")
    see(browser, "The passage in its document")
    memory.update()
    see(browser, "Profile (1)")
    assert browser.find_elements(By.CSS_SELECTOR, "[role=dialog]")


@pytest.fixture
def slow(shop: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Server]]:
    """The app before a server with a model."""
    with openai_server() as server:
        server.behave("say:It stands by the gate.")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with served() as (address, _):
            yield address, server


def say(browser: WebDriver, words: str) -> None:
    there(browser, "[data-testid=stChatInput] textarea:enabled").send_keys(words, Keys.ENTER)


@pytest.mark.timeout(900)
def test_stop_keeps_what_was_said_and_ends_the_call_to_the_model(browser: WebDriver, slow: tuple[str, Server]) -> None:
    address, server = slow
    browser.get(f"{address}/chat")
    see(browser, "Nothing has been said yet")
    at_rest(browser)
    there(browser, "[data-testid=stSelectbox]:has([aria-label*='Answered by']) input").send_keys("Naive", Keys.ENTER)
    at_rest(browser)
    say(browser, "Where is the kiosk?")
    see(browser, "It stands by the gate.")
    see(browser, "Ask again")
    at_rest(browser)
    server.behave("say:" + " ".join(f"word{number}" for number in range(1_000)))
    server.pause = 0.5  # seconds a word
    say(browser, "When does the kiosk open?")
    see(browser, "word3")
    assert "Stopped." not in browser.find_element(By.TAG_NAME, "body").text
    stop = there(browser, "[data-testid=stChatInputStopButton]")
    while browser.switch_to.active_element != stop:
        ActionChains(browser).send_keys(Keys.TAB).perform()
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    assert server.closed_by_client.wait(60)
    at_rest(browser)
    see(browser, "word3")
    see(browser, "Stopped.")
    left = browser.find_elements(By.CSS_SELECTOR, "[data-testid=stException], [data-testid=stSpinner]")
    assert not [each for each in left if each.is_displayed()]
    server.behave("say:It opens at 7:30.")
    server.pause = 0.0
    say(browser, "And now in short?")
    see(browser, "It opens at 7:30.")
    assert "Stopped." not in browser.find_element(By.TAG_NAME, "body").text
    for _ in range(2):  # a reload is no difference
        see(browser, "word3")
        see(browser, "It opens at 7:30.")
        assert "word900" not in browser.find_element(By.TAG_NAME, "body").text
        browser.refresh()


@pytest.mark.timeout(600)
def test_a_plot_is_dark_on_a_dark_page(browser: WebDriver, address: str, shop: None) -> None:
    wanted = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)
    browser.get(f"{address}/scoreboard")
    plot = there(browser, "[data-testid=stImageContainer] img")
    at_rest(browser)
    assert imread(BytesIO(plot.screenshot_as_png))[..., :3].mean() < 0.4


@pytest.mark.timeout(600)
def test_own_questions_are_run_and_a_run_has_a_link_to_compare(
    browser: WebDriver, address: str, tmp_path: Path
) -> None:
    questions = tmp_path / "질문.csv"
    questions.write_text("질문,정답\n예산은 몇 개까지 만들 수 있나요?,200개\n", encoding="cp949")
    browser.get(f"{address}/scoreboard?question-set=Own questions")
    see(browser, "No questions of yours have been run yet")
    there(browser, "input[type=file]").send_keys(str(questions))
    see(browser, "1 question, 1 with an answer, 0 with a source.")
    click(browser, "Run")
    see(browser, "Question by question")
    assert "question=" in link(browser, "Open in Compare")


def there(browser: WebDriver, selector: str) -> WebElement:
    """The element, once it has been drawn: words come before fields do."""
    return wait(browser, 60).until(lambda driver: driver.find_element(By.CSS_SELECTOR, selector))


def link(browser: WebDriver, label: str) -> str:
    found = wait(browser, 60).until(
        lambda driver: driver.find_element(By.XPATH, f"//a[contains(., '{label}')]").get_attribute("href")
    )
    return str(found)


@pytest.mark.timeout(600)
def test_a_double_click_on_send_does_not_stop_the_answer_and_an_early_stop_leaves_the_messages(
    browser: WebDriver, slow: tuple[str, Server]
) -> None:
    address, server = slow
    browser.get(f"{address}/chat?stage=Naive")
    see(browser, "Nothing has been said yet")
    at_rest(browser)
    server.behave("say:It stands by the old gate.")
    there(browser, "[data-testid=stChatInput] textarea:enabled").send_keys("Where is the kiosk?")
    ActionChains(browser).double_click(there(browser, "[data-testid=stChatInputSubmitButton]")).perform()
    see(browser, "It stands by the old gate.")
    see(browser, "Ask again")
    assert "Stopped." not in browser.find_element(By.TAG_NAME, "body").text
    at_rest(browser)
    server.behave("say:" + " ".join(f"word{number}" for number in range(1_000)))
    server.pause = 0.5
    say(browser, "When does the kiosk open?")
    WebDriverWait(browser, 60, 0.02).until(
        element_to_be_clickable((By.CSS_SELECTOR, "[data-testid=stChatInputStopButton]"))
    ).click()
    at_rest(browser)
    see(browser, "Stopped.", 60)
    for words in ("It stands by the old gate.", "When does the kiosk open?"):
        see(browser, words, 10)


STOPPED_LATE = """
const stop = () => document.querySelector('[data-testid=stChatInputStopButton]');
const watch = setInterval(() => {
  const isSeen = stop() && getComputedStyle(stop()).visibility === 'visible';
  if (!isSeen) return;
  clearInterval(watch);
  (stop().querySelector('button') ?? stop()).click();
}, 10);
"""
"""Press Stop as soon as it is seen: with a fast model, that is when the answer ends."""


@pytest.mark.timeout(600)
def test_stop_pressed_as_the_answer_ends_leaves_the_messages(browser: WebDriver, address: str, shop: None) -> None:
    browser.get(f"{address}/chat?stage=Naive")
    see(browser, "Nothing has been said yet")
    for question in ("When does the kiosk open?", "How much is a coffee?", "When does it close?"):
        at_rest(browser)
        browser.execute_script(STOPPED_LATE)
        say(browser, question)
        see(browser, question)
        at_rest(browser)
        see(browser, "Ask again", 30)
        assert question in browser.find_element(By.TAG_NAME, "body").text


@pytest.mark.timeout(600)
def test_marks_become_a_question_set_on_the_scoreboard(browser: WebDriver, address: str, shop: None) -> None:
    ask_by_link(browser, address, "When does the kiosk open?")
    press(browser, "(//button[contains(normalize-space(), '✓ right')])[1]")
    click(browser, "Make a question set of them")
    see(browser, "1 question, 1 with an answer")
    assert not browser.find_elements(By.CSS_SELECTOR, "[data-testid=stException]")


@pytest.mark.timeout(600)
def test_an_answer_is_copied(browser: WebDriver, address: str, shop: None) -> None:
    rights = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": address}
    browser.execute_cdp_cmd("Browser.grantPermissions", rights)
    browser.get(f"{address}/chat?stage=Naive")
    see(browser, "Nothing has been said yet")
    at_rest(browser)
    say(browser, "When does the kiosk open?")
    see(browser, "Ask again")
    press(browser, "//summary[contains(., 'Copy')]")
    code = there(browser, "details[open] [data-testid=stCode]")
    ActionChains(browser).move_to_element(code).perform()  # its button shows while the mouse is over it
    clickable = (By.CSS_SELECTOR, "details[open] [data-testid=stElementToolbarButton] button")
    wait(browser, 30).until(element_to_be_clickable(clickable)).click()
    read = "navigator.clipboard.readText().then(arguments[0])"
    wait(browser, 30).until(lambda driver: "7:30" in driver.execute_async_script(read))


@pytest.mark.timeout(600)
def test_a_file_becomes_three_questions_and_a_mark_in_a_space_of_ones_own(
    browser: WebDriver, address: str, shop: None, tmp_path: Path
) -> None:
    note = tmp_path / "ferry.md"
    note.write_text("# Ferry\n\nThe ferry to the island leaves at 6:45 each day.\n", encoding="utf-8")
    browser.get(address)
    press(browser, "//button[contains(., 'Use my own documents')]")
    field = (By.CSS_SELECTOR, "input[type=file]")
    wait(browser, 60).until(lambda driver: driver.find_elements(*field))
    browser.find_element(*field).send_keys(str(note))
    see(browser, "ferry.md")
    click(browser, "Ingest")
    see(browser, "Try one of these")
    at_rest(browser)
    samples = "//*[@data-testid='stMain']//button[@data-variant='pills'][contains(., '{}')]"
    assert len(browser.find_elements(By.XPATH, samples.format("ferry.md"))) == 3
    press(browser, samples.format("leaves at …"))
    see(browser, "6:45")
    at_rest(browser)
    press(browser, "(//button[contains(., '✓ right')])[1]")
    see(browser, "Marked as right: Naive 1 / 1")
    browser.get(f"{address}/?owner=reader")
    see(browser, "Options")
    place = workspace()
    for index in indexes():
        assert not [row for row in place.store(index).documents(Scope("reader")) if row.source_file == "ferry.md"]
