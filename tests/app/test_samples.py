"""Sample questions: chosen by what the stages got right, asked at once, and made from a reader's own documents."""

import pytest

from lessons.evaluate.runs import shipped
from lessons.pages.asking import KINDS, Sample, all_golden, golden_for, golden_samples, own_samples
from lessons.tables import plain
from tests.app.test_compare import opened
from tests.app.test_owners import ME, mine
from tests.support.app import shown

__all__ = ["mine"]


def by_stage(sample: Sample) -> list[float]:
    golden = golden_for(sample.question, "reader", sample.history)
    assert golden
    records = shipped()["keyless-dev"].records
    return [record.value("correctness") for record in records if record.question_id == golden.id]


def test_a_sample_of_every_kind_is_about_the_shipped_documents_and_in_both_languages() -> None:
    samples = {sample.badge: sample for sample in golden_samples("reader")}
    assert list(samples) == list(KINDS)
    assert by_stage(samples[":green-badge[Smart is the first]"])[1:3] == [0.0, 1.0]
    assert by_stage(samples[":orange-badge[Enhanced is the first]"])[:2] == [0.0, 1.0]
    assert by_stage(samples[":red-badge[later stages lose it]"])[-1] < 1
    assert by_stage(samples[":violet-badge[no stage is right]"]) == [0.0] * 5
    assert samples[":blue-badge[a follow-up]"].history
    assert {sample.question.isascii() for sample in samples.values()} == {True, False}


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
    assert (result.request.question, result.request.history) == (sample.question, sample.history)
    assert result.request.golden
    assert result.comparison.answers["naive"].text
    assert "question-sample" not in [pills.key for pills in page.pills]


def test_an_owner_of_ones_own_gets_questions_from_the_headings_of_the_documents(mine: None) -> None:
    sample, *others = own_samples(ME)
    assert "Shop" in sample.question
    assert len({each.question for each in (sample, *others)}) == 1 + len(others)
    page = opened(owner=ME, stages="Naive")
    page.pills(key="question-sample").set_value(sample).run()
    assert plain("6:05") in shown(page)


def test_a_question_is_golden_only_for_its_owner_and_after_its_conversation() -> None:
    golden = next(golden for golden in all_golden() if golden.history)
    history = tuple(golden.history)
    assert golden_for(golden.question, golden.owner, history) == golden
    assert golden_for(golden.question, "somebody", history) is None
    assert golden_for(golden.question, golden.owner, ()) is None
