"""The promises of the stages are passed, missed, or not yet measurable, each with its number."""

from dataclasses import replace

from lessons.evaluate.evaluation import REPLAYED
from lessons.evaluate.gates import gate_report
from lessons.settings import settings
from tests.evaluate.records import evaluation

STAGES = ("naive", "enhanced", "smart", "reranked", "agentic")


def statuses(run, words: str) -> list[str]:
    return [result.status for result in gate_report(run) if words in result.promise]


def test_a_gain_of_a_tenth_passes_and_less_misses() -> None:
    assert statuses(evaluation({"naive": [0.5] * 20, "enhanced": [0.56] * 20}), "above naive") == ["passed"]
    assert statuses(evaluation({"naive": [0.5] * 20, "enhanced": [0.54] * 20}), "above naive") == ["missed"]


def test_a_gain_that_chance_may_have_made_is_not_shown() -> None:
    lucky = evaluation({"naive": [0.5] * 20, "enhanced": [0.5] * 17 + [1.0] * 3})
    assert statuses(lucky, "above naive") == ["not shown"]


def test_no_worse_is_passed_only_where_the_interval_excludes_a_loss_that_would_be_minded() -> None:
    few = evaluation({"reranked": [1.0] * 30, "agentic": [0.0] * 2 + [1.0] * 28}, "correctness")
    assert statuses(few, "no worse than reranked") == ["not shown"]


def test_a_gate_of_missing_stages_is_not_yet_measurable() -> None:
    report = gate_report(evaluation({"naive": [0.5] * 20}))
    late = [result for result in report if result.stage in STAGES[1:]]
    assert {result.status for result in late} == {"not yet measurable"}
    assert len(late) == 5


def test_what_a_replay_took_says_nothing_of_the_models_latency() -> None:
    replayed = replace(evaluation({"naive": [0.5] * 20}), settings={"recorded": "a-model"})
    assert statuses(replayed, "p95") == ["not yet measurable"]
    assert REPLAYED in replayed.remarks


def test_a_gate_says_its_number() -> None:
    report = str(gate_report(evaluation({"naive": [0.5] * 20, "enhanced": [0.6] * 20})))
    assert (
        "passed: enhanced: recall@5 at least 10% above naive – +20.0% [+20.0%, +20.0%] at 95%: 0.500 → 0.600" in report
    )


def test_the_agent_must_answer_four_of_five_multi_part_questions() -> None:
    wrong_everywhere = evaluation({"agentic": [0.0] * 36}, "correctness")
    assert statuses(wrong_everywhere, "multi-part") == ["missed"]
    assert statuses(evaluation({"agentic": [1.0] * 36}, "correctness"), "multi-part") == ["passed"]


def test_the_agent_must_not_be_worse_on_simple_questions() -> None:
    run = evaluation({"reranked": [1.0] * 30, "agentic": [0.0] * 30}, "correctness")
    assert statuses(run, "no worse than reranked") == ["missed"]
    assert statuses(evaluation({"reranked": [1.0] * 30, "agentic": [1.0] * 30}), "no worse than reranked") == ["passed"]


def test_every_stage_must_be_grounded_and_fast() -> None:
    assert statuses(evaluation({"naive": [0.8] * 10}, "groundedness"), "groundedness") == ["missed"]
    assert statuses(evaluation({"naive": [1.0] * 10}), "p95") == ["passed"]


def test_so_few_questions_that_chance_decides_are_measured_and_not_judged() -> None:
    def judged(questions: int) -> str:
        (result,) = [each for each in gate_report(evaluation({"naive": [1.0] * questions})) if "p95" in each.promise]
        assert result.number
        return result.status

    least = settings().gate_questions
    assert (judged(least - 1), judged(least)) == ("too few questions", "passed")


def test_refusals_do_not_count_among_the_questions_of_groundedness() -> None:
    nan = float("nan")
    assert statuses(evaluation({"naive": [1.0] * 9 + [nan] * 9}, "groundedness"), "groundedness") == [
        "too few questions"
    ]


def test_a_gain_from_nothing_cannot_be_given_as_a_share() -> None:
    assert statuses(evaluation({"naive": [0.0] * 9, "enhanced": [1.0] * 9}), "above naive") == ["not yet measurable"]
