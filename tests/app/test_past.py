"""What was asked on the Compare page: Back, a reload, a link and the list bring it again, for its owner only."""

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait
from streamlit.testing.v1 import AppTest

from lessons.pages import past
from lessons.tables import plain
from tests.app.test_browser import ask, ask_by_link, at_rest, press, pytestmark, see
from tests.app.test_compare import QUESTION, opened
from tests.app.test_compare import ask as ask_page
from tests.support.app import press as press_page
from tests.support.app import shown


@pytest.fixture
def asked(shop: None) -> AppTest:
    past._kept().clear()  # of other tests of this process
    return ask_page(opened(stages=["Naive", "Smart"]))


def name(page: AppTest) -> str:
    named = page.query_params["asked"]
    return named if isinstance(named, str) else named[0]


def test_a_reload_shows_the_question_its_stages_and_the_same_answers(asked: AppTest) -> None:
    again = opened(asked=name(asked))
    assert again.text_input(key="question").value == QUESTION
    assert again.session_state["stages"] == ["naive", "smart"]
    assert again.session_state["past"] is asked.session_state["past"]
    assert plain("7:30") in shown(again)


def test_an_address_without_a_comparison_shows_none(asked: AppTest) -> None:
    del asked.query_params["asked"]
    assert plain("7:30") not in shown(asked.run())
    assert not asked.exception


def test_answers_that_are_no_longer_kept_leave_the_question(asked: AppTest) -> None:
    page = opened(asked="x" * 22, question=QUESTION)
    assert page.text_input(key="question").value == QUESTION
    assert "past" not in page.session_state


def test_another_owner_sees_neither_the_answers_nor_the_question_in_the_list(asked: AppTest) -> None:
    page = opened(asked=name(asked), owner="mina")
    assert plain("7:30") not in shown(page)
    assert not [each for each in page.sidebar.expander if each.label.startswith("Asked before")]


def test_an_owner_who_is_chosen_afterwards_sees_no_foreign_answer_and_goes_on_with_none(asked: AppTest) -> None:
    asked.sidebar.selectbox[0].select("mina").run()
    assert not asked.exception
    assert plain("7:30") not in shown(asked)
    assert "follow-up" not in {box.key for box in asked.text_input}
    assert asked.session_state["before"] == ()


def test_the_list_has_the_latest_twenty_first_and_the_process_forgets_the_oldest(
    asked: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past, "LISTED", 2)
    monkeypatch.setattr(past, "KEPT", 3)
    for number in range(4):
        ask_page(asked, f"Does kiosk {number} open?")
    (listed,) = [each for each in asked.sidebar.expander if each.label.startswith("Asked before")]
    labels = [each.proto.label for each in listed.get("page_link")]
    assert labels == [plain("Does kiosk 3 open?"), plain("Does kiosk 2 open?")]
    assert len(past._kept()) == 3


def test_the_address_of_a_follow_up_does_not_ask_it_alone(asked: AppTest) -> None:
    asked.text_input(key="follow-up").set_value("And when does it close?")
    press_page(asked, "Follow up")
    assert opened(asked=name(asked)).session_state["past"].asked.question == "And when does it close?"
    later = opened(**asked.query_params | {"asked": "x" * 22})
    assert later.text_input(key="question").value == ""


def test_a_shared_app_lists_only_what_this_tab_has_asked(asked: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "is_shared", lambda: True)
    assert "Asked before" in str([each.label for each in asked.run().sidebar.expander])
    assert "Asked before" not in str([each.label for each in opened().sidebar.expander])


def test_the_link_that_is_copied_names_question_stages_and_answers(asked: AppTest) -> None:
    (link,) = [code.value for code in press_page(asked, "Copy link").code if "asked=" in code.value]
    assert f"asked={name(asked)}" in link
    assert "owner=reader" in link
    assert "stages=naive&stages=smart" in link


def entries(browser: WebDriver) -> int:
    return int(browser.execute_script("return history.length"))


@pytest.mark.timeout(600)
@pytestmark
def test_back_forward_and_reload_bring_the_answers_and_an_ask_is_one_entry_of_the_history(
    browser: WebDriver, address: str, shop: None
) -> None:
    ask_by_link(browser, address, "When does the kiosk open?")
    at_rest(browser)
    before = entries(browser)
    field = browser.find_element(By.CSS_SELECTOR, "[data-testid=stForm] input")
    ask(browser, " And when does it close?")
    see(browser, "When does the kiosk open? And when does it close?")
    see(browser, "18:15")
    at_rest(browser)
    assert entries(browser) == before + 1
    browser.back()
    see_heading(browser, "When does the kiosk open?")
    at_rest(browser)
    assert field.get_attribute("value") == "When does the kiosk open?"
    browser.forward()
    see_heading(browser, "When does the kiosk open? And when does it close?")
    browser.refresh()
    see_heading(browser, "When does the kiosk open? And when does it close?")
    see(browser, "18:15")
    listed = "//*[@data-testid='stSidebar']//details//a[contains(., 'When does the kiosk open?')]"
    links = WebDriverWait(browser, 60).until(lambda driver: driver.find_elements(By.XPATH, listed), "no past question")
    browser.execute_script("arguments[0].click()", links[-1])
    see_heading(browser, "When does the kiosk open?")
    WebDriverWait(browser, 60).until(lambda driver: "close" not in driver.current_url)
    press(browser, "//button[contains(., 'Copy link')]")
    see(browser, "asked=")


def see_heading(browser: WebDriver, words: str) -> None:
    at_rest(browser)
    WebDriverWait(browser, 60).until(
        lambda driver: driver.find_elements(By.XPATH, f"//h2[normalize-space()='{words}']"), f"never saw {words}"
    )
