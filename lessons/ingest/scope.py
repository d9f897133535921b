"""The scope of a search: whose chunks, of which materials, of which type. There is no search without one (row C2)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from lessons.errors import LessonsError
from lessons.text import normalize

_UNUSABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class Scope:
    """What a search may see: the owner's chunks, all of them or those of some materials or of one type.

    `ref_ids` are the names of materials, which are unique for an owner; None means all, an empty set none.
    """

    user_id: str
    ref_ids: frozenset[str] | None = None
    type: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.user_id, str) or not self.user_id.strip() or _UNUSABLE.search(self.user_id):
            raise LessonsError("The owner's name is empty or holds control characters; name the owner.")

    def only(self, ref_ids: Iterable[str]) -> "Scope":
        """The same scope with no other materials than these; it never becomes wider."""
        named = frozenset(map(normalize, ref_ids))
        return replace(self, ref_ids=named if self.ref_ids is None else named & self.ref_ids)
