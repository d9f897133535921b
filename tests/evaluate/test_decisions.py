"""What a cache may answer, measured on pairs of questions, and recognising intents, on labelled utterances."""

import pytest

from lessons.evaluate.decisions import (
    Pair,
    Recognised,
    cache_pairs,
    count_hits,
    plot_confusion,
    plot_thresholds,
    recognise,
)
from lessons.keyless.intent import utterances
from lessons.keyless.llm import OfflineLLM
from lessons.models.embedding import embedding_model
from lessons.models.keyless import INTENTS
from lessons.settings import Settings


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
    axes = plot_confusion(recognised).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == list(INTENTS)
    assert [text.get_text() for text in axes.texts] == [str(count) for row in recognised.confusion for count in row]


def test_hits_are_counted_by_language_and_by_whether_the_questions_ask_the_same() -> None:
    pairs = [
        Pair("Who hired Ann?", "Who did Ann hire?", False, "role", "en"),
        Pair("Who hired Ann?", "By whom was Ann hired?", True, "voice", "en"),
        Pair("환불은 언제 되나요?", "환불 언제 돼요?", True, "ending", "ko"),
    ]
    counted = count_hits(pairs, [0.99, 0.95, 0.5])
    assert counted.head == ["a hit takes", "wrong hits, en", "right hits, en", "right hits, ko"]
    assert counted.rows == [
        ["similarity", "1 of 1", "1 of 1", "0 of 1"],
        ["guard", "0 of 1", "1 of 1", "1 of 1"],
        ["both", "0 of 1", "1 of 1", "0 of 1"],
    ]


def test_the_curve_of_the_threshold_falls() -> None:
    pairs = cache_pairs()
    (axes,) = plot_thresholds(pairs, [0.9] * len(pairs)).axes
    assert all((line.get_ydata()[:-1] >= line.get_ydata()[1:]).all() for line in axes.lines[:4])
