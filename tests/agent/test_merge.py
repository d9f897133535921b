"""What several searches found is one list in which each search has its say."""

from hypothesis import given
from hypothesis import strategies as st

from lessons.agent import take_turns
from lessons.rag.types import RetrievedDocument

SEARCHES = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=5), max_size=5)


def found(names: str) -> list[RetrievedDocument]:
    return [RetrievedDocument(name, name, 1.0, name) for name in names]


def ids(*searches: str) -> str:
    return "".join(document.id for document in take_turns(map(found, searches)))


def test_the_first_search_comes_first_and_the_others_take_turns() -> None:
    assert ids("abc", "adef", "bgh") == "abcdgehf"


def test_what_the_first_search_ranks_low_waits_for_the_best_of_the_others() -> None:
    assert ids("abcxy", "adx", "g") == "abcdgxy"


def test_one_search_stays_as_it_is() -> None:
    assert ids("cab") == "cab"
    assert ids() == ids("") == ""


@given(SEARCHES)
def test_every_document_is_there_once(searches: list[list[str]]) -> None:
    listed = ids(*("".join(search) for search in searches))
    assert sorted(listed) == sorted(set().union(*searches)) if searches else listed == ""
