"""Questions about nothing in the documents, written by somebody who had not read the search, find nothing more often
the fewer documents there are; a question that has its evidence there always finds something.

`off_topic/dev.jsonl` was used for fitting, `off_topic/frozen.jsonl` only for counting.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lessons.evaluate.golden import golden_questions
from lessons.ingest.pipeline import ingest
from lessons.library import CORPUS
from lessons.rag.types import Query, Scope
from lessons.rag.workspace import Workspace
from lessons.stages import stage_named
from lessons.trace import Trace
from tests.support.shipped import shipped_corpus

pytestmark = pytest.mark.slow

SMART = stage_named("smart")


@pytest.fixture(scope="module")
def place() -> Iterator[Workspace]:
    with shipped_corpus([SMART.index]) as made:
        yield made


def frozen() -> list[str]:
    lines = Path(__file__).with_name("off_topic").joinpath("frozen.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines]


def finds(place: Workspace, question: str, owner: str, history: tuple[tuple[str, str], ...] = ()) -> bool:
    query = Query(question, Scope(owner), history=history)
    return bool(SMART.search(query, place.resources(SMART.index), Trace()))


@pytest.mark.parametrize(("owner", "least"), [("reader", 4), ("joon", 32), ("mina", 32)])
def test_a_question_about_something_else_finds_nothing(place: Workspace, owner: str, least: int) -> None:
    assert sum(not finds(place, question, owner) for question in frozen()) >= least


def test_most_questions_about_something_else_are_refused(place: Workspace) -> None:
    stage = SMART.but("asked", workspace=place)
    assert sum(not stage.ask(question, user="reader").found for question in frozen()) >= 35


@pytest.mark.parametrize(
    "files",
    [
        ("courses/joon/db_indexes_en.pdf", "courses/joon/net_tcp_en.pdf"),
        ("product/guide_commitments_en.pdf", "product/guide_sso_en.md", "product/guide_connect_altis_en.pdf"),
        ("product/guide_api_ko.html", "product/guide_anomalies_ko.html"),
        ("courses/mina/cell_membrane_ko.pptx", "courses/mina/biostat_syllabus_ko.pdf"),
    ],
)
def test_a_folder_of_a_few_chunks_obeys_the_same_rule(place: Workspace, files: tuple[str, ...]) -> None:
    owner = files[0].replace("/", "-")
    store = place.store(SMART.index)
    list(ingest([(CORPUS / file, file) for file in files], SMART.index, store, place.embedding, Scope(owner)))
    assert 0 < sum(document.chunks for document in store.documents(Scope(owner))) <= 12
    asked = [golden for golden in golden_questions("dev") if golden.evidence and not golden.history]
    answered = [golden for golden in asked if {evidence.source_file for evidence in golden.evidence} <= {*files}]
    assert answered
    assert [golden.id for golden in answered if not finds(place, golden.question, owner)] == []
    assert sum(not finds(place, question, owner) for question in frozen()) >= 40


def test_no_dev_question_with_evidence_finds_nothing(place: Workspace) -> None:
    asked = [golden for golden in golden_questions("dev") if golden.evidence]
    assert [golden.id for golden in asked if not finds(place, golden.question, golden.owner, golden.history)] == []
