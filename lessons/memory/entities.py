"""Entities: what a conversation is about, as keys with values (row E2)."""

from collections.abc import Iterable
from dataclasses import dataclass

from lessons.models.keyless import same_key
from lessons.settings import settings

LONGEST_KEY, LONGEST_VALUE = 40, 120  # characters


@dataclass(frozen=True)
class Entity:
    """A value under its key, and the turn in which it was said."""

    key: str
    value: str
    turn: int


def merged(known: Iterable[Entity], new: Iterable[Entity], limit: int | None = None) -> tuple[Entity, ...]:
    """The entities with the new ones: a known key is replaced and moves to the end, the oldest beyond the limit go.

    An empty value takes its key out.
    """
    by_meaning = {same_key(entity.key): entity for entity in known}
    for entity in map(_tidy, new):
        by_meaning.pop(same_key(entity.key), None)
        if entity.key and entity.value:
            by_meaning[same_key(entity.key)] = entity
    return tuple(by_meaning.values())[-(limit or settings().entities_kept) :]


def _tidy(entity: Entity) -> Entity:
    """On one line and not too long, whatever a model wrote."""
    key, value = (" ".join(text.split()) for text in (entity.key, entity.value))
    return Entity(key[:LONGEST_KEY], value[:LONGEST_VALUE], entity.turn)
