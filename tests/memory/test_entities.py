"""Entities: a known key is replaced and moves to the end, and there are never more than 25."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.memory.turns import Entity, merge_entities
from lessons.settings import settings

KEYS = st.text("abcdefg", min_size=1, max_size=2) | st.integers(0, 60).map("key {}".format)
ENTITY = st.builds(Entity, KEYS, st.text(max_size=200), st.integers(1, 300))


def test_a_known_key_is_replaced_and_moves_to_the_end() -> None:
    known = merge_entities((), [Entity("budget", "500 dollars", 1), Entity("service", "EC2", 2)])
    assert merge_entities(known, [Entity("예산", "300 dollars", 3)]) == (known[1], Entity("예산", "300 dollars", 3))


def test_an_empty_value_takes_its_key_out() -> None:
    assert merge_entities([Entity("budget", "500 dollars", 1)], [Entity("budget", "", 2)]) == ()


@given(st.lists(st.lists(ENTITY, max_size=30), max_size=12))
def test_after_any_number_of_turns_there_are_at_most_25_and_the_newest_is_last(turns: list[list[Entity]]) -> None:
    known: tuple[Entity, ...] = ()
    for new in turns:
        known = merge_entities(known, new)
        assert len(known) <= settings().entities_kept == 25
        if new and new[-1].value.strip():
            assert known[-1].turn == new[-1].turn
    assert len({entity.key for entity in known}) == len(known)


def test_where_none_may_be_kept_none_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "entities_kept", 0)
    assert merge_entities((), [Entity("plan", "9", 1)]) == ()
