"""Keywords and summaries for each chunk, by LlamaIndex's extractors on whichever model is configured.

Only the call itself is ours: it goes through `lessons.models.call`, so that it is booked, and answered by the keyless
model when the configured one fails.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal

from llama_index.core.extractors import BaseExtractor, KeywordExtractor, SummaryExtractor
from llama_index.core.llms import LLM
from llama_index.core.schema import BaseNode, MetadataMode
from pydantic import PrivateAttr

from lessons.ingest.enrich.prompts import KEYWORDS, LONGEST_KEYWORD, SUMMARY, Keywords
from lessons.models.call import predict, structured
from lessons.models.keyless import OfflineLLM
from lessons.settings import settings
from lessons.text import language, normalize
from lessons.trace import Step

Enrichment = Literal["none", "keywords", "full"]
"""How much is added to each chunk: nothing, keywords, or keywords and the summaries of it and its neighbours."""

ADDED = ("keywords", "section_summary", "prev_section_summary", "next_section_summary")

Advance = Callable[[str, int, int], object]


class ChunkExtractor(BaseExtractor):
    """What both extractors share: the nodes they are given are the chunks of one document, in order."""

    llm: LLM
    _step: Step = PrivateAttr(default_factory=lambda: Step("enrich"))
    _advance: Advance | None = PrivateAttr(default=None)
    _document: tuple[str, ...] = PrivateAttr(default=())
    _done: int = PrivateAttr(default=0)

    def __call__(
        self, nodes: Sequence[BaseNode], step: Step | None = None, advance: Advance | None = None, **_: Any
    ) -> list[BaseNode]:
        """Enrich the chunks; book the calls on `step`, and tell `advance` what is made and for how many chunks."""
        mine = self.model_copy()
        mine._step, mine._advance, mine._done = step or Step("enrich"), advance, 0
        mine._document = tuple(node.get_content(MetadataMode.NONE) for node in nodes)
        return mine.process_nodes(nodes)

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """What tells one recipe from another: no keys, no addresses."""
        return {"class_name": self.class_name(), "model": self.llm.metadata.model_name}

    async def _ask(self, what: str, node: BaseNode, call: Callable[..., Any]) -> Any:
        """One call in a thread of its own; its step joins the document's when it is done."""
        step = Step(what)
        result = await asyncio.to_thread(call, self.llm, step, **variables(node, self._document))
        self._step.add(step)
        self._done += 1
        if self._advance:
            self._advance(what, self._done, len(self._document))
        return result


class ChunkKeywords(ChunkExtractor, KeywordExtractor):
    """`keywords`: a list of at most `keywords` of them, the most important first."""

    async def _aextract_keywords_from_node(self, node: BaseNode) -> dict[str, Any]:
        return {"keywords": await self._ask("keywords", node, self._keywords)}

    def _keywords(self, llm: LLM, step: Step, **given: Any) -> list[str]:
        return ask_keywords(llm, step, self.keywords, **given)


class ChunkSummaries(ChunkExtractor, SummaryExtractor):
    """`section_summary`, made once for each chunk, and its neighbours' as `prev_…` and `next_section_summary`."""

    async def _agenerate_node_summary(self, node: BaseNode) -> str:
        return await self._ask("summaries", node, ask_summary)


def extractors(level: Enrichment, llm: LLM) -> tuple[ChunkExtractor, ...]:
    """The extractors of a level, in the order in which what they add is embedded."""
    chosen = settings()
    shared: dict[str, Any] = {"llm": llm, "num_workers": chosen.enrichment_workers}
    shared |= {"show_progress": False, "disable_template_rewrite": True}
    keywords = ChunkKeywords(keywords=chosen.keywords_per_chunk, **shared)
    if level == "full":
        return ChunkSummaries(summaries=["self", "prev", "next"], **shared), keywords
    return (keywords,) if level == "keywords" else ()


def default_level(llm: LLM) -> Enrichment:
    """What the settings say, or all that is free: `full` while the keyless model answers, and `none` of a paid one."""
    return settings().enrichment or ("full" if isinstance(llm, OfflineLLM) else "none")


def ask_keywords(llm: LLM, step: Step, count: int, *, text: str, **given: Any) -> list[str]:
    """At most `count` keywords of a chunk, from the keyless model if the other one gives none that can be used."""
    prompt, most = KEYWORDS[language(text)], {"keywords": (1, count)}
    found = clean(structured(llm, Keywords, prompt, step, items=most, text=text, count=count, **given).keywords, count)
    keyless = getattr(llm, "keyless", None)
    if found or keyless is None:
        return found
    step.notes.append("model failed (it named no keyword); answered by the keyless model")
    return clean(structured(keyless, Keywords, prompt, step, text=text, count=count, **given).keywords, count)


def ask_summary(llm: LLM, step: Step, *, text: str, **given: Any) -> str:
    """A chunk in one or two sentences."""
    said = normalize(predict(llm, SUMMARY[language(text)], step, text=text, **given))
    return " ".join(said.split())


def clean(words: Sequence[str], count: int) -> list[str]:
    """The first `count` that can be used: trimmed, not empty, not too long, no number, none twice."""
    kept: dict[str, str] = {}
    for word in (" ".join(normalize(word).split()).strip(" ,;.#\"'") for word in words):
        if 0 < len(word) <= LONGEST_KEYWORD and any(character.isalpha() for character in word):
            kept.setdefault(word.casefold(), word)
    return list(kept.values())[:count]


def variables(node: BaseNode, document: Sequence[str]) -> dict[str, Any]:
    """What the prompts say of a chunk. `document`, all chunks' texts, is for the keyless model and is not sent."""
    given = {key: node.metadata.get(key, "") for key in ("title", "section")}
    return given | {"text": node.get_content(MetadataMode.NONE), "document": document}
