"""One description gives the same file every time, and its text can be read back."""

from datetime import date
from pathlib import Path

import pytest

from data.make.document import Bullets, Document, Heading, Paragraph, Steps, Table
from data.make.extract import pages, squeeze
from data.make.render import render

BLOCKS = [
    Heading("부문별 실적"),
    Paragraph("매출은 1,234억 원으로 늘었습니다. Turnover rose 15.2% to £84.3 million."),
    Bullets(["첫 항목", "second item"]),
    Steps(["open the valve", "다시 확인"]),
    Table([["구분", "Q1"], ["영업이익", "△12"]], "표 1"),
]


def document(suffix: str) -> Document:
    return Document(f"test.{suffix}", "제목 Title", "ko", "reports", "note", date(2024, 5, 1), BLOCKS)


@pytest.mark.parametrize("suffix", ["pdf", "docx", "pptx", "html", "md"])
def test_the_same_document_gives_the_same_bytes(suffix: str) -> None:
    assert render(document(suffix)) == render(document(suffix))


@pytest.mark.parametrize("suffix", ["pdf", "docx", "pptx", "html", "md"])
def test_korean_and_english_text_is_read_back_unchanged(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"test.{suffix}"
    path.write_bytes(render(document(suffix)))
    text = squeeze(" ".join(text for _, text in pages(path)))
    for expected in ("매출은 1,234억 원으로 늘었습니다. Turnover rose 15.2% to £84.3 million.", "second item", "△12"):
        assert expected in text
