"""Connections that notice a silent server."""

from collections.abc import Iterator
from time import monotonic

import pytest
from sqlalchemy import URL, make_url, text

from lessons.database import engine, explained, remote, stop
from lessons.errors import DatabaseError
from lessons.settings import Settings
from tests.conftest import new_tenant
from tests.support.proxy import Proxy, proxy

AT_MOST = 30.0  # seconds


@pytest.fixture
def between(tcp_server: str) -> Iterator[Proxy]:
    url = make_url(tcp_server)
    with proxy(str(url.host), int(url.port or 0)) as opened:
        yield opened


@pytest.fixture
def behind(tcp_server: str, between: Proxy, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """The second server behind the proxy, and connections that lose patience sooner than others."""
    monkeypatch.setattr(remote, "SILENCE", 1.0)
    monkeypatch.setattr(remote, "PATIENCE", 2)
    url: URL = make_url(tcp_server).set(port=between.port).update_query_dict({"connect_timeout": "2"})
    chosen = Settings(database_url=url.render_as_string(False))
    yield chosen
    stop(chosen)


def test_a_server_that_goes_silent_during_a_statement_is_given_up(behind: Settings, between: Proxy) -> None:
    with engine(behind).connect() as connection:
        assert connection.scalar(text("SELECT 1")) == 1
        between.silent, began = True, monotonic()
        with pytest.raises(DatabaseError, match=rf"at 127\.0\.0\.1, port {between.port} does not answer"), explained():
            connection.execute(text("SELECT 2"))
    assert monotonic() - began < AT_MOST


def test_a_server_that_went_silent_between_two_statements_is_given_up(behind: Settings, between: Proxy) -> None:
    with engine(behind).connect() as connection:
        assert connection.scalar(text("SELECT 1")) == 1
    between.silent, began = True, monotonic()
    with pytest.raises(DatabaseError, match="does not answer"), explained():
        engine(behind).connect()
    assert monotonic() - began < AT_MOST
    between.silent = False
    with engine(behind).connect() as connection:
        assert connection.scalar(text("SELECT 1")) == 1


def test_a_long_statement_may_take_its_time(behind: Settings) -> None:
    with engine(behind).connect() as connection:
        assert connection.scalar(text("SELECT 7 FROM pg_sleep(3.5)")) == 7


def test_a_server_that_lets_nobody_else_in_is_still_there(behind: Settings, tcp_server: str) -> None:
    user = make_url(new_tenant(tcp_server, "CONNECTION LIMIT 1").database_url.get_secret_value())  # type: ignore[union-attr]
    port = make_url(behind.database_url.get_secret_value()).port  # type: ignore[union-attr]
    chosen = Settings(database_url=user.set(port=port).render_as_string(False))
    with engine(chosen).connect() as connection:
        assert connection.scalar(text("SELECT 7 FROM pg_sleep(2.5)")) == 7
    stop(chosen)
