"""Connections to a server elsewhere, which notice that it has gone silent.

TCP gives up on a peer that is gone (the options in `connection`), but not on a proxy that takes everything in and
passes nothing on. So a statement that has waited for a while asks over a second connection whether the server is there.
A long statement may take its time: its server answers.
"""

from time import monotonic
from typing import Any

import psycopg
from psycopg.abc import RV, PQGen

SILENCE = 8.0  # seconds that a statement waits for a sign of the server before it asks for one
PATIENCE = 8  # seconds that the server has to answer then; 2 are the least


class CheckedConnection(psycopg.Connection):
    """A connection of psycopg's; OperationalError if its server no longer answers."""

    def wait(self, gen: PQGen[RV], *arguments: Any, **words: Any) -> RV:
        """As psycopg's, which comes back to the generator some times a second, also with nothing."""
        return super().wait(self._checked(gen), *arguments, **words)

    def _checked(self, gen: PQGen[RV]) -> PQGen[RV]:
        try:
            wanted, heard = next(gen), monotonic()
            while True:
                if ready := (yield wanted):
                    heard = monotonic()
                elif monotonic() - heard > SILENCE:
                    self._ask_for_a_sign()
                    heard = monotonic()
                wanted = gen.send(ready)
        except StopIteration as done:
            return done.value

    def _ask_for_a_sign(self) -> None:
        """Whatever a server says to a new connection is a sign of it, be it that nobody may come in."""
        info = self.info
        if info.host.startswith("/"):
            return  # a socket of this machine
        same: dict[str, Any] = {"host": info.host, "hostaddr": info.hostaddr, "port": info.port}
        try:
            psycopg.connect(info.dsn, **same, connect_timeout=PATIENCE).close()
        except psycopg.errors.ConnectionTimeout as error:
            self.close()
            message = 'connection to server at "{host}", port {port} timed out'
            raise psycopg.OperationalError(message.format_map(same)) from error
        except psycopg.OperationalError:
            pass
