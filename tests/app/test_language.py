"""The pages in Korean: the catalogue is whole, the pages use it, and the language is chosen, switched and kept."""

import re
from collections.abc import Iterator

import pytest
from babel.messages.extract import extract_from_dir, extract_from_file
from babel.messages.pofile import read_po
from selenium.webdriver.remote.webdriver import WebDriver
from streamlit.testing.v1 import AppTest

from lessons.language import in_korean, korean
from lessons.settings import ROOT
from lessons.tables import plain
from tests.app.test_browser import at_rest, click, see, wait
from tests.app.test_browser import pytestmark as needs_chromium
from tests.support.app import press, shown
from tests.support.browser import chromium

PAGES = {
    "compare": "compare.page",
    "chat": "chat.page",
    "documents": "documents.page",
    "scoreboard": "scoreboard.page",
    "field": "about.field",
    "health": "about.health",
}
CATALOGUE = ROOT / "lessons" / "pages" / "ko.po"
MARKS: dict[str, None] = {"_": None, "N_": None}
HANGUL = re.compile("[가-힣]")
PLACEHOLDER = re.compile(r"\{[^}]*\}")


def messages() -> set[str]:
    """All that is marked in the app."""
    pages = extract_from_dir(ROOT / "lessons" / "pages", [("**.py", "python")], keywords=MARKS)
    app = extract_from_file("python", ROOT / "app.py", keywords=MARKS)
    return {str(each[2]) for each in pages} | {str(each[1]) for each in app}


def catalogue() -> list[tuple[str, str]]:
    with CATALOGUE.open("rb") as file:
        return [(str(each.id), str(each.string)) for each in read_po(file) if each.id]


def test_each_message_has_its_korean_and_nothing_else_has() -> None:
    known = [english for english, _ in catalogue()]
    assert set(known) - messages() == set(), "stale"
    assert messages() - set(known) == set(), "missing"
    assert len(known) == len(set(known))


def test_the_korean_has_hangul_and_the_placeholders_digits_and_code_of_the_english() -> None:
    assert [said for _, said in catalogue() if not HANGUL.search(said)] == []
    assert [said for english, said in catalogue() if fixed(english) != fixed(said)] == []


def fixed(text: str) -> list[list[str]]:
    """What is the same in every language."""
    return [sorted(PLACEHOLDER.findall(text)), sorted(re.findall(r"\d+|`[^`]*`", PLACEHOLDER.sub("", text)))]


def opened(name: str, lang: str = "ko", locale: str = "en-US") -> AppTest:
    module = PAGES[name].partition(".")[0]
    page = AppTest.from_string(f"from lessons.pages import {module}\n{PAGES[name]}()", default_timeout=120)
    if lang:
        page.query_params["lang"] = lang
    page.context["locale"] = locale
    page.run()
    assert not page.exception
    return page


def words(page: AppTest) -> Iterator[str]:
    """What is written on the page, and on what can be pressed or filled there."""
    for element in (*page.main, *page.sidebar):
        options = getattr(element, "options", [])
        said = [getattr(element, name, "") for name in ("label", "placeholder", "" if options else "value")]
        yield from (each for each in [*said, *options] if isinstance(each, str))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_korean_throughout(shop: None, name: str) -> None:
    found = [*words(opened(name))]
    assert sum(said in korean().values() for said in found) >= 2
    lines = [said for said in found if "\n" not in said]  # an entry of the map of the field quotes outputs
    assert [said for said in lines if in_korean(said) != said] == []


def test_the_map_of_the_field_is_that_of_the_edition(shop: None) -> None:
    page = opened("field")
    assert page.title[0].value == "기법별 측정 결과"
    assert [each.value for each in page.subheader] == [each.value for each in opened("field", "en").subheader]


def test_a_verdict_and_what_an_answer_took_are_korean(shop: None) -> None:
    page = opened("compare")
    page.text_input(key="question").set_value("When does the kiosk open?")
    text = shown(press(page, "질문하기"))
    assert plain("모든 단계의 답이 같습니다. 맞는 답인가요?") in page.info[0].value
    assert "호출\u00a0" in text
    assert plain("키 없는 모델(원문 발췌, 네트워크 없음)의 답변") in text


@pytest.mark.parametrize(
    ("lang", "locale", "title"),
    [
        ("", "en-US", "One question, every stage"),
        ("", "ko-KR", "질문 하나, 모든 단계"),
        ("en", "ko", "One question, every stage"),
        ("xx", "en-US", "One question, every stage"),
    ],
)
def test_the_address_decides_and_then_the_browser(shop: None, lang: str, locale: str, title: str) -> None:
    assert opened("compare", lang, locale).title[0].value == title


@pytest.fixture
def korean_browser() -> Iterator[WebDriver]:
    driver = chromium("--lang=ko", "--accept-lang=ko-KR,ko")
    yield driver
    driver.quit()


@needs_chromium
@pytest.mark.timeout(600)
def test_the_switch_changes_the_language_and_the_address_keeps_it(browser: WebDriver, address: str, shop: None) -> None:
    browser.get(address)
    see(browser, "One question, every stage")
    at_rest(browser)
    assert "lang=" not in browser.current_url
    click(browser, "한국어")
    see(browser, "질문 하나, 모든 단계")
    at_rest(browser)
    assert "lang=ko" in browser.current_url
    browser.find_element("partial link text", "점수판").click()
    see(browser, "정답이 있는 질문으로 모든 단계를 평가합니다")
    at_rest(browser)
    assert "lang=ko" in browser.current_url
    browser.refresh()
    see(browser, "정답이 있는 질문으로 모든 단계를 평가합니다")
    click(browser, "English")
    see(browser, "Every stage on questions with known answers")


@needs_chromium
@pytest.mark.timeout(600)
def test_a_korean_browser_gets_korean_at_once(korean_browser: WebDriver, address: str, shop: None) -> None:
    korean_browser.get(address)
    see(korean_browser, "질문 하나, 모든 단계")
    at_rest(korean_browser)
    assert "lang=" not in korean_browser.current_url
    click(korean_browser, "English")
    see(korean_browser, "One question, every stage")
    at_rest(korean_browser)
    assert "lang=en" in korean_browser.current_url


@needs_chromium
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", ["documents?lang=ko", "scoreboard?lang=ko&question-set=내 질문"])
def test_a_field_for_files_has_a_korean_button_and_no_english(
    browser: WebDriver, address: str, shop: None, page: str
) -> None:
    browser.get(f"{address}/{page}")
    named, words = wait(browser, 240).until(words_of_the_field)
    assert "파일 선택" in named
    assert not re.search("Upload|per file", named + words)


def words_of_the_field(browser: WebDriver) -> tuple[str, str]:
    zone = browser.find_element("css selector", "[data-testid=stFileUploaderDropzone]")
    return zone.find_element("tag name", "button").accessible_name, zone.text


def values(browser: WebDriver) -> list[str | None]:
    """What the menus of the page show."""
    return [
        field.get_attribute("value")
        for field in browser.find_elements("css selector", "[data-testid=stSelectbox] input")
    ]


@needs_chromium
@pytest.mark.timeout(600)
def test_what_was_chosen_is_kept_in_the_other_language(browser: WebDriver, address: str, shop: None) -> None:
    browser.get(f"{address}/chat?memory=Three tiers")
    see(browser, "A conversation with one stage")
    click(browser, "한국어")
    see(browser, "한 단계와 대화합니다")
    for _ in range(2):
        wait(browser, 240).until(lambda driver: "세 계층" in values(driver))
        at_rest(browser)
        assert "세 계층" in values(browser)
        browser.refresh()
        see(browser, "한 단계와 대화합니다")
