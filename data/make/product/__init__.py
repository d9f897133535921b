"""The world of Cirrocost, a fictional product that watches what three fictional clouds cost.

The facts of version 4.3.1 are the valid ones; older editions and release notes contradict them on purpose.
"""

import sys
from pathlib import Path

from data.make.document import Document, Steps
from data.make.markup import parse, texts
from data.make.questions import questions

DOC_TYPES = {"faq": "faq", "guide": "guide", "release": "release_notes", "ref": "reference"}
NAV = {
    "en": ("Home", "Guides", "FAQ", "API", "Release notes", "Contact support"),
    "ko": ("홈", "가이드", "자주 묻는 질문", "API", "릴리스 노트", "고객지원 문의"),
}
FOOTER = {
    "en": "Cirrocost documentation. Menus may differ in private regions.",
    "ko": "Cirrocost 문서. 전용 리전에서는 메뉴가 다를 수 있습니다.",
}


def documents() -> list[Document]:
    """FAQ, guides, release notes and references."""
    return [_document(name, text) for name, text in texts(sys.modules[__name__])]


def _document(name: str, text: str) -> Document:
    title, day, blocks = parse(text)
    language = name.partition(".")[0].rpartition("_")[2]
    return Document(
        path=f"product/{name}",
        title=title,
        language=language,
        world="product",
        doc_type=DOC_TYPES[name.partition("_")[0]],
        date=day,
        blocks=blocks,
        author="Cirrocost documentation team",
        header="Cirrocost",
        footer=FOOTER[language] if not name.endswith(".md") else "",
        nav=NAV[language],
        extra={"has_steps": any(isinstance(block, Steps) for block in blocks)},
    )


def golden(corpus: Path) -> dict[str, list[dict]]:
    """The questions of this world with the pages of their evidence."""
    return questions("product", __path__[0], corpus)
