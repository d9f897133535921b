"""What one visitor may ask and upload: counted by owner and address, generous at home, told in a sentence."""

from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from lessons.errors import LessonsError
from lessons.pages import common
from lessons.pages.common import RateLimit, allow_questions, allow_uploads
from lessons.settings import settings
from lessons.tables import plain
from tests.support.app import shown


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An app that others can reach, before anybody has asked."""
    monkeypatch.setattr(common, "is_shared", lambda: True)
    common._limit.clear()
    yield
    common._limit.clear()


@given(st.lists(st.tuples(st.floats(0, 30), st.integers(1, 4)), max_size=30), st.integers(1, 6))
@example([(1.3530133057369529, 1), (30.0, 1), (30.0, 1)], 1)  # the first ends just now, but for rounding
def test_never_more_than_the_limit_within_the_window(steps: list[tuple[float, int]], most: int) -> None:
    now, taken = 0.0, []
    limit = RateLimit(60, lambda: now)
    for pause, number in steps:
        now += pause
        if not limit.take("mina", most, number):
            taken += [now] * number
        assert sum(at > now - 60 for at in taken) <= most


def test_the_wait_that_is_told_is_long_enough() -> None:
    now = 0.0
    limit = RateLimit(60, lambda: now)
    limit.take("mina", 2)
    now = 10.0
    limit.take("mina", 2)
    assert limit.take("mina", 2) == 50.0
    now = 60.0
    assert limit.take("mina", 2) == 0.0


def test_visitors_do_not_count_against_each_other_and_are_forgotten() -> None:
    now = 0.0
    limit = RateLimit(60, lambda: now)
    assert [limit.take("mina", 1), limit.take("joon", 1)] == [0.0, 0.0]
    now = 61.0
    limit.take("ara", 1)
    assert set(limit._events) == {"ara"}


def test_too_many_questions_are_refused_with_the_time_to_wait(shared: None) -> None:
    allow_questions("mina", settings().questions_a_minute)
    with pytest.raises(LessonsError, match="ask again in 60 seconds"):
        allow_questions("mina")
    allow_questions("joon")


def test_too_many_uploads_are_refused_with_the_time_to_wait(shared: None) -> None:
    with pytest.raises(LessonsError, match="upload again in 60 minutes, or fewer files"):
        allow_uploads("mina", settings().uploads_an_hour + 1)
    allow_uploads("mina", settings().uploads_an_hour)


def test_at_home_the_limits_are_far_away(shared: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "is_shared", lambda: False)
    allow_questions("mina", 10 * settings().questions_a_minute)


def test_the_page_tells_it_and_asks_nothing(shop: None, shared: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def script() -> None:
        from lessons.pages import chat

        chat.page()

    monkeypatch.setattr(settings(), "questions_a_minute", 0)
    page = AppTest.from_function(script, default_timeout=120).run()
    page.chat_input[0].set_value("When does the kiosk open?").run()
    assert not page.exception
    assert plain("more than 0 answers a minute") in shown(page)
    assert plain("7:30") not in shown(page)
