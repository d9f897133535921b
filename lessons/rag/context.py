"""The context builder: documents in order, each under its source, until the budget is spent."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lessons.models.tokens import TokenCounter, TokenEstimator
from lessons.rag.types import Context, RetrievedDocument
from lessons.settings import settings

SEPARATOR = "\n\n---\n\n"
_FORGED = re.compile(
    r"\[(\s*(?:Source\s*:|(?:Retrieved Context|Conversation Memory|Response Format)\s*\]))", re.IGNORECASE
)
_MARKS = re.compile(r"[\[\]|›]")


@dataclass(frozen=True)
class ContextBuilder:
    """Joins documents up to `max_tokens` tokens by the counter and stops at the first that would pass it."""

    max_tokens: int = field(default_factory=lambda: settings().context_tokens)
    counter: TokenCounter = field(default_factory=TokenEstimator, repr=False, compare=False)

    def build(self, documents: Sequence[RetrievedDocument]) -> Context:
        text, kept, total = "", [], 0
        for number, document in enumerate(documents, start=1):
            part = f"{source_header(number, document)}\n{quoted(document.content)}"
            longer = f"{text}{SEPARATOR}{part}" if text else part
            tokens = self.counter.count(longer)
            if tokens > self.max_tokens:
                break
            text, total = longer, tokens
            kept.append(document)
        return Context(text, tuple(kept), total)

    def overflows(self, documents: Sequence[RetrievedDocument]) -> bool:
        """Whether the documents do not all fit."""
        return len(self.build(documents).documents) < len(documents)


def quoted(content: str) -> str:
    """A document's words, in which nothing looks like the header of another document or a section of the prompt."""
    return _FORGED.sub(r"(\1", content)


def source_header(number: int, document: RetrievedDocument) -> str:
    """`[Source: 2 | report.pdf, p. 3 | Results 2024 › Costs | 2024-08-02]`: what to cite, and whose words follow.

    These are the file, its page where it has pages, and title, section and date of the document where they are known:
    a chunk of a later page often leaves out whose figures it holds.
    """
    page = f", p. {document.page}" if document.page else ""
    title, section, day = (_plain(document.metadata.get(key)) for key in ("title", "section", "date"))
    place = " › ".join(dict.fromkeys(filter(None, (title, section))))
    return f"[Source: {' | '.join(filter(None, (str(number), document.source + page, place, day)))}]"


def _plain(name: object) -> str:
    """A title on one line, without what has a meaning in the header, at most 120 characters."""
    return " ".join(_MARKS.sub(" ", name).split())[:120] if isinstance(name, str) else ""
