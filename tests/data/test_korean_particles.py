"""Korean particles follow the sound of the word before them."""

import pytest

from data.make.korean import particles, plain


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("매출[은/는]", "매출은"),
        ("회사[은/는]", "회사는"),
        ("서울[으로/로]", "서울로"),
        ("3억 원[으로/로]", "3억 원으로"),
        ("15.2%[을/를]", "15.2%를"),
        ("2,000[은/는]", "2,000은"),
        ("7[으로/로]", "7로"),
        ("6[으로/로]", "6으로"),
        ("ORD-2024-001[이/가]", "ORD-2024-001이"),
        ("매출(잠정치)[은/는]", "매출(잠정치)은"),
        ("'안지세담'[을/를]", "'안지세담'을"),
    ],
)
def test_the_particle_fits(marked: str, expected: str) -> None:
    assert particles(marked) == expected


@pytest.mark.parametrize(
    ("polite", "expected"),
    [
        ("늘었습니다.", "늘었다."),
        ("{margin}입니다.", "{margin}이다."),
        ("유지합니다.", "유지한다."),
        ("낮춥니다.", "낮춘다."),
        ("{high}[으로/로] 좁힙니다(종전 {low}).", "{high}[으로/로] 좁힌다(종전 {low})."),
    ],
)
def test_polite_ends_become_plain(polite: str, expected: str) -> None:
    assert plain(polite) == expected
