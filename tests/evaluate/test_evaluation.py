"""Records become summaries by stage, category and language, and gains between stages."""

import json
from dataclasses import replace
from math import isnan, nan

import pytest

from lessons.evaluate.evaluation import METRICS, OUTCOMES, UNANSWERABLE, Evaluation, mean, summarise
from lessons.models.llm import KEYLESS
from tests.evaluate.records import evaluation, record


def test_a_summary_holds_means_percentiles_and_costs() -> None:
    summary = evaluation({"naive": [1.0, 0.0, 1.0, 1.0]}).summary("naive")
    assert (summary.n, summary.means["recall@5"]) == (4, 0.75)
    assert summary.p50_ms == 11.5
    assert summary.p95_ms == pytest.approx(12.85)
    assert (summary.llm_calls, summary.tokens, summary.cost) == (1, 100, 0.001)


def test_a_question_without_the_metric_is_left_out_of_its_mean() -> None:
    summary = summarise([record("naive", 0), record("naive", 1, metrics={"correctness": 0.0})])
    assert (summary.means["recall@5"], summary.means["correctness"]) == (1.0, 0.5)


OUTCOME = {"right": {}, "half": {"metrics": {"correctness": 0.5}}, "wrong": {"metrics": {"correctness": 0.0}},
           "refused": {"metrics": {"correctness": 0.0}, "refused": True}}  # fmt: skip
GAP = {"answerable": False}


def test_an_answer_has_one_of_four_outcomes_and_their_shares_sum_to_one() -> None:
    records = [record("naive", number, **OUTCOME[name]) for number, name in enumerate(["right", *OUTCOME])]
    assert [each.outcome for each in records] == ["right", *OUTCOME]
    means = summarise([*records, record("naive", 5, **OUTCOME["wrong"] | GAP)]).means
    assert [means[name] for name in OUTCOMES] == pytest.approx([0.4, 0.2, 0.2, 0.2])
    assert summarise(records).outcomes == "40 · 20 · 20 · 20"


def test_an_answer_where_there_is_none_is_wrong_and_a_refusal_is_not() -> None:
    refused = record("naive", 0, metrics={"correctness": 1.0}, refused=True, **GAP)
    invented = [record("naive", number, **OUTCOME["wrong"] | GAP) for number in (1, 2, 3)]
    assert [each.outcome for each in (refused, *invented)] == ["refused", "wrong", "wrong", "wrong"]
    summary = summarise([refused, *invented])
    assert summary.means[UNANSWERABLE] == 0.75
    assert isnan(summary.means["wrong"])
    assert summary.outcomes == "–"


def test_what_was_not_judged_has_no_outcome() -> None:
    unjudged = record("naive", 0, metrics={"recall@5": 1.0}, refused=True)
    assert unjudged.outcome == ""
    assert all(isnan(unjudged.value(name)) for name in (*OUTCOMES, UNANSWERABLE))


def test_to_be_wrong_more_often_is_worse() -> None:
    (gain,) = evaluation({"naive": [1.0] * 20, "smart": [0.0] * 20}, "correctness").gains(["wrong"])
    assert (gain.delta, gain.verdict) == (1.0, "worse")
    (back,) = evaluation({"naive": [0.0] * 20, "smart": [1.0] * 20}, "correctness").gains(["wrong"])
    assert back.verdict == "better"


def test_the_mean_of_the_outcome_refused_leaves_out_what_cannot_be_answered() -> None:
    records = [record("naive", 0), record("naive", 1, metrics={"correctness": 1.0}, refused=True, **GAP)]
    assert mean(records, "refused") == 0.0


def test_each_stage_is_compared_to_the_one_before_it() -> None:
    gains = evaluation({"naive": [0.0] * 20, "enhanced": [1.0] * 20, "smart": [1.0] * 20}).gains(["recall@5"])
    assert [(gain.baseline, gain.candidate, gain.verdict) for gain in gains] == [
        ("naive", "enhanced", "better"),
        ("enhanced", "smart", "no room"),
    ]


def test_questions_are_paired_by_id_and_not_by_place() -> None:
    run = evaluation({"naive": [0.0, 0.5, 1.0]})
    shuffled = [record("smart", number, metrics={"recall@5": number / 2}) for number in (2, 0, 1)]
    (gain,) = Evaluation("golden", "dev", run.records + tuple(shuffled)).gains(["recall@5"])
    assert (gain.delta, gain.ci_low, gain.ci_high) == (0, 0, 0)


def test_the_json_is_the_contract_of_the_command_line() -> None:
    run = evaluation({"naive": [1.0, 0.0, nan], "smart": [1.0, 1.0, nan]})
    found = json.loads(json.dumps(run.as_dict(), allow_nan=False))
    promised = {"n", "recall@5", "mrr@10", "ndcg@10", "all@10", "groundedness", "correctness", "p50_ms", "p95_ms",
                "llm_calls", "tokens", "by_category", *OUTCOMES, UNANSWERABLE, "belonging"}  # fmt: skip
    assert promised <= set(found["stages"]["naive"])
    assert set(found["stages"]["naive"]["by_category"]) == {"fact", "multi-part", "identifier"}
    assert found["stages"]["naive"]["by_category"]["fact"]["n"] == 1
    assert found["stages"]["naive"]["mrr@10"] is None
    assert {"from", "to", "metric", "delta", "ci_low", "ci_high", "p"} <= set(found["gains"][0])
    assert {gain["metric"] for gain in found["gains"]} < set(METRICS)


def test_an_answer_that_is_half_right_counts_half_in_correctness_and_not_as_right() -> None:
    run = evaluation({"naive": [1.0, 0.5, 0.5, 0.0]}, "correctness")
    found = run.as_dict()["stages"]["naive"]
    assert (found["correctness"], found["right"], found["half"], found["wrong"]) == (0.5, 0.25, 0.5, 0.25)
    shown = run._repr_html_()
    assert all(f">{name}<" in shown for name in (*OUTCOMES, "wrong (no answer there)", "belonging"))
    assert "correctness (half points)" in shown


def test_the_groundedness_of_a_model_that_only_quotes_says_so() -> None:
    run = evaluation({"naive": [1.0]})
    keyless = replace(run, records=tuple(replace(record, answered={KEYLESS: 1}) for record in run.records))
    assert "groundedness (only quotes)" in keyless._repr_html_()
    assert any("by construction" in note for note in keyless.as_dict()["notes"])
    assert "only quotes" not in run._repr_html_()


def test_a_notebook_shows_each_stage_with_its_intervals() -> None:
    shown = evaluation({"naive": [1.0, 0.0] * 5, "<b>": [1.0] * 5})._repr_html_()
    assert "0.50 [0.20, 0.80]" in shown
    assert "1.00 [1.00, 1.00]" in shown
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
