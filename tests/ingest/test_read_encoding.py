"""Text comes out right in whatever encoding it was saved, or the file is refused."""

import json
from pathlib import Path
from random import Random

import pytest

from lessons.errors import ReadError
from lessons.ingest.read import read
from lessons.ingest.read.text import decode
from lessons.text import sentences

CORPUS = Path(__file__).parents[2] / "data" / "corpus"
KOREAN = "환불은 결제일로부터 14일 이내에 신청하실 수 있습니다. 자세한 내용은 안내문을 보십시오."
FRENCH = "Le café “Müller” coûte 5 € – déjà payé à Paris."


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """Sentences of the shipped Markdown files, in both languages."""
    paths = [json.loads(line)["path"] for line in (CORPUS / "manifest.jsonl").read_text("utf-8").splitlines()]
    texts = [read(CORPUS / path)[0].text for path in paths if path.endswith((".md", ".html"))]
    return [sentence for text in texts for sentence in sentences(text)]


def note_of(path: Path) -> tuple[str, str | None]:
    (page,) = read(path)
    return page.text, page.metadata["structure"]["note"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_is_read_in_every_unicode_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_text(KOREAN, encoding=encoding)
    assert note_of(tmp_path / "a.txt") == (KOREAN, None)


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        (KOREAN, "cp949", "CP949"),
        ("똠방각하를 보았습니다.", "cp949", "CP949"),
        (KOREAN, "utf-16-le", "utf-16-le"),
        (KOREAN, "utf-16-be", "utf-16-be"),
        (FRENCH, "cp1252", "Windows-1252"),
        ("Größe: 5 m²", "cp1252", "Windows-1252"),
        ("第3條(公告) 이 會社의 公告는 官報에 揭載한다.", "cp949", "CP949"),
        ("Kütüphane pazartesi günleri kapalıdır, öğrencilere ücretsizdir.", "cp1254", "Windows-1254"),
        ("L’élève a été reçu à l’école “Élysée” – félicitations !", "mac_roman", "MacRoman"),
        ("Библиотека закрыта по понедельникам.", "koi8-r", "KOI8-R"),
        ("図書館は月曜日が休館日です。", "shift_jis", "CP932"),
    ],
)
def test_a_guessed_encoding_is_told(tmp_path: Path, text: str, encoding: str, name: str) -> None:
    (tmp_path / "a.txt").write_text(text, encoding=encoding)
    assert note_of(tmp_path / "a.txt") == (text, f"It was read as {name}.")


@pytest.mark.parametrize("encoding", ["cp949", "euc-kr"])
def test_every_korean_sentence_of_the_corpus_comes_back(lines: list[str], encoding: str) -> None:
    korean = [line for line in lines if sum("가" <= letter <= "힣" for letter in line) >= 20]
    encoded = [(line, line.encode(encoding, "ignore")) for line in korean]
    whole = [(line, data) for line, data in encoded if data.decode(encoding) == line]
    assert len(whole) > 300
    assert [line for line, data in whole if decode(data) != (line, "CP949")] == []


@pytest.mark.parametrize("charset", ["euc-kr", "ks_c_5601-1987", "utf-8"])
def test_html_is_read_in_the_charset_that_it_declares_unless_that_is_wrong(tmp_path: Path, charset: str) -> None:
    page = f'<html><head><meta charset="{charset}"></head><body><p>{KOREAN}</p></body></html>'
    (tmp_path / "a.html").write_text(page, encoding="cp949")
    assert note_of(tmp_path / "a.html") == (KOREAN, "It was read as CP949." if charset == "utf-8" else None)


@pytest.mark.parametrize("length", [64, 200, 5_000])
def test_random_bytes_never_pass_for_text(length: int) -> None:
    random = Random(length)
    assert [found for _ in range(100) if (found := decode(random.randbytes(length)))] == []


def test_a_few_broken_bytes_in_utf_8_are_replaced_and_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(KOREAN.encode() * 4 + b"\xff")
    text, note = note_of(tmp_path / "a.txt")
    assert (text, note) == (KOREAN * 4 + "\ufffd", "It was read as UTF-8 with broken bytes.")


def test_private_letters_instead_of_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\ue001\ue002\ue003 \ue004 a", encoding="utf-8")
    with pytest.raises(ReadError, match="no readable letters"):
        read(tmp_path / "a.txt")
