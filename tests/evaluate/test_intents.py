"""Recognising intents, measured on labelled utterances."""

from collections import Counter

from lessons.context.intent import INTENTS
from lessons.evaluate.intents import plot_confusion, recognise, utterances
from lessons.models.offline.llm import OfflineLLM


def test_there_are_enough_utterances_half_of_them_korean_and_no_split_knows_the_other() -> None:
    dev, test = utterances("dev"), utterances("test")
    assert len(dev) + len(test) >= 120
    assert not {each.text for each in dev} & {each.text for each in test}
    for split in (dev, test):
        counts = Counter((each.intent, each.language) for each in split)
        assert {counts[intent, language] for intent in INTENTS for language in ("en", "ko")} == {11}


def test_the_keyless_model_recognises_what_it_was_built_on() -> None:
    recognised = recognise(OfflineLLM())
    assert recognised.accuracy > 0.9
    assert recognised.confusion.total() == len(recognised.pairs) == 88
    assert len(recognised.mistakes) == 88 - round(88 * recognised.accuracy)
    assert recognised.only(lambda said: said.language == "en").accuracy > 0.9
    assert recognised.only(lambda said: said.language == "ko").accuracy > 0.9


def test_no_question_is_mistaken_for_a_greeting() -> None:
    confusion = recognise(OfflineLLM()).confusion
    assert not [pair for pair in confusion if pair[1] == "chat" != pair[0]]


def test_the_confusion_is_drawn_and_written_with_every_intent() -> None:
    recognised = recognise(OfflineLLM())
    axes = plot_confusion(recognised).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == list(INTENTS)
    assert {text.get_text() for text in axes.texts} >= {"22", "0"}
    assert "<td" in recognised._repr_html_()
