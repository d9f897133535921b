"""The pictures of the README, one in each language: `uv run python -m tests.app.screenshots` takes them anew."""

from urllib.parse import quote

from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from lessons.settings import ROOT
from tests.app.test_browser import at_rest, see
from tests.support.browser import chromium
from tests.support.served import served

PICTURES = ROOT / "data" / "pictures"
QUESTIONS = {
    "en": "How long until the first manifest shows up when the account has no payer above it?",
    "ko": "누리벌해운이 2024년 2분기에 받은 평균 운임은 TEU당 몇 달러?",
}
"""Samples on the first page of the app; Naive answers neither."""
ASK = {"en": "Ask", "ko": "질문하기"}
ANSWERED = {"en": "Save as Markdown", "ko": "Markdown으로 저장"}
MEASURED = {"en": "Question by question", "ko": "질문별 비교"}
SIZE = "--window-size=1400,1310"


def take(browser: WebDriver, address: str, language: str) -> None:
    """Ask the question of a language, and keep what is seen then; and the scoreboard."""
    browser.get(f"{address}/?lang={language}&question={quote(QUESTIONS[language])}")
    button = f"//button[normalize-space()='{ASK[language]}' and not(@disabled)]"
    WebDriverWait(browser, 600).until(lambda driver: driver.find_elements(By.XPATH, button))
    at_rest(browser)
    browser.find_element(By.XPATH, button).click()
    see(browser, ANSWERED[language])
    at_rest(browser)
    browser.save_screenshot(str(PICTURES / f"compare-{language}.png"))
    browser.get(f"{address}/scoreboard?lang={language}")
    see(browser, MEASURED[language])
    at_rest(browser)
    browser.save_screenshot(str(PICTURES / f"scoreboard-{language}.png"))


def main() -> None:
    browser = chromium(SIZE, "--hide-scrollbars")
    try:
        with served() as (address, _):
            for language in QUESTIONS:
                take(browser, address, language)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
