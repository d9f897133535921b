"""What several searches found is one list in which each search has its say."""

from hypothesis import given
from hypothesis import strategies as st

from lessons.agent import merge_searches
from lessons.rag.types import RetrievedDocument

SEARCHES = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=5), max_size=5)


def found(names: str) -> list[RetrievedDocument]:
    """Score the first 1.0 and each that follows 0.1 less."""
    return [RetrievedDocument(name, name, 1 - 0.1 * rank, name) for rank, name in enumerate(names)]


def ids(*searches: str, further: str = "") -> str:
    return "".join(document.id for document in merge_searches(map(found, searches), found(further)))


def test_the_best_of_each_search_comes_before_what_any_search_ranks_second() -> None:
    assert ids("abc", "dab", "ge") == "adgbce"


def test_of_the_others_the_one_that_several_searches_found_comes_first() -> None:
    assert ids("abxy", "cdy") == "acybxd"


def test_what_the_first_search_found_counts_more() -> None:
    assert ids("ab", "cde") == "acbde"


def test_what_the_reranker_left_out_fills_the_places_behind_all_searches() -> None:
    assert ids("ab", "c", further="daebf") == "acbdef"


def test_one_search_stays_as_it_is() -> None:
    assert ids("cab") == "cab"
    assert ids() == ids("") == ""


@given(SEARCHES)
def test_every_document_is_there_once(searches: list[list[str]]) -> None:
    listed = ids(*("".join(search) for search in searches))
    assert sorted(listed) == sorted(set().union(*searches)) if searches else listed == ""
