"""What a cache may answer, measured on pairs of questions, and recognising intents, on labelled utterances."""

import pytest

from lessons.evaluate.decisions import (
    Recognised,
    cache_pairs,
    plot_thresholds,
    recognise,
)
from lessons.keyless.llm import OfflineLLM
from lessons.models.embedding import embedding_model
from lessons.models.keyless import INTENTS
from lessons.settings import Settings


@pytest.fixture(scope="module")
def recognised() -> Recognised:
    return recognise(OfflineLLM(embedding=embedding_model(Settings())))


@pytest.mark.slow
def test_utterances_of_an_author_who_has_not_read_the_classifier_are_recognised(recognised: Recognised) -> None:
    assert len(recognised.pairs) == 160
    assert recognised.accuracy >= 0.85
    assert recognised.only(lambda said: said.language == "en").accuracy >= 0.8
    assert recognised.only(lambda said: said.language == "ko").accuracy >= 0.8


@pytest.mark.slow
def test_mistakes_fetch_too_many_chunks_rather_than_too_few(recognised: Recognised) -> None:
    steps = [INTENTS.index(found) - INTENTS.index(said.intent) for said, found in recognised.pairs]
    assert sum(step > 0 for step in steps) > sum(step < 0 for step in steps)


def test_the_curve_of_the_threshold_falls() -> None:
    pairs = cache_pairs()
    (axes,) = plot_thresholds(pairs, [0.9] * len(pairs)).axes
    assert all((line.get_ydata()[:-1] >= line.get_ydata()[1:]).all() for line in axes.lines[:4])
