"""Levels of enrichment through jobs: what is stored, what is shown meanwhile, and what is told afterwards."""

from dataclasses import replace
from typing import Any

import pytest
from llama_index.core.llms import LLM

from lessons.database import engine
from lessons.ingest.enrich import ENRICHED_KEYS
from lessons.ingest.index import enhanced_index
from lessons.ingest.jobs import Jobs
from lessons.ingest.queue import JobStatus
from lessons.keyless.llm import OfflineLLM
from lessons.models.llm import language_model
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from tests.ingest.jobs_place import HashEmbedding
from tests.support.openai_server import Server

INDEX = replace(enhanced_index(), name="jobs_levels")
SENTENCES = [f"The connector CCX-{4000 + number} reads the bucket of payer account {number}." for number in range(60)]
FILE = (" ".join(SENTENCES).encode(), "notes.md")


@pytest.fixture
def place(one_database: Settings) -> Workspace:
    return Workspace(one_database, engine(one_database), HashEmbedding(), OfflineLLM())


def done(place: Workspace, owner: Scope, level: Any = None, llm: LLM | None = None) -> JobStatus:
    jobs = Jobs(replace(place, llm=llm or place.llm), {INDEX.name: INDEX})
    return jobs.wait(jobs.submit([FILE], owner, enrichment=level), owner, 30)


def added(place: Workspace, owner: Scope) -> set[str]:
    return {key for node in place.store(INDEX).get_nodes(scope=owner) for key in node.metadata if key in ENRICHED_KEYS}


def test_a_job_enriches_at_its_level(place: Workspace, owner: Scope) -> None:
    ended = done(place, owner, "keywords")
    assert (ended.status, ended.enrichment) == ("COMPLETED", "keywords")
    assert added(place, owner) == {"keywords"}
    assert ended.results[0].llm_calls == ended.results[0].chunks > 1


def test_without_a_level_all_that_is_free_is_added_and_nothing_that_costs(
    place: Workspace, owner: Scope, server: Server
) -> None:
    assert done(place, owner).enrichment == "full"
    paid = language_model(Settings(openai_base_url=server.url))
    assert done(place, owner, llm=paid).enrichment == "none"
    assert server.requests == []


def test_another_level_ingests_the_file_anew_and_the_same_one_does_not(place: Workspace, owner: Scope) -> None:
    levels: list[Any] = ["none", "none", "full", "full", "keywords"]
    found = [done(place, owner, level).results[0].status for level in levels]
    assert found == ["added", "unchanged", "replaced", "unchanged", "replaced"]
    assert added(place, owner) == {"keywords"}


def test_while_the_extractors_run_the_job_is_enriching_and_tells_how_far(place: Workspace, owner: Scope) -> None:
    seen: list[JobStatus] = []

    class Looking(OfflineLLM):
        def predict(self, *args: Any, **given: Any) -> str:
            seen.extend(jobs.all(owner))
            return super().predict(*args, **given)

        def structured_predict(self, *args: Any, **given: Any) -> Any:
            seen.extend(jobs.all(owner))
            return super().structured_predict(*args, **given)

    jobs = Jobs(replace(place, llm=Looking()), {INDEX.name: INDEX})
    ended = jobs.wait(jobs.submit([FILE], owner, enrichment="full"), owner, 30)
    chunks = sum(result.chunks for result in ended.results)
    assert {job.status for job in seen} == {"ENRICHING"}
    assert {job.step for job in seen} <= {"enriching", "summaries", "keywords"}
    assert {(job.step, job.step_done, job.step_total) for job in seen} >= {("summaries", chunks, chunks)}


def test_a_model_that_fails_half_way_loses_nothing_and_is_told(place: Workspace, owner: Scope, server: Server) -> None:
    server.behave("answer", "error")
    llm = language_model(Settings(openai_base_url=server.url, max_retries=0))
    (result,) = done(place, owner, "full", llm).results
    assert result.status == "added"
    assert f"The model failed {2 * result.chunks - 1} times and the keyless model filled in" in (result.reason or "")
    nodes = place.store(INDEX).get_nodes(scope=owner)
    assert all(node.metadata["keywords"] and node.metadata["section_summary"] for node in nodes)
