import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from lessons.text import cut_sentences, language, normalize, sentences, terms


def test_normalize_composes_korean_that_was_decomposed() -> None:
    assert normalize(unicodedata.normalize("NFD", "한국어 문서")) == "한국어 문서"


def test_normalize_drops_nul_controls_and_invisible_marks() -> None:
    assert normalize("a\x00b\x07c\ufeffd\u200be\u00adf\ud800") == "abcdef"


def test_normalize_makes_every_line_end_a_newline() -> None:
    assert normalize("a\r\nb\rc\x0cd\u2028e\tf") == "a\nb\nc\nd\ne\tf"


@given(st.text())
def test_normalize_is_stable_and_fits_into_postgres(text: str) -> None:
    once = normalize(text)
    assert normalize(once) == once
    assert "\x00" not in once
    once.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What was the revenue?", "en"),
        ("매출은 얼마인가요?", "ko"),
        ("LlamaIndex PGVectorStore 사용법", "ko"),
        ("What does 환불 mean in this guide?", "en"),
        (unicodedata.normalize("NFD", "환불은 얼마나 걸리나요?"), "ko"),
        ("ORD-2024-001의 상태는?", "ko"),
        ("😀", "en"),
        ("", "en"),
    ],
)
def test_language(text: str, expected: str) -> None:
    assert language(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sales rose 15.2% in May. Costs fell.", ["Sales rose 15.2% in May.", "Costs fell."]),
        ("Brightmoor Inc. reported a loss. It hired nobody.", ["Brightmoor Inc. reported a loss.", "It hired nobody."]),
        ("We buy from Brightmoor Inc. The price is fair.", ["We buy from Brightmoor Inc.", "The price is fair."]),
        ("Use a tool, e.g. Make. J. Ortega wrote it.", ["Use a tool, e.g. Make.", "J. Ortega wrote it."]),
        ("See report.pdf, p. 3. Then stop!", ["See report.pdf, p. 3.", "Then stop!"]),
        ("매출은 3.5억 원이다. 왜일까? 늘었음.", ["매출은 3.5억 원이다.", "왜일까?", "늘었음."]),
        ("저장했습니다.다음으로 가세요.", ["저장했습니다.", "다음으로 가세요."]),
        ("2024. 3. 15. 시행합니다. 끝입니다.", ["2024. 3. 15. 시행합니다.", "끝입니다."]),
        ("1. Open it.\n2. Close it.", ["1. Open it.", "2. Close it."]),
        ("가. 요금제\n나. 한도", ["가. 요금제", "나. 한도"]),
        ("| a | b |\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("Storage\nKeep it dry.", ["Storage", "Keep it dry."]),
        ("Phone: 1234\nMail: a@b.org", ["Phone: 1234", "Mail: a@b.org"]),
        ("He left O.F.M. Cap. and moved.", ["He left O.F.M. Cap. and moved."]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_sentence_that_the_page_layout_broke_is_joined_again() -> None:
    text = "The committee meets on the first Monday of every month and\ndecides about new members."
    assert sentences(text) == ["The committee meets on the first Monday of every month and decides about new members."]


COLUMN = """Bicycle shed
The new shed behind gate 4 has 36 places
and two repair stands. Keys are handed out
by Bora Gil at reception for a deposit of
20,000 won. Ask for Henrik or for Mrs
Aalto.
Lost and found
A silver thermos was found in the hall."""


def test_sentences_that_a_narrow_column_broke_are_joined_below_its_heading() -> None:
    assert sentences(COLUMN)[2:] == [
        "Keys are handed out by Bora Gil at reception for a deposit of 20,000 won.",
        "Ask for Henrik or for Mrs Aalto.",
        "Lost and found",
        "A silver thermos was found in the hall.",
    ]


@pytest.mark.parametrize(
    "rows",
    [
        "Relabelling carton, at least 100 cartons\nStretch wrapping pallet with its film\nBlast freezing, tonne",
        "Unloading a pallet by day and at night 4,200\nUnloading a pallet on a public holiday 6,900\nNo discounts.",
    ],
)
def test_rows_of_a_table_stay_apart(rows: str) -> None:
    assert sentences(rows) == rows.split("\n")


@given(st.text())
def test_sentences_are_never_empty_and_lose_only_white_space(text: str) -> None:
    found = sentences(text)
    assert all(sentence.strip() for sentence in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_korean_words_share_terms_whatever_particle_follows() -> None:
    assert set(terms("마케팅")) <= set(terms("마케팅이")) & set(terms("마케팅에서는"))


def test_a_one_syllable_korean_word_is_found_with_and_without_its_particle() -> None:
    assert "약" in terms("약")
    assert "약" in terms("약을")
    assert "약" not in terms("제약회사")


@pytest.mark.parametrize("word", ["얼마인가요?", "무엇입니까", "어떻게", "알려주세요.", "있나요?", "the", "what"])
def test_words_that_only_ask_give_no_term(word: str) -> None:
    assert terms(word) == []


def test_a_polite_ending_leaves_the_word_it_ends() -> None:
    assert terms("승인합니까") == terms("승인합니다") == ["승인"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ORD-2024-001의", ["ord-2024-001", "ord2024001", "ord", "2024", "001"]),
        ("15.2 %", ["15.2%", "15.2"]),
        ("1,234", ["1234"]),
        ("v2.4.1", ["v2.4.1", "v2"]),
        ("2024.03.15", ["2024-03-15", "2024"]),
        ("2024-3-15", ["2024-03-15", "2024"]),
        ("2024년", ["2024", "2024년"]),
        ("max_connections", ["max_connections", "max", "connect"]),
        ("C++ C#", ["c++", "c#"]),
        ("１２％", ["12%", "12"]),
    ],
)
def test_numbers_and_identifiers_stay_whole_and_are_followed_by_their_parts(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    "spellings",
    [
        ["2024년 2분기", "24년 2Q", "2Q24", "2024.2Q", "2분기(2024년)", "24년 2분기", "2Q 2024"],
        ["2분기", "이분기", "2/4분기"],
        ["CCX-4130", "ccx4130"],
        ["안 열려요", "열리지 않아요", "열리지 않습니다", "안 열렸다"],
        ["3천만 원", "3,000만 원", "30,000,000원"],
        ["백이십억", "120억"],
        ["승인했어요", "승인했다", "승인합니까", "승인하나"],
    ],
)
def test_spellings_of_one_thing_share_a_term_that_no_other_thing_has(spellings: list[str]) -> None:
    shared = set[str].intersection(*(set(terms(each)) for each in spellings))
    assert shared
    other = {"2024년 2분기": "2023년 3분기", "2분기": "3분기", "CCX-4130": "CCX-4131", "안 열려요": "잘 닫혀요"}
    assert not shared <= set(terms(other.get(spellings[0], "40,000,000 거절")))


def test_a_quarter_in_words_without_spaces_is_found() -> None:
    assert {"2024", "q2", "매출"} <= set(terms("세담소재2024년2분기매출"))


def test_a_letter_before_a_syllable_is_a_name_of_its_own() -> None:
    assert "a사" in terms("A사의 매출")
    assert "a사" not in terms("B사의 매출")


def test_quarters_and_months_meet_across_languages() -> None:
    assert set(terms("Q3")) <= set(terms("3분기에"))
    assert set(terms("March")) <= set(terms("3월에는"))


def test_english_words_are_stems_also_when_irregular() -> None:
    assert terms("kept keeping keeps") == ["keep", "keep", "keep"]


def test_an_acronym_that_looks_like_a_stop_word_stays() -> None:
    assert terms("IT budget of the WHO") == ["it", "budget", "who"]


def test_repetition_is_kept() -> None:
    assert terms("cost cost") == ["cost", "cost"]


def test_threads_find_the_same_stems_as_one_alone() -> None:
    syllables = [consonant + vowel for consonant in "bdfglmpt" for vowel in "aeiou"]
    words = [a + b + end for a in syllables for b in syllables for end in ("ntational", "rnization", "lfulness")]
    stemmer = snowballstemmer.stemmer("porter")
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(terms, (" ".join(words[start::4]) for start in range(4))))
    finally:
        sys.setswitchinterval(interval)
    assert found == [stemmer.stemWords(words[start::4]) for start in range(4)]


@given(st.text())
def test_terms_fit_into_a_tsvector(text: str) -> None:
    assert all(term and len(term) <= 100 and not any(map(str.isspace, term)) for term in terms(text))
    assert terms(text) == terms(text)


@given(st.text("가나다. \n\t|-#abcA1!?", max_size=300))
def test_cutting_at_sentences_keeps_every_character(text: str) -> None:
    assert "".join(cut_sentences(text)) == text


@given(st.text("가나다. \nabcA1!?", max_size=300))
def test_the_pieces_of_a_cut_are_the_sentences_with_what_stands_between_them(text: str) -> None:
    pieces = [" ".join(piece.split()) for piece in cut_sentences(text)]
    assert [piece for piece in pieces if piece] == [" ".join(sentence.split()) for sentence in sentences(text)]


def test_a_numeral_that_is_no_decimal_digit_is_no_month() -> None:
    assert terms("January")[0] not in terms("፩월")
