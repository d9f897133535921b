"""Sample questions: chosen by what the stages got right, asked at once, and made from a reader's own documents."""

import pytest

from lessons.evaluate.runs import shipped
from lessons.pages.asking import KINDS, Sample, all_golden, golden_for, golden_samples, own_samples
from lessons.settings import ROOT
from lessons.tables import plain
from lessons.text import language as language_of
from tests.app.screenshots import QUESTIONS
from tests.app.test_compare import opened
from tests.app.test_owners import ME, mine
from tests.support.app import shown

__all__ = ["mine"]


def by_stage(sample: Sample) -> list[float]:
    golden = golden_for(sample.question, "reader", sample.history)
    assert golden
    records = shipped()["keyless-dev"].records
    return [record.value("correctness") for record in records if record.question_id == golden.id]


def test_a_sample_of_every_kind_is_about_the_shipped_documents_and_in_the_readers_language() -> None:
    samples = {sample.badge: sample for sample in golden_samples("reader")}
    assert set(samples) == set(KINDS)
    assert [score == 1 for score in by_stage(samples[":green-badge[Smart is the first]"])[1:3]] == [False, True]
    assert [score == 1 for score in by_stage(samples[":orange-badge[Enhanced is the first]"])[:2]] == [False, True]
    assert by_stage(samples[":red-badge[later stages lose it]"])[-1] < 1
    assert by_stage(samples[":violet-badge[no stage is right]"]) == [0.0] * 5
    assert samples[":blue-badge[a follow-up]"].history
    assert {language_of(sample.question) for sample in samples.values()} == {"en"}


def test_a_korean_reader_has_korean_samples_and_the_first_is_answered_well() -> None:
    samples = golden_samples("reader", "ko")
    assert len(samples) >= len(KINDS) - 1
    assert {language_of(sample.question) for sample in samples} == {"ko"}
    assert by_stage(samples[0])[-1] == 1


@pytest.mark.parametrize(("edition", "reader", "quotes"), [("README.md", "en", 2), ("README.ko.md", "ko", 1)])
def test_the_question_of_the_readme_is_golden_and_its_answer_right_and_short(
    edition: str, reader: str, quotes: int
) -> None:
    question = QUESTIONS[reader]
    assert question in (ROOT / edition).read_text(encoding="utf-8")
    golden = golden_for(question, "reader", ())
    last = [row for row in shipped()["keyless-dev"].records if golden and row.question_id == golden.id][-1]
    assert last.value("correctness") == 1
    assert last.answer.count(" [") <= quotes


@pytest.mark.parametrize("owner", ["mina", "joon"])
def test_other_owners_have_samples_of_their_own(owner: str) -> None:
    assert golden_samples(owner)
    assert all(golden_for(sample.question, owner, sample.history) for sample in golden_samples(owner))


def test_a_sample_that_is_pressed_is_asked_at_once_with_its_conversation(shop: None) -> None:
    page = opened(stages="Naive")
    sample = next(each for each in golden_samples("reader") if each.history)
    page.pills(key="question-sample").set_value(sample).run()
    assert not page.exception
    result = page.session_state["result"]
    assert (result.question, result.history) == (sample.question, sample.history)
    assert result.golden
    assert result.answers["naive"].text
    assert "question-sample" not in [pills.key for pills in page.pills]


def test_an_owner_of_ones_own_gets_questions_from_the_headings_of_the_documents(mine: None) -> None:
    heading, fact, other = own_samples(ME)
    assert (heading.question, other.question) == ("Summarise Shop.", "가게 쪽지.md 문서는 무엇에 관한 것인가요?")
    assert fact.question == "The shop opens at …?"
    sample = fact
    page = opened(owner=ME, stages="Naive")
    page.pills(key="question-sample").set_value(sample).run()
    assert plain("6:05") in shown(page)


def test_a_question_is_golden_only_for_its_owner_and_after_its_conversation() -> None:
    golden = next(golden for golden in all_golden() if golden.history)
    history = tuple(golden.history)
    assert golden_for(golden.question, golden.owner, history) == golden
    assert golden_for(golden.question, "somebody", history) is None
    assert golden_for(golden.question, golden.owner, ()) is None
