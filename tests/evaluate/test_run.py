"""An evaluation: what is answered with the evidence given, beside the stages, and who did the steps."""

import json
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from lessons.database import engine
from lessons.errors import LessonsError
from lessons.evaluate.evaluation import WITH_EVIDENCE, Evaluation
from lessons.evaluate.gates import gate_report, report
from lessons.evaluate.golden import Evidence, Golden
from lessons.evaluate.plots import plot_cost, plot_groups, plot_metric
from lessons.evaluate.run import answers, answers_with_evidence, evaluate, forecast, oracle
from lessons.evaluate.runs import load, save
from lessons.ingest.pipeline import ingest
from lessons.models.embedding_cache import CachedEmbedding
from lessons.models.llm import language_model
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.search.rerankers import MMR, ByScore
from lessons.settings import Settings
from lessons.stages import stage_named
from tests.evaluate.records import evaluation
from tests.support.openai_server import Server

OWNER = "evidence"
INDEX = stage_named("enhanced").index
TEXT = (
    "# Harbour\n\nThe pier closes at eight in the evening. A season ticket costs 40 euros for residents of the town.\n"
)
OTHER = (
    "# Museum\n\nThe museum closes at six in the evening. Entrance costs 12 euros, and children pay nothing at all.\n"
)
CLOSING = Golden(
    "pier", "When does the pier close?", "en", "fact", "At eight", ("eight|8 pm|20:00",),
    (Evidence("pier.md", "The pier closes at eight in the evening."),), owner=OWNER,
)  # fmt: skip
UNANSWERABLE = Golden("ferry", "When does the ferry leave?", "en", "unanswerable", owner=OWNER)
UNKNOWN = Golden("gate", "Who opens the gate?", "en", "own", "The porter", owner=OWNER)


@pytest.fixture(scope="module")
def place(database: Settings, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("harbour")
    place = Workspace.open(database)
    for name, text in {"pier.md": TEXT, "museum.md": OTHER}.items():
        (folder / name).write_text(text, encoding="utf-8")
        (result,) = ingest([(folder / name, name)], INDEX, place.store(INDEX), place.embedding, Scope(OWNER))
        assert result.status == "added"
    return place


def test_the_context_is_the_chunk_of_the_evidence_and_no_other(place: Workspace) -> None:
    answer = oracle(CLOSING, INDEX, place).ask(CLOSING.question, user=OWNER)
    assert [document.source for document in answer.context.documents] == ["pier.md"]
    assert "eight" in answer.text


def test_a_passage_that_two_quotes_share_is_given_once(place: Workspace) -> None:
    twice = replace(CLOSING, evidence=(*CLOSING.evidence, Evidence("pier.md", "A season ticket costs 40 euros")))
    assert len(oracle(twice, INDEX, place).ask(twice.question, user=OWNER).context.documents) == 1


def test_a_quote_that_no_chunk_holds_whole_gives_its_page(place: Workspace) -> None:
    torn = replace(CLOSING, evidence=(Evidence("pier.md", "words that the border of two chunks cut"),))
    assert [each.source for each in oracle(torn, INDEX, place).ask(torn.question, user=OWNER).context.documents]


def test_questions_without_known_evidence_have_no_part_in_it(place: Workspace) -> None:
    records = list(answers_with_evidence([CLOSING, UNANSWERABLE, UNKNOWN], INDEX, place))
    assert [(each.question_id, each.stage, each.metrics["correctness"]) for each in records] == [
        ("pier", WITH_EVIDENCE, 1.0),
        ("ferry", WITH_EVIDENCE, 1.0),
    ]


def test_a_file_that_is_no_document_is_named_and_nothing_that_rests_on_it_is_measured(place: Workspace) -> None:
    mistyped = replace(CLOSING, id="mistyped", evidence=(Evidence("peir.md", "The pier closes at eight"),))
    run = evaluate([stage_named("enhanced")], own_questions=[CLOSING, mistyped], workspace=place)
    known, unknown = run.records
    assert known.metrics["doc_recall@5"] == 1.0
    assert "doc_recall@5" not in unknown.metrics
    assert "There is a document pier.md, but none named peir.md: what rests on it is not measured." in run.notes


@pytest.mark.parametrize("timed", [True, False])
def test_a_question_takes_the_time_of_its_embedding_unless_no_times_are_wanted(
    place: Workspace, timed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten = []
    monkeypatch.setattr(CachedEmbedding, "forget_questions", lambda embedding: forgotten.append(embedding))
    monkeypatch.setattr(place.settings, "evaluation_timed", timed)
    assert len(list(answers([oracle(CLOSING, INDEX, place)], [CLOSING]))) == 1
    assert forgotten == [place.embedding] * timed


def capped(correct: float = 0.5, given: float = 0.6) -> Evaluation:
    """A run of thirty questions in which the stages and the oracle get this share right."""
    shares = {"smart": correct, "reranked": correct, WITH_EVIDENCE: given}
    run = evaluation(
        {name: [float(n < 30 * share) for n in range(30)] for name, share in shares.items()}, "correctness"
    )
    told = [[each for each in run.records if (each.stage == WITH_EVIDENCE) is wanted] for wanted in (False, True)]
    return replace(run, records=tuple(told[0]), with_evidence=tuple(told[1]))


def test_every_table_of_correctness_shows_it() -> None:
    run, printed = capped(), StringIO()
    Console(file=printed, width=80).print(report(run))
    assert WITH_EVIDENCE in run._repr_html_()
    assert "What is wrong there, a better search alone" in printed.getvalue()
    assert run.table(["right"]).rows[0][-1].startswith("0.60 [")
    found = json.loads(json.dumps(run.as_dict(), allow_nan=False))["with_evidence"]
    assert (found["n"], found["correctness"], found["right"], found["wrong"]) == (30, 0.6, 0.6, 0.4)
    assert set(found["by_category"]) == {"fact", "multi-part", "identifier"}
    assert "recall@5" not in found


def test_without_it_no_table_speaks_of_it() -> None:
    run, printed = replace(capped(), with_evidence=()), StringIO()
    Console(file=printed, width=80).print(report(run))
    assert "given the evidence" not in run._repr_html_() + printed.getvalue()
    assert run.as_dict()["with_evidence"] is None


@pytest.mark.parametrize("plot", [plot_metric, plot_groups, plot_cost])
def test_every_plot_of_correctness_draws_it_and_no_other_does(plot) -> None:
    def dashed(metric: str) -> list[object]:
        (axes,) = plot(capped(), metric).axes
        return [line for line in axes.lines if line.get_linestyle() == "--" and len(line.get_xdata())]

    assert dashed("correctness")
    assert not dashed("recall@5")


def test_a_gate_above_the_ceiling_is_not_reachable_and_one_below_is_missed() -> None:
    def judged(given: float) -> str:
        return next(str(each) for each in gate_report(capped(0.5, given)) if "above smart" in each.promise)

    assert judged(0.5).startswith("not reachable: reranked")
    assert "it would take 0.550; given the evidence it is 0.500" in judged(0.5)
    assert judged(0.6).startswith("missed: reranked")


def test_a_stage_above_the_ceiling_has_not_reached_its_goal_but_could() -> None:
    gate = next(str(each) for each in gate_report(capped(0.5, 0.4)) if "above smart" in each.promise)
    assert gate.startswith("missed: reranked")
    assert "given the evidence it is 0.400" in gate


ASKED = [CLOSING, UNANSWERABLE, UNKNOWN]


def test_stages_of_the_same_name_are_refused_before_anything_is_asked(place: Workspace) -> None:
    smart, told = stage_named("smart"), []
    variants = [smart.but(reranker=ByScore()), smart.but(reranker=MMR())]
    with pytest.raises(LessonsError, match=r"Two stages are named 'my smart'; give one another name"):
        evaluate(variants, own_questions=ASKED, workspace=place, watch=lambda *label: told.append(label))
    assert told == []


def measured(place: Workspace, server: Server, *behaviours: str):
    server.behave(*behaviours)
    served = language_model(Settings(openai_base_url=server.url, max_retries=0, llm_model="m"))
    lines: list[str] = []
    return evaluate(
        [stage_named("enhanced")], own_questions=ASKED, workspace=replace(place, llm=served), tell=lines.append
    ), lines


def test_a_served_run_is_announced_and_forecast_and_says_who_did_its_steps(place: Workspace, server: Server) -> None:
    run, lines = measured(place, server, "answer")
    assert lines[0].startswith("m at 127.0.0.1")
    assert "3 questions × 1 stage," in lines[0]
    assert "5 answers" in lines[0]
    assert lines[1] == forecast(run.records[0], 3)
    assert run.as_dict()["stages"]["enhanced"]["answered_by"] == {"m": 3}
    assert not [note for note in run.notes if "in place of" in note]


def test_what_the_keyless_model_did_in_its_place_stands_beside_the_numbers(place: Workspace, server: Server) -> None:
    run, _ = measured(place, server, "answer", "error")
    assert run.summary("enhanced").answered_by == {"m": 1, "keyless model": 2}
    assert "enhanced: the keyless model did 2 of 3 steps in place of m at" in " ".join(run.notes)
    assert "keyless model 67%" in run._repr_html_()
    stored = load(save(run, engine(place.settings)), engine(place.settings))
    assert [note for note in stored.notes if "in place of m at" in note]
    assert stored.summary("enhanced").answered_by == run.summary("enhanced").answered_by


def test_a_keyless_run_announces_nothing_asks_with_the_evidence_given_and_keeps_that_apart(place: Workspace) -> None:
    lines: list[str] = []
    seen: list[str] = []
    watch = lambda label, *_: seen.append(label)  # noqa: E731
    run = evaluate([stage_named("enhanced")], own_questions=ASKED, workspace=place, watch=watch, tell=lines.append)
    assert lines == []
    assert run.summary("enhanced").answered_by == {"keyless model": 3}
    assert run.quotes
    assert (run.stages, [each.question_id for each in run.with_evidence]) == (["enhanced"], ["pier", "ferry"])
    assert seen[-1] == "Asking with the evidence given"
    kept = load(save(run, engine(place.settings)), engine(place.settings))
    assert (kept.stages, kept.with_evidence) == (run.stages, run.with_evidence)
