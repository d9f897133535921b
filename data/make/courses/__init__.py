"""Course material of two learners, each private to its owner; subjects overlap, figures, dates and rules do not."""

import sys
from pathlib import Path

from data.make.document import Document
from data.make.markup import parse, texts
from data.make.questions import questions

AUTHORS = {"mina": "Department of Life Sciences, Saebyeok University", "joon": "School of Computing, Hanbit Institute"}


def documents() -> list[Document]:
    """Lecture notes, slides and syllabi."""
    return [_document(name, text) for name, text in texts(sys.modules[__name__])]


def _document(name: str, text: str) -> Document:
    title, day, blocks = parse(text)
    owner, file = name.split("/")
    return Document(
        path=f"courses/{name}",
        title=title,
        language=file.partition(".")[0].rpartition("_")[2],
        world="courses",
        doc_type="syllabus" if "syllabus" in file else "lecture",
        date=day,
        blocks=blocks,
        owner=owner,
        author=AUTHORS[owner],
        header=title,
    )


def golden(corpus: Path) -> dict[str, list[dict]]:
    """The questions of this world with the pages of their evidence."""
    return questions("courses", __path__[0], corpus)
