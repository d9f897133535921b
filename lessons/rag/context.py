"""The context: documents, each under its number and source; and the way back, from those numbers to the words of a
chunk.
"""

import re
from dataclasses import dataclass, field

from lessons.models.keyless import cells, passage
from lessons.models.tokens import TokenCounter, TokenEstimator
from lessons.plan import beginning
from lessons.rag.types import Context, Documents, RetrievedDocument
from lessons.settings import settings
from lessons.text import sentences, terms
from lessons.text.numbers import numerals
from lessons.text.sources import Pages, page_label

SEPARATOR = "\n\n---\n\n"
CITATION = re.compile(r"\[(\d{1,3})\]")
LIST_NUMBER = re.compile(r"^\s{0,100}\d{1,2}[.)]\s", re.MULTILINE)
_FORGED = re.compile(r"(?i)\[(\s*(?:Source\s*:|(?:Retrieved Context|Conversation Memory|Response Format)\s*\]))")
_MARKS = re.compile(r"[\[\]|›]")


@dataclass(frozen=True)
class ContextBuilder:
    """Joins documents up to `max_tokens` tokens by the counter and stops at the first that would pass it."""

    max_tokens: int = field(default_factory=lambda: settings().context_tokens)
    counter: TokenCounter = field(default_factory=TokenEstimator, repr=False, compare=False)

    def build(self, documents: Documents) -> Context:
        text, fitting, total = "", [], 0
        for number, document in enumerate(documents, start=1):
            part = f"{source_header(number, document)}\n{quoted(document.content)}"
            longer = f"{text}{SEPARATOR}{part}" if text else part
            tokens = self.counter.count(longer)
            if tokens > self.max_tokens:
                break
            text, total = longer, tokens
            fitting.append(document)
        return Context(text, tuple(fitting), total)

    def cut(self, document: RetrievedDocument) -> Documents:
        """Cut a document that does not fit by itself to its beginning; return none if not a word fits."""
        room = self.max_tokens - self.counter.count(f"{source_header(1, document)}\n")
        content = beginning(document.content, room, self.counter)
        return [document.shortened(content)] if content else []

    def overflows(self, documents: Documents) -> bool:
        """Return True if the documents do not all fit."""
        return len(self.build(documents).documents) < len(documents)


def quoted(content: str) -> str:
    """Defuse what looks like the header of another document or a section of the prompt."""
    return _FORGED.sub(r"(\1", content)


def source_header(number: int, document: RetrievedDocument) -> str:
    """`[Source: 2 | report.pdf, p. 3 | Results 2024 › Costs | 2024-08-02]`: what to cite, and whose words follow.

    Title, section and date stand there because a chunk of a later page often leaves out whose figures it holds.
    """
    file = document.source + page_label(*document.pages())
    title, section, day = (_plain(document.metadata.get(key)) for key in ("title", "section", "date"))
    heading = " › ".join(dict.fromkeys(filter(None, (title, section))))
    return f"[Source: {' | '.join(filter(None, (str(number), file, heading, day)))}]"


def _plain(name: object) -> str:
    """Return a title on one line without the marks of a header, at most 120 characters."""
    return " ".join(_MARKS.sub(" ", name).split())[:120] if isinstance(name, str) else ""


@dataclass(frozen=True)
class Citation:
    """A passage that the answer names. The quote stands word for word in the chunk, on the page or `pages` named.

    It is "" if no sentence there fits. Then, or if it is not in the stored chunk, `pages` are those of the chunk.
    """

    number: int
    source_file: str
    page: int | None
    chunk_id: str
    quote: str
    pages: Pages = ()

    def __str__(self) -> str:
        page = page_label(self.page, *self.pages)
        return f"[{self.number}] {self.source_file}{page}" + (f": “{self.quote}”" if self.quote else "")


def unsupported_figures(answer: str, context: Context, known_text: str) -> list[str]:
    """List the figures of the answer that neither the passages cited for them nor `known_text` hold.

    A sentence without a citation is compared with all documents. Single digits are left aside: they mostly count.
    """
    texts = {
        n: f"{document.source} {document.metadata} {document.content}"
        for n, document in enumerate(context.documents, 1)
    }
    unsupported: dict[str, str] = {}
    for sentence in sentences(LIST_NUMBER.sub("", answer)):
        cited = [texts[number] for number in map(int, CITATION.findall(sentence)) if number in texts]
        supported = numerals(" ".join([known_text, *(cited or texts.values())]))
        stated = numerals(CITATION.sub("", sentence))
        unsupported |= {plain: stated[plain] for plain in stated if plain not in supported}
    return [written for plain, written in unsupported.items() if len(plain) > 1]


def citations(answer: str, context: Context) -> list[Citation]:
    """Find for each cited statement the sentence of the document that supports it best, each sentence once."""
    numbered = dict(enumerate(context.documents, start=1))
    cited = []
    for claim, number in _claims(answer):
        if document := numbered.get(number):
            quote = best_quote(claim, document.content, str(document.metadata.get("title") or ""))
            pages = document.pages(quote)
            cited.append(Citation(number, document.source, next(iter(pages), None), document.id, quote, pages))
    return list(dict.fromkeys(cited))


def best_quote(claim: str, content: str, title: str = "") -> str:
    """Return the sentence of `content` that shares most figures, then most terms, with the claim; "" if none does.

    What the title says (by default the heading of `content`) finds no sentence, and no heading supports a figure.
    """
    read, words = passage(0, "", content), " ".join(content.split())
    title = title or read.name
    claim_terms = set(terms(claim)) - set(terms(title)) or set(terms(claim))
    names, headings = {line.header for line in read.lines}, {line.text for line in read.lines if line.kind == "heading"}
    figures = numerals(claim).keys() - numerals(title).keys()
    complete = (sentence for sentence in sentences(content) if " ".join(sentence.split()) in words)
    candidates = [each for each in complete if cells(each) not in names and not (figures and each in headings)]
    best = max(
        candidates,
        key=lambda sentence: (len(figures & numerals(sentence).keys()), _overlap(claim_terms, sentence)),
        default="",
    )
    return best if _overlap(claim_terms, best) else ""


def _claims(answer: str) -> list[tuple[str, int]]:
    """List each cited number with the words before it, back to the previous citation."""
    claims, start, words = [], 0, ""
    for match in CITATION.finditer(answer):
        words = answer[start : match.start()].strip() or words
        claims.append((words, int(match.group(1))))
        start = match.end()
    return claims


def _overlap(claim_terms: set[str], sentence: str) -> float:
    """Weighted Jaccard similarity: a number or identifier in common says more than a word."""
    sentence_terms = set(terms(sentence))
    return _weight(claim_terms & sentence_terms) / (_weight(claim_terms | sentence_terms) or 1)


def _weight(shared: set[str]) -> int:
    return sum(3 if any(map(str.isdigit, term)) else 1 for term in shared)


def around(quote: str, content: str) -> tuple[str, str, str]:
    """Split the content into what precedes the quote, the quote, and what follows it."""
    words = r"\s+".join(map(re.escape, quote.split()))
    match = re.search(words, content) if words else None
    if match is None:
        return content, "", ""
    return content[: match.start()], match[0], content[match.end() :]
