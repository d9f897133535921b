"""Recognising intents, measured on labelled utterances, and what a wrong one costs."""

import pytest

from lessons.context.intent import INTENTS
from lessons.evaluate.decisions import Recognised, plot_confusion, recognise
from lessons.evaluate.savings import costs
from lessons.keyless.intent import utterances
from lessons.keyless.llm import OfflineLLM
from lessons.models.embedding import embedding_model
from lessons.settings import Settings
from tests.evaluate.records import evaluation


@pytest.fixture(scope="module")
def recognised() -> Recognised:
    return recognise(OfflineLLM(embedding=embedding_model(Settings())))


@pytest.mark.slow
def test_utterances_of_an_author_who_has_not_read_the_classifier_are_recognised(recognised: Recognised) -> None:
    assert sum(map(sum, recognised.confusion)) == len(recognised.pairs) == 160
    assert recognised.accuracy >= 0.85
    assert recognised.only(lambda said: said.language == "en").accuracy >= 0.8
    assert recognised.only(lambda said: said.language == "ko").accuracy >= 0.8


@pytest.mark.slow
def test_mistakes_fetch_too_many_chunks_rather_than_too_few(recognised: Recognised) -> None:
    steps = [INTENTS.index(found) - INTENTS.index(said.intent) for said, found in recognised.pairs]
    assert sum(step > 0 for step in steps) > sum(step < 0 for step in steps)


def test_the_confusion_is_drawn_with_every_intent() -> None:
    recognised = Recognised(tuple((said, INTENTS[len(said.text) % len(INTENTS)]) for said in utterances()))
    assert "<td" in recognised._repr_html_()
    axes = plot_confusion(recognised).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == list(INTENTS)
    assert [text.get_text() for text in axes.texts] == [str(count) for row in recognised.confusion for count in row]


def test_each_way_to_decide_is_compared_with_the_stage_alone() -> None:
    scores = {"plain": (1, 1), "by intent": (1, 0.5), "always chat": (0, 0)}
    shown = costs(evaluation(scores, "correctness"))
    by_name = {name: (correctness, delta) for name, correctness, delta, *_ in shown.rows}
    assert list(by_name) == list(scores)
    assert by_name["always chat"][1].startswith("-1.00")
    assert by_name["by intent"][0].startswith("0.75")
    assert by_name["by intent"][1].startswith("-0.25")
    assert by_name["plain"][1] == ""
    assert shown._repr_html_().count("<tr>") == 4
