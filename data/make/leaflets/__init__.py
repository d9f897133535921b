"""Leaflets of a fictional clinic in plain language: teaching material, no medical advice, nothing about doses."""

import sys
from pathlib import Path

from data.make.document import Document
from data.make.markup import parse, texts
from data.make.questions import questions

FOOTER = {
    "en": "Fictional teaching material. Not medical advice: ask your own doctor or pharmacist.",
    "ko": "교육용 가상 자료입니다. 의학적 조언이 아니므로 담당 의사나 약사와 상의하십시오.",
}


def documents() -> list[Document]:
    """General leaflets in English and Korean."""
    return [_document(name, text) for name, text in texts(sys.modules[__name__])]


def _document(name: str, text: str) -> Document:
    title, day, blocks = parse(text)
    language = name.partition(".")[0].rpartition("_")[2]
    return Document(
        path=f"leaflets/{name}",
        title=title,
        language=language,
        world="leaflets",
        doc_type="leaflet",
        date=day,
        blocks=blocks,
        author="Maru Neighbourhood Clinic",
        header="Maru Neighbourhood Clinic" if language == "en" else "마루동네의원",
        footer=FOOTER[language],
    )


def golden(corpus: Path) -> dict[str, list[dict]]:
    """The questions of this world with the pages of their evidence."""
    return questions("leaflets", __path__[0], corpus)
