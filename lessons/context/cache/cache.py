"""The response cache: a question that was answered before is not answered again (row D1).

It is looked up before anything else is done. The nearest kept questions above a similarity are compared with it by the
guard, and only one that pins down the same gives its answer. What is kept belongs to one owner, one scope, one way to
answer and one state of the documents: whatever is ingested, replaced or removed makes all of it void.
"""

import json
import logging
from collections.abc import Generator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import Row

from lessons.context.cache.answers import packed, unpack, worth_keeping
from lessons.context.cache.guard import differences, read_constraints
from lessons.context.cache.style import restyled
from lessons.context.cache.table import AnswerTable, Shelf
from lessons.context.device import Device, follow
from lessons.errors import LessonsError
from lessons.models.embedding import identity
from lessons.models.llm import describe
from lessons.rag.answer import Answer
from lessons.rag.stages import AnswerStream, Stage
from lessons.rag.types import Query, Scope
from lessons.search.transforms import Compress, normalized
from lessons.settings import settings
from lessons.text import normalize
from lessons.trace import Step

logger = logging.getLogger(__name__)

_CANDIDATES = 10  # nearest questions that the guard reads
_PINNED = 2  # words or numbers without which a follow-up says too little to be looked up
LOOKED_UP = "cache"
"""The name of the step in a trace."""


@dataclass(frozen=True)
class _Asked:
    """A question as it is looked up. An answer that may rest on a conversation is not kept for others."""

    text: str
    vector: list[float]
    shelf: Shelf
    keep: bool


@dataclass(frozen=True)
class Cached(Device):
    """A stage that reuses its answers. None takes the similarity of the settings.

    A follow-up is looked up as the question it becomes when it stands alone; its own answer is not kept. Where the
    conversation has a memory, which may hold what the reader said about themselves, nothing is looked up.
    """

    similarity: float | None = None

    def stored(self, user: str | Scope | None = None) -> tuple[int, int]:
        """How many answers of an owner are kept, of all stages, and how often they have been reused."""
        return AnswerTable(self.place.engine).counts(self._scope(user).user_id)

    def clear(self, user: str | Scope | None = None) -> int:
        """Forget the kept answers of an owner; how many there were."""
        return AnswerTable(self.place.engine).clear(self._scope(user).user_id)

    def _pieces(self, stream: AnswerStream, question: str, scope: dict[str, Any]) -> Generator[str, None, None]:
        with stream.answer.trace.step(LOOKED_UP, question) as step:
            asked, hit = self._look_up(question, scope, step)
            if hit:
                self._reuse(hit, stream.answer, step)
        if hit:
            yield stream.answer.text
            return
        yield from follow(stream, self.inner.stream(question, **scope))
        if asked and asked.keep and worth_keeping(stream.answer):
            self._keep(asked, stream.answer, scope)

    def _look_up(self, question: str, scope: dict[str, Any], step: Step) -> tuple[_Asked | None, Row | None]:
        """A cache that fails is logged and never costs the answer."""
        try:
            asked = self._asked(question, scope, step)
            if asked is None:
                return None, None
            found = AnswerTable(self.place.engine).nearest(asked.shelf, asked.vector, _CANDIDATES)
            hit = self._first_that_fits(asked.text, found, step)
            if hit:
                AnswerTable(self.place.engine).used(asked.shelf, hit.id)
            return asked, hit
        except LessonsError as error:
            logger.exception("the cache failed")
            step.notes.append(f"not looked up: {error}")
            return None, None

    def _asked(self, question: str, scope: dict[str, Any], step: Step) -> _Asked | None:
        text = " ".join(normalize(question).split())
        if not text or len(text) > settings().max_question_chars:
            return None
        if scope.get("memory"):
            step.notes.append("not looked up: the answer may depend on what the conversation remembers")
            return None
        if history := tuple(scope.get("history") or ()):
            query = Query(text, self._scope(scope.get("user")), history=history)
            text = Compress().transform([text], query, self.place.resources(self.index), step)[0]
            if sum(not (word.light or word.is_asked) for word in read_constraints(text).words) < _PINNED:
                step.notes.append("not looked up: the question does not stand alone")
                return None
        vector = self.place.embedding.get_query_embedding(text)
        return _Asked(text, vector, self._shelf(scope), keep=not history)

    def _first_that_fits(self, text: str, found: Any, step: Step) -> Row | None:
        least = settings().cache_similarity if self.similarity is None else self.similarity
        for row in found:
            if row.similarity < least:
                break
            if not (reasons := differences(row.question, text)):
                step.notes.append(f"hit: {row.similarity:.2f} “{row.question}”")
                step.output = row.question
                return row
            step.notes.append(f"no hit: {row.similarity:.2f} “{row.question}” differs in {', '.join(reasons)}")
        return None

    def _reuse(self, hit: Row, answer: Answer, step: Step) -> None:
        unpack(hit.answer, answer)
        answer.from_cache = hit.question
        if settings().cache_restyle and normalized(answer.question) != normalized(hit.question):
            answer.text = restyled(answer.text, answer.question, self.place.llm, step)

    def _keep(self, asked: _Asked, answer: Answer, scope: dict[str, Any]) -> None:
        """Nothing is kept when the documents changed while the answer was given."""
        try:
            if self._shelf(scope) == asked.shelf:
                AnswerTable(self.place.engine).put(asked.shelf, asked.text, asked.vector, packed(answer))
        except LessonsError:
            logger.exception("the answer could not be kept")

    def _shelf(self, asked: dict[str, Any]) -> Shelf:
        place, scope = self.place, self._scope(asked.get("user"))
        store, filters = place.store(self.index), asked.get("filters")
        deciding = {
            "stage": repr(self.inner),
            "model": describe(place.llm),
            "embedding": identity(place.embedding),
            "materials": None if scope.ref_ids is None else sorted(scope.ref_ids),
            "type": scope.type,
            "source_file": asked.get("source_file"),
            "filters": filters and filters.model_dump(mode="json"),
            "settings": place.settings.model_dump(mode="json"),  # secrets stay hidden in it
        }
        way = sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()
        return Shelf(scope.user_id, way, store.table_name, str(store.version(scope)))

    def _scope(self, user: str | Scope | None) -> Scope:
        return user if isinstance(user, Scope) else Scope(user or self.place.settings.user)


def with_cache(stage: Stage, wanted: bool | None = None) -> Stage | Cached:
    """The stage, with a cache around it and under its own name if that is wanted; None takes the setting."""
    wanted = settings().response_cache if wanted is None else wanted
    return Cached(stage, name=stage.name) if wanted else stage
