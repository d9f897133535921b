"""Questions in one language about documents in the other: words cannot be compared, so meanings are.

Years, quarters and identifiers still bind. Among the lines they leave, the embedding model picks the nearest ones; they
are said in their own language, because translating would be inventing.
"""

from collections.abc import Sequence

from llama_index.core.base.embeddings.base import BaseEmbedding

from lessons.models.offline.passages import Line, Passage
from lessons.models.offline.question import Question
from lessons.models.offline.unit import Unit

MOST_EMBEDDED = 12  # lines; embedding one costs tens of milliseconds
PRIOR = 0.1  # similarities of one model lie within about 0.1 of each other


def neutral(unit: Unit) -> bool:
    """Whether a unit is written alike in both languages."""
    return unit.kind in ("year", "quarter", "code")


def nearest(question: Question, lines: Sequence[tuple[Line, Passage, float]], embedding: BaseEmbedding) -> list[int]:
    """The indices of the most promising lines, best first. The float of a line is what is known of it before."""
    kept = sorted(range(len(lines)), key=lambda i: -lines[i][2])[:MOST_EMBEDDED]
    asked = embedding.get_query_embedding(question.text)
    vectors = embedding.get_text_embedding_batch([_in_place(*lines[i][:2]) for i in kept])
    near = {
        i: embedding.similarity(asked, vector) + PRIOR * lines[i][2] for i, vector in zip(kept, vectors, strict=True)
    }
    return sorted(kept, key=lambda i: -near[i])


def _in_place(line: Line, passage: Passage) -> str:
    """The line under its title and heading, so that a lost subject is found again."""
    row = " ".join(line.header)
    return ": ".join(dict.fromkeys(part for part in (passage.name, line.heading, row, line.text) if part))
