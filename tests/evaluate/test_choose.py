"""The cheapest stage that is not shown to be worse."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.errors import LessonsError
from lessons.evaluate.choose import choose, questions_needed
from lessons.evaluate.compare import Gain
from lessons.evaluate.evaluation import Evaluation
from lessons.keyless import words as glossary
from lessons.rag.pipeline import Stage
from lessons.rag.types import RetrievedDocument
from lessons.rag.workspace import Workspace
from lessons.search.jaccard import JaccardRetriever
from lessons.settings import Settings
from lessons.stages import stage_named
from tests.evaluate.records import evaluation

TOKENS = {"naive": 100, "smart": 300, "agentic": 2_000}


def measured(**scores: list[float]) -> Evaluation:
    """A run whose stages have these correct answers and the tokens of `TOKENS`."""
    plain = evaluation(scores, "correctness")
    return replace(plain, records=tuple(replace(each, tokens=TOKENS[each.stage]) for each in plain.records))


def test_the_cheaper_of_two_equal_stages_is_taken() -> None:
    assert choose(measured(naive=[1.0, 0.0] * 20, agentic=[1.0, 0.0] * 20)).recommended == "naive"


def test_a_stage_that_loses_more_than_the_margin_is_not_taken() -> None:
    assert choose(measured(naive=[0.0] * 40, smart=[1.0] * 40)).recommended == "smart"


def test_few_questions_do_not_excuse_a_loss_that_nobody_could_have_seen() -> None:
    few = measured(naive=[1.0, 1.0, 0.0, 1.0], agentic=[1.0] * 4)
    assert choose(few).recommended == "agentic"


def test_a_wider_margin_lets_a_cheaper_stage_pass() -> None:
    close = measured(naive=[1.0] * 38 + [0.0] * 2, smart=[1.0] * 40)
    assert choose(close, margin=0.05).recommended == "smart"
    assert choose(close, margin=0.2).recommended == "naive"


def test_a_metric_that_no_stage_has_decides_nothing() -> None:
    with pytest.raises(LessonsError, match="has no value of correctness"):
        choose(measured(naive=[float("nan")] * 4, smart=[float("nan")] * 4))


@pytest.mark.parametrize("names", [("naive", "smart"), ("smart", "naive")])
def test_a_stage_without_a_value_does_not_keep_another_from_being_taken(names: tuple[str, str]) -> None:
    scores = {"naive": [float("nan")] * 6, "smart": [1.0] * 6}
    assert choose(measured(**{name: scores[name] for name in names})).recommended == "smart"


SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=6, max_size=6)


@settings(max_examples=25)
@given(SCORES, SCORES, SCORES)
def test_some_stage_is_always_taken_and_never_a_dearer_one_than_the_best(
    naive: list[float], smart: list[float], agentic: list[float]
) -> None:
    choice = choose(measured(naive=naive, smart=smart, agentic=agentic))
    assert TOKENS[choice.recommended] <= TOKENS[choice.best]


def test_the_table_says_which_stages_pass() -> None:
    shown = choose(measured(naive=[0.0] * 40, smart=[1.0] * 40))._repr_html_()
    assert "Take smart" in shown
    assert "-1.000 [-1.000, -1.000] (95 %)" in shown


@pytest.mark.parametrize(("half_width", "needed"), [(0.1, 80), (0.05, 20), (0.0, 0)])
def test_half_the_width_takes_four_times_the_questions(half_width: float, needed: int) -> None:
    gain = Gain("naive", "smart", "correctness", 20, 0.5, 0.6, 0.1, 0.1 - half_width, 0.1 + half_width, 0.5)
    assert questions_needed(gain, 0.05) == pytest.approx(needed, abs=1)


WORDS = ["staff"]
DOCUMENT = RetrievedDocument("1", "At the end of 2024 there were 412 employees.", 1.0, "a.md")


@pytest.fixture(scope="module")
def stage(database: Settings) -> Stage:
    shelf = JaccardRetriever((DOCUMENT,))
    return stage_named("enhanced").but("shelf", retriever=shelf, workspace=Workspace.open(database))


def test_without_the_glossary_no_word_has_another_form() -> None:
    with glossary.switched_off():
        assert glossary.synonyms(WORDS) == [()]
        with glossary.switched_off():
            pass
        assert glossary.synonyms(WORDS) == [()]
    assert frozenset(["employe"]) in glossary.synonyms(WORDS)[0]


def test_it_is_switched_on_again_after_an_error() -> None:
    with pytest.raises(RuntimeError), glossary.switched_off():
        raise RuntimeError
    assert glossary.synonyms(WORDS)[0]


def test_a_stage_answers_without_the_rule_while_it_is_switched_off(stage: Stage) -> None:
    question = "What was the size of the staff in total at the end of 2024?"
    with glossary.switched_off():
        assert "412" not in stage.ask(question, user="nobody").text
    assert "412" in stage.ask(question, user="nobody").text
