"""The Compare page beyond a plain question: golden ones, follow-ups, addresses, passages, and stages that fail."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lessons.errors import LessonsError
from lessons.evaluate.comparison import Comparison
from lessons.evaluate.judge import is_unanswerable
from lessons.evaluate.question_sets import read_questions
from lessons.evaluate.runs import shipped
from lessons.ingest.pipeline import ingest_each
from lessons.library import indexes
from lessons.pages import common, compare
from lessons.pages.asking import LEFT, all_golden, golden_samples
from lessons.pages.common import OWN_SPACE
from lessons.rag.answer import Answer
from lessons.rag.pipeline import AnswerStream, Stage
from lessons.rag.types import Scope
from lessons.rag.workspace import workspace
from lessons.settings import settings
from lessons.tables import plain, plain_line
from tests.support.app import press, shown
from tests.support.files import write_pdf

QUESTION = "When does the kiosk open?"


def script() -> None:
    from lessons.pages import compare

    compare.page()


@pytest.fixture
def page(shop: None) -> AppTest:
    """The page with two stages chosen."""
    page = AppTest.from_function(script, default_timeout=120)
    page.query_params["stages"] = ["Naive", "Smart"]
    return page.run()


def ask(page: AppTest, question: str | None = QUESTION) -> AppTest:
    if question is not None:
        page.text_input(key="question").set_value(question)
    return press(page, "Ask")


def opened(**link: str | list[str]) -> AppTest:
    page = AppTest.from_function(script, default_timeout=120)
    page.query_params.update(link)
    page.run()
    assert not page.exception
    return page


def answers(page: AppTest) -> dict[str, Answer]:
    return page.session_state["result"].answers


def golden(**wanted: Any) -> Any:
    """The first golden question with these properties."""
    return next(each for each in all_golden() if all(getattr(each, name) == value for name, value in wanted.items()))


def test_a_golden_question_brings_its_owner_and_its_conversation(page: AppTest) -> None:
    chosen = next(each for each in all_golden() if each.history and each.owner != "reader")
    page.selectbox(key="golden-question").select(chosen).run()
    assert page.text_input(key="question").value == chosen.question
    assert page.sidebar.selectbox[0].value == chosen.owner
    assert f"The owner is {plain(chosen.owner)} now" in page.toast[0].value
    assert plain_line(chosen.history[0][1]) in shown(page)


def test_golden_questions_name_their_split_and_their_category(page: AppTest) -> None:
    options = page.selectbox(key="golden-question").options
    assert options
    assert all("(dev, " in option or "(test, " in option for option in options)
    assert any("(dev, comparison, " in option for option in options)


def test_what_is_known_of_a_golden_question_and_what_no_stage_found_is_shown(page: AppTest) -> None:
    known = golden(owner="reader", category="fact", history=())
    text = shown(ask(page, known.question))
    assert plain(known.answer) in text
    assert f"No stage found **{plain_line(known.evidence[0].source_file)}**" in text


def test_a_golden_follow_up_can_be_left(page: AppTest) -> None:
    chosen = next(each for each in all_golden() if each.history and each.owner == "reader")
    page.selectbox(key="golden-question").select(chosen).run()
    assert not page.toast  # the owner is the same
    press(page, "Ask something new instead")
    assert page.session_state["history"] == ()
    assert "A follow-up to" not in shown(page)


def test_an_address_fills_the_form_and_asks_nothing(shop: None) -> None:
    page = opened(question=QUESTION, stages=["Smart", "nonsense"], file="kiosk.md", filter="page_number == 1")
    assert (page.text_input(key="question").value, page.session_state["stages"]) == (QUESTION, ["smart"])
    assert (page.selectbox(key="file").value, page.text_input(key="filter").value) == ("kiosk.md", "page_number == 1")
    assert "result" not in page.session_state


def test_the_address_of_a_golden_follow_up_brings_its_conversation(shop: None) -> None:
    known = next(each for each in all_golden() if each.history)
    page = opened(golden=known.id, owner=known.owner, stages="Naive")
    assert page.text_input(key="question").value == known.question
    ask(page, None)
    assert page.session_state["result"].golden == known


@pytest.mark.parametrize("link", [{"golden": "no-such"}, {"file": "no such.md"}, {"stages": "nonsense"}])
def test_unknown_names_in_an_address_are_left_out(shop: None, link: dict[str, str]) -> None:
    page = opened(question=QUESTION, **link)
    assert page.text_input(key="question").value == QUESTION
    assert page.selectbox(key="file").value == "all documents"


def test_a_question_beyond_the_limit_is_cut_with_a_word(page: AppTest) -> None:
    told = [box.value for box in ask(page, f"{QUESTION} {'x' * 4_000}").warning]
    assert plain("longer than 4,000 characters; the rest of it was not used") in told[0]


@pytest.mark.parametrize("key", ["golden-question", "file"])
def test_a_choice_that_is_not_offered_is_none(page: AppTest, key: str) -> None:
    box = page.selectbox(key=key)
    box.options.append("nothing like it")  # a browser may send any text
    box.set_value("nothing like it").run()
    assert not page.exception
    assert page.text_input(key="question").value == ""


def test_an_address_with_what_cannot_be_shown_is_asked_without_it(shop: None) -> None:
    broken = "\x00\x1b"
    page = opened(question=f"{QUESTION}{broken}", filter=broken, owner=f"reader{broken}", golden=broken, stages="Naive")
    assert plain("7:30") in shown(ask(page, None))


class Breaks:
    """A stage whose answer breaks off."""

    def __init__(self, stage: Stage, error: Exception) -> None:
        self.stage, self.error = stage, error

    def stream(self, question: str, **_: object) -> AnswerStream:
        def pieces() -> Iterator[str]:
            yield "The kiosk "
            raise self.error

        return AnswerStream(Answer(question, self.stage.name, "test"), pieces())


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (LessonsError("The model cannot be reached; start it."), "The model cannot be reached; start it."),
        (RuntimeError("a secret"), "This broke off for an unexpected reason"),
    ],
)
def test_a_stage_that_fails_is_a_sentence_and_the_others_answer(
    page: AppTest, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    monkeypatch.setattr(compare, "with_cache", lambda stage: Breaks(stage, error) if stage.name == "smart" else stage)
    text = shown(ask(page))
    assert plain("7:30") in text
    assert [box.value.startswith(plain(told)) for box in page.error] == [True]
    assert "a secret" not in text


def test_every_stage_stands_beside_the_model_that_answered_it(page: AppTest) -> None:
    page.pills(key="stages").set_value(["naive", "enhanced", "smart"])
    answers(ask(page))["smart"].model = "qwen3:8b"
    captions = "\n".join(each.value for each in page.run().caption)
    assert plain("Naive, Enhanced: answered by the keyless model") in captions
    assert plain("Smart: answered by the keyless model, in place of qwen3:8b") in captions


def test_stages_that_were_not_asked_or_left_too_early_say_so(page: AppTest) -> None:
    # What the session has when the page is left before the first answer:
    problems = {"naive": LEFT, "smart": LEFT}
    page.session_state["result"] = Comparison(QUESTION, {}, problems, limits=(("owner", "reader"),))
    page.pills(key="stages").set_value(["naive", "smart", "agentic"]).run()
    text = shown(page)
    assert "The page was left before this stage had answered" in text
    assert "Not asked yet." in text


def test_a_citation_opens_its_passage_with_the_words_marked_and_asks_nothing(page: AppTest) -> None:
    before = answers(ask(page))["naive"]
    next(button for button in page.button if "kiosk" in button.label).click().run()
    assert not page.exception
    text = shown(page)
    assert f":orange-background[**{plain_line(before.citations[0].quote)}**]" in text
    assert plain("<script>alert(1)</script>") in text
    assert answers(page)["naive"] is before


def test_a_passage_that_is_gone_is_shown_as_it_was_read(page: AppTest) -> None:
    answer = answers(ask(page))["naive"]
    document = answer.context.documents[0]
    document.metadata["user_id"] = "somebody else"
    next(button for button in page.button if "kiosk" in button.label).click().run()
    assert not page.exception
    assert "This is the chunk as the answer read it" in shown(page)
    assert plain("7:30") in shown(page)


def test_the_ranks_of_the_stages_stand_beside_each_other(page: AppTest) -> None:
    table = ask(page).dataframe[0].value
    assert list(table.columns) == ["Passage", "Naive", "Smart", "Matching sentence"]
    assert list(table.loc[0]) == ["kiosk.md", "1", "1 =", "The kiosk opens at 7:30."]


def test_a_step_opens_to_its_prompt_its_input_and_its_output_and_may_be_opened_again(page: AppTest) -> None:
    answer = answers(ask(page))["naive"]
    for number in (2, 0, 2):
        page.pills(key=f"steps-{id(answer)}").set_value(number).run()
        assert not page.exception
        assert page.pills(key=f"steps-{id(answer)}").value is None
    prompt, given, made = [code.value for code in page.code if "asked=" not in code.value]
    assert "<script>alert(1)</script>" in prompt
    assert (given, made) == (QUESTION, answer.text)


def test_a_citation_opens_the_page_on_which_its_quote_stands(page: AppTest, tmp_path: Path) -> None:
    rental = "Rowing boats are rented for 12 euros an hour."
    path, scope = write_pdf(tmp_path / "boats.pdf", "The harbour opens in May.", rental), Scope("reader")
    list(ingest_each(workspace(), [(path, "boats.pdf")], indexes(), scope))
    try:
        ask(page, "For how many euros are rowing boats rented?")
        press(page, f":gray[Naive:] **{plain('[1] boats.pdf, p. 2')}**")
        assert f"**{plain_line('boats.pdf')}**, p. 2" in shown(page)
    finally:
        for index in indexes():
            workspace().store(index).delete_document(scope, "boats.pdf")


def test_a_passage_of_which_no_sentence_matters_opens_without_a_warning(page: AppTest) -> None:
    ask(page, "Xylophone?").session_state["passage"] = 0
    text = shown(page.run())
    assert plain("7:30") in text
    assert "This is the chunk as the answer read it" not in text


def test_a_row_of_the_ranks_opens_its_passage(page: AppTest) -> None:
    ask(page).session_state["passage"] = 0  # what a click on a row or a point leaves behind
    text = shown(page.run())
    assert f":orange-background[**{plain_line('The kiosk opens at 7:30.')}**]" in text
    assert "orange-background" not in shown(page.run())


def test_the_verdict_stands_above_the_answers_and_the_expected_answer_is_open(page: AppTest) -> None:
    known = golden(owner="reader", category="fact", history=())
    page = ask(page, known.question)
    assert [each.label for each in page.expander if "Options" in each.label]
    text = shown(page)
    assert text.index(f"**Expected:** {plain(known.answer)}") < text.index("badge[○ refused]")
    assert page.info[0].value.startswith("**No stage")


def test_a_field_that_no_document_has_is_told_with_those_there_are(page: AppTest) -> None:
    page.text_input(key="filter").set_value("language == 'en' && (pagenumber == 2 || page_number == 77)")
    ask(page)
    assert page.error[0].value.startswith(plain("No document has the field 'pagenumber'; the fields are source_file,"))
    assert "result" not in page.session_state


def test_the_comparison_can_be_saved(page: AppTest) -> None:
    assert [button.proto.label for button in ask(page).get("download_button")] == ["Save as Markdown"]


def test_hiding_a_stage_and_showing_it_again_asks_nothing(page: AppTest) -> None:
    before = dict(answers(ask(page)))
    page.pills(key="stages").set_value(["naive"]).run()
    assert [card.value for card in page.subheader] == ["Naive"]
    page.pills(key="stages").set_value(["naive", "smart"]).run()
    assert all(answers(page)[name] is answer for name, answer in before.items())


def test_a_filter_with_a_slip_is_told_and_what_was_answered_before_stays(page: AppTest) -> None:
    before = answers(ask(page))
    page.text_input(key="filter").set_value("language = 'en'")
    ask(page, "And when does it close?")
    assert page.error
    assert answers(page) is before
    assert plain("7:30") in shown(page)


def test_a_stage_of_the_readers_own_is_compared_until_its_file_breaks(
    shop: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "my_stages.py"
    file.write_text(
        "from lessons.stages import stage_named\nown = stage_named('naive').but('my own')", encoding="utf-8"
    )
    monkeypatch.setattr(settings(), "own_stages", file)
    page = ask(opened(stages=["Smart", "My own"]))
    assert {*answers(page)} == {"smart", "my own"}
    assert "7:30" in answers(page)["my own"].text
    assert "a stage of your own" in shown(page)
    file.write_text("broken", encoding="utf-8")
    os.utime(file, (1, 1))
    page = ask(page.run())
    assert "my_stages.py, line 1, cannot be run: NameError" in page.error[0].value.replace("\\", "")
    assert [*answers(page)] == ["smart"]


def mark(page: AppTest, stage: str, choice: int) -> AppTest:
    """Press right (1) or wrong (0) on the card that begins with this stage."""
    control = next(each for each in page.button_group if each.label == f"Is the answer of {stage} right?")
    control.set_value(choice).run()
    assert not page.exception
    return page


def test_answers_are_marked_and_counted_and_become_questions_with_a_conclusion(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.pills(key="stages").set_value(["naive", "smart"])
    mark(ask(page), "Naive", 1)
    assert plain("Marked as right: Naive 1 / 1, Smart 1 / 1.") in shown(page)
    assert "worth" not in shown(page)  # one question is no ground for a conclusion
    mark(ask(page, "Is the moon a kiosk, or what colour has it?"), "Naive", 0)
    said = shown(page).replace("\\", "")
    assert "all stages are equal: 1 right. Naive costs least." in said
    monkeypatch.setattr(compare.st, "switch_page", lambda page, query_params: None)
    press(page, "Make a question set of them")
    first, second = read_questions(page.session_state["own-text"], "reader")
    assert (first.question, second.question) == (QUESTION, "Is the moon a kiosk, or what colour has it?")
    assert "7:30" in first.answer
    assert (first.evidence[0].source_file, second.answer) == ("kiosk.md", "")
    assert page.session_state["question-set"] == "own"
    mark(page.run(), "Naive", 1)  # the refusal is right
    press(page, "Make a question set of them")
    assert [*map(is_unanswerable, read_questions(page.session_state["own-text"], "reader"))] == [False, True]


def test_a_known_answer_needs_no_mark_and_names_no_missing_words(page: AppTest) -> None:
    known = golden(owner="reader", category="fact", history=())
    assert not [each for each in ask(page, known.question).button_group if each.label.startswith("Is the answer")]
    assert "In none of its passages" not in shown(page)


def test_words_of_the_question_that_no_passage_has_are_named_on_the_card(page: AppTest) -> None:
    text = shown(ask(page, "When does the kiosk open, mate?"))
    assert plain("In none of its passages: mate") in text.splitlines()
    text = shown(ask(page, "When does the kiosk open in Australia?"))
    assert f"⚠ {plain('In none of its passages: Australia')}" in text or "○ refused" in text
    assert "In none of its passages" not in shown(ask(page))


def test_what_changed_is_marked_only_on_demand_and_no_word_is_struck(page: AppTest) -> None:
    page = ask(page, "When does the kiosk open, and does it close?")
    result = page.session_state["result"]
    result.answers["smart"].text = "The kiosk closes."
    assert "blue-background" not in shown(page.run())
    page.toggle(key="changes").set_value(True).run()
    assert f":blue-background[{plain_line('closes.')}]" in shown(page)
    assert "~~" not in shown(page)


def test_own_documents_get_a_space_of_their_own(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "OWN_SPACE", "my new documents")  # in the other one, a test may have left a file
    press(page, "Use my own documents")
    assert page.sidebar.selectbox[0].value == "my new documents"
    assert page.file_uploader
    assert plain("has no documents yet") in page.info[0].value
    page.sidebar.selectbox[0].set_value("reader").run()
    assert not page.file_uploader


def test_own_documents_on_a_shared_app_get_a_name_that_nobody_can_guess(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "is_shared", lambda: True)
    names = set()
    for _ in range(2):
        each = press(opened(), "Use my own documents")
        names.add(each.sidebar.selectbox[0].value)
    assert len(names) == 2
    assert OWN_SPACE not in names


def test_while_documents_are_loaded_recorded_answers_can_be_read_and_the_chosen_question_is_asked_afterwards(
    shop: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = threading.Event()

    def slowly(workspace: object, user: str, progress: Any) -> None:
        progress(2 * len(indexes()), 10 * len(indexes()))
        loaded.wait(60)

    monkeypatch.setattr(common, "ensure_corpus", slowly)
    common._open.clear()
    try:
        page = opened()
        assert not page.text_input
        assert "here are answers of the reference run" in shown(page)
        sample = golden_samples("reader")[0]
        assert plain(sample.question) in shown(page)
        assert "2 of 10" in page.get("progress")[0].proto.text
        chosen = golden_samples("reader")[1]
        assert plain(chosen.question) in shown(page.pills(key="recorded").set_value(chosen).run())
        loaded.set()
        common._open().join(60)
        assert page.run().session_state["result"].question == chosen.question
        assert page.run().text_input(key="question").value == chosen.question
    finally:
        loaded.set()
        common._open.clear()


def test_the_first_page_says_what_the_steps_bring_in_the_numbers_of_the_shipped_run(page: AppTest) -> None:
    run = shipped()["keyless-test"]
    best = max(run.mean(name, "right") for name in run.stages)
    assert plain(f"{run.mean('naive', 'right'):.2f} → {best:.2f} right") in shown(page)
