"""The least a search can take: its SQL alone, prepared, on an open connection that is set up already."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from psycopg import Connection
from sqlalchemy import Connection as Prepared
from sqlalchemy import Select, TextClause

from lessons.bench.corpus import OWNER
from lessons.rag.store import ChunkStore
from lessons.scale.hnsw import set_up_walk
from lessons.search.filters import also
from lessons.settings import settings
from lessons.text import terms

Statements = Callable[[int], Sequence[Select | TextClause]]
"""The statements of a round, by its number."""

LANGUAGES = ("en", "ko")
"""Of the made-up chunks, in turn; each is searched on its own."""


class Floors:
    """Builds the statements of searches beforehand, and runs them."""

    def __init__(self, store: ChunkStore, connection: Prepared) -> None:
        self.store, self.connection = store, connection
        self.raw: Connection = connection.connection.driver_connection  # type: ignore[assignment]

    def asking(self, statements: Statements, rounds: range) -> Callable[[int], object]:
        """What runs the statements of a round and fetches their rows."""
        ready = {number: [self._compiled(each) for each in statements(number)] for number in rounds}

        def ask(number: int) -> object:
            return [self.raw.execute(sql, values, prepare=True).fetchall() for sql, values in ready[number]]

        return ask

    def by_vector(self, vector: Sequence[float], limit: int, language: str | None = None) -> TextClause:
        where = self.store.where(OWNER, also("language", language, None) if language else None)
        way = self.store.way(self.connection, where)
        if way == "hnsw":
            set_up_walk(self.connection)
        return self.store.vector_search([vector], limit, where, way)

    def by_words(self, text: str, limit: int) -> TextClause:
        return self.store.ranking(self.connection, [terms(text)], limit, self.store.where(OWNER))

    def hybrid(self, phrasings: Sequence[tuple[str, Sequence[float]]]) -> list[TextClause]:
        """For every phrasing a search of each language by vector, and one by words."""
        wide = settings().fusion_candidates
        return [
            statement
            for text, vector in phrasings
            for statement in (*(self.by_vector(vector, wide, each) for each in LANGUAGES), self.by_words(text, wide))
        ]

    def _compiled(self, statement: Select | TextClause) -> tuple[str, dict[str, Any]]:
        compiled = statement.compile(dialect=self.connection.dialect, compile_kwargs={"render_postcompile": True})
        convert = cast(dict[str, Callable[[Any], Any]], compiled._bind_processors)
        values = {name: convert[name](value) if name in convert else value for name, value in compiled.params.items()}
        return str(compiled), values
