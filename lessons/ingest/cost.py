"""What enriching files will cost, before it is spent.

The keyless model enriches the same chunks with the same prompts first, which takes milliseconds. What it reads is what
a served model will read, and what it says is about as long.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from llama_index.core.llms import LLM

from lessons.errors import ReadError
from lessons.ingest.enrich import Enrichment, Keywords, extractors
from lessons.ingest.index import Index
from lessons.ingest.read import content_hash, read
from lessons.models.keyless import OfflineLLM
from lessons.models.llm import price
from lessons.models.tokens import ExactTokenCounter
from lessons.rag.types import Scope
from lessons.trace import Step

SAMPLE = 50  # chunks of one file that are enriched to know what it costs


@dataclass(frozen=True)
class Estimate:
    """Calls to the model and its tokens for files that are not enriched yet; `cost` in US dollars."""

    level: Enrichment
    files: int = 0
    chunks: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    def __str__(self) -> str:
        head = f"Enriching {self.files} file{'' if self.files == 1 else 's'} at the level {self.level}"
        if not self.calls:
            return f"{head} asks no model."
        tokens = f"{self.tokens_in:,} tokens in and {self.tokens_out:,} out"
        money = f"about ${self.cost:.4f}" if self.cost else "free of charge"
        return f"{head}: {self.calls:,} calls for {self.chunks:,} chunks, {tokens}, {money}."


def estimate(
    files: Sequence[tuple[Path, str]],
    index: Index,
    level: Enrichment,
    llm: LLM,
    scope: Scope,
    known: Collection[str] = (),
) -> Estimate:
    """What it costs to enrich (path, source_file) pairs, but for those whose fingerprint is `known`.

    Of a long file about `SAMPLE` chunks stand for the others. Files that cannot be read cost nothing. An index that
    does not enrich, too.
    """
    wanted, cut = index.at(level, llm), index.at("none", llm)
    done, chunks, calls, read_in, written = 0, 0, 0.0, 0.0, 0.0
    for path, name in files:
        try:
            if wanted.fingerprint(content_hash(path), scope.type) in known:
                continue
            documents = read(path, name)
        except ReadError:
            continue
        done += 1
        nodes, step = cut.chunks(documents, scope.user_id, scope.type), Step("estimate")
        sample = nodes[:: 1 + len(nodes) // SAMPLE]
        for extractor in extractors(level, OfflineLLM()) if wanted.enriches else ():
            extractor(sample, step=step)
        share = len(nodes) / max(1, len(sample))
        chunks, calls = chunks + len(nodes), calls + share * step.llm_calls
        read_in, written = read_in + share * step.tokens_in, written + share * step.tokens_out
    if isinstance(llm, OfflineLLM):
        return Estimate(level, done, chunks, round(calls), round(read_in), round(written))
    # A server adds the form of the keywords to each prompt that asks for them.
    form = ExactTokenCounter(llm.metadata.model_name).count(json.dumps(Keywords.model_json_schema()))
    tokens_in, tokens_out = round(read_in) + (chunks * form if wanted.enriches else 0), round(written)
    return Estimate(level, done, chunks, round(calls), tokens_in, tokens_out, price(tokens_in, tokens_out))
