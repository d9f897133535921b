"""The least a search can take: its SQL alone, prepared, on an open connection that is set up already."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from psycopg import Connection
from sqlalchemy import Connection as Prepared
from sqlalchemy import Select

from lessons.bench.corpus import OWNER
from lessons.ingest import bm25
from lessons.ingest.found import with_words
from lessons.ingest.keyword_search import KeywordSearch
from lessons.ingest.nearest import asking, choose_way, nearest, set_up
from lessons.ingest.store import ChunkStore
from lessons.search.filters import also
from lessons.settings import settings
from lessons.text import terms

LANGUAGES = ("en", "ko")
"""Of the made-up chunks, in turn; each is searched on its own."""


class Floors:
    """Builds the statements of searches beforehand, and runs them."""

    def __init__(self, store: ChunkStore, connection: Prepared) -> None:
        self.store, self.connection = store, connection
        self.raw: Connection = connection.connection.driver_connection  # type: ignore[assignment]

    def asking(self, statements: Callable[[int], Sequence[Select]], rounds: range) -> Callable[[int], object]:
        """What runs the statements of a round and fetches their rows."""
        ready = {number: [self._compiled(each) for each in statements(number)] for number in rounds}

        def ask(number: int) -> object:
            return [self.raw.execute(sql, values, prepare=True).fetchall() for sql, values in ready[number]]

        return ask

    def by_vector(self, vector: Sequence[float], limit: int, language: str | None = None) -> Select:
        filters = also("language", language, None) if language else None
        table, conditions = self.store.chunks.__table__, self.store.within(OWNER, filters)
        way = choose_way(self.connection, table, conditions)
        set_up(self.connection, way)
        found = with_words(nearest(table, conditions, limit, way), table, OWNER.user_id)
        return found.params(asking([vector]))

    def by_words(self, text: str, limit: int) -> Select:
        searched = KeywordSearch(self.store.chunks.__table__, OWNER)
        asked = bm25.asking([searched.statistics(self.connection, terms(text))])
        return searched.statement(self.connection.engine, limit, bool(asked["common_terms"])).params(asked)

    def hybrid(self, phrasings: Sequence[tuple[str, Sequence[float]]]) -> list[Select]:
        """For every phrasing a search of each language by vector, and one by words."""
        wide = settings().fusion_candidates
        return [
            statement
            for text, vector in phrasings
            for statement in (*(self.by_vector(vector, wide, each) for each in LANGUAGES), self.by_words(text, wide))
        ]

    def _compiled(self, statement: Select) -> tuple[str, dict[str, Any]]:
        compiled = statement.compile(dialect=self.connection.dialect, compile_kwargs={"render_postcompile": True})
        convert = cast(dict[str, Callable[[Any], Any]], compiled._bind_processors)
        values = {name: convert[name](value) if name in convert else value for name, value in compiled.params.items()}
        return str(compiled), values
