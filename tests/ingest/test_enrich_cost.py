"""What enriching will cost, told before, and what it has cost, told after."""

from pathlib import Path
from typing import Any

import pytest

from lessons.ingest.enrich import ChunkExtractor
from lessons.ingest.index import enhanced_index, naive_index
from lessons.ingest.pipeline import Estimate, estimate
from lessons.ingest.read import content_hash
from lessons.keyless.llm import OfflineLLM
from lessons.models.llm import language_model
from lessons.rag.types import Scope
from lessons.settings import ROOT, Settings
from lessons.trace import Step
from tests.support.openai_server import Server

CORPUS = ROOT / "data" / "corpus"
NAMES = ["product/guide_sso_en.md", "product/faq_connectors_ko.md", "reports/veldrane-labor-memo.md"]
FILES = [(CORPUS / name, name) for name in NAMES]
OWNER = Scope("mina")


def spent(llm: Any, level: Any) -> Step:
    from lessons.ingest.read import read

    step = Step("enrich")
    for path, name in FILES:
        enhanced_index().enriched(level, llm).chunks(read(path, name), "mina", step=step)
    return step


@pytest.mark.parametrize("level", ["keywords", "full"])
def test_the_estimate_is_within_a_fifth_of_what_is_spent(server: Server, level: Any) -> None:
    llm = language_model(Settings(openai_base_url=server.url))
    told, step = estimate(FILES, enhanced_index(), level, llm, OWNER), spent(llm, level)
    assert told.calls == step.llm_calls
    assert told.tokens_in == pytest.approx(step.tokens_in, rel=0.2)
    assert told.cost == pytest.approx(step.cost, rel=0.2)


def test_a_long_file_is_estimated_from_a_sample_of_its_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.md"
    path.write_text("\n\n".join(file.read_text(encoding="utf-8") for file, _ in 5 * FILES), encoding="utf-8")
    enriched = estimate([(path, "long.md")], enhanced_index(), "full", OfflineLLM(), OWNER)
    monkeypatch.setattr("lessons.ingest.pipeline.SAMPLE", 4)
    asked: list[object] = []
    ask = ChunkExtractor._ask
    monkeypatch.setattr(ChunkExtractor, "_ask", lambda *given: asked.append(given) or ask(*given))
    sampled = estimate([(path, "long.md")], enhanced_index(), "full", OfflineLLM(), OWNER)
    assert (sampled.calls, sampled.chunks) == (enriched.calls, enriched.chunks)
    assert sampled.tokens_in == pytest.approx(enriched.tokens_in, rel=0.2)
    assert len(asked) <= 2 * 4 < enriched.calls


def test_the_keyless_model_costs_nothing() -> None:
    told = estimate(FILES, enhanced_index(), "full", OfflineLLM(), OWNER)
    assert (told.files, told.calls, told.cost) == (3, 2 * told.chunks, 0.0)
    assert "free of charge" in str(told)


@pytest.mark.parametrize(("index", "level"), [(naive_index(), "full"), (enhanced_index(), "none")])
def test_what_does_not_enrich_asks_no_model(index: Any, level: Any) -> None:
    told = estimate(FILES, index, level, OfflineLLM(), OWNER)
    assert (told.calls, told.tokens_in, told.tokens_out) == (0, 0, 0)
    assert "asks no model" in str(told)


def test_files_that_are_enriched_already_or_cannot_be_read_cost_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"no pdf")
    known = [enhanced_index().fingerprint(content_hash(path), None) for path, _ in FILES[:2]]
    files = [*FILES, (tmp_path / "bad.pdf", "bad.pdf"), (tmp_path / "gone.md", "gone.md")]
    assert estimate(files, enhanced_index(), "full", OfflineLLM(), OWNER, known).files == 1


def test_an_estimate_names_calls_tokens_and_dollars() -> None:
    told = str(Estimate("full", 3, 60, 120, 45_000, 9_000, 0.01215))
    assert told == (
        "Enriching 3 files at the level full: 120 calls for 60 chunks, 45,000 tokens in and 9,000 out, about $0.0121."
    )
