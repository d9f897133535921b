"""A folder in BEIR layout is read, or the first thing wrong with it is named with file and line."""

import json
import os
from pathlib import Path

import pytest

from lessons.errors import LessonsError
from lessons.evaluate.golden import Evidence
from lessons.evaluate.judge import is_unanswerable
from lessons.evaluate.question_sets import read_beir

CORPUS = [{"_id": "d1", "title": "Kiosk", "text": "It opens at 7:30."}, {"_id": "d2", "text": "도서관은 9시에 엽니다."}]
QUERIES = [
    {"_id": "q1", "text": "When does the kiosk open?", "metadata": {"answer": "7:30", "type": "bridge"}},
    {"_id": "q2", "text": "도서관은 몇 시에 열어요?"},
    {"_id": "q3", "text": "Of another split?"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t1\n"


def lines(items: list) -> str:
    return "".join((item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)) + "\n" for item in items)


def make(folder: Path, corpus: list = CORPUS, queries: list = QUERIES, qrels: str = QRELS, split: str = "test") -> Path:
    (folder / "qrels").mkdir(exist_ok=True)
    (folder / "corpus.jsonl").write_text(lines(corpus), encoding="utf-8")
    (folder / "queries.jsonl").write_text(lines(queries), encoding="utf-8")
    (folder / "qrels" / f"{split}.tsv").write_text(qrels, encoding="utf-8")
    return folder


def test_documents_questions_and_judgements_are_read(tmp_path: Path) -> None:
    found = read_beir(make(tmp_path))
    assert found.documents == {"d1": "Kiosk\n\nIt opens at 7:30.", "d2": "도서관은 9시에 엽니다."}
    first, second = found.questions
    assert (first.id, first.category, first.answer, first.language) == ("q1", "bridge", "7:30", "en")
    assert first.evidence == (Evidence("d1", grade=2),)
    assert (second.language, second.answer, second.key_facts) == ("ko", "", ())
    assert found.split == "test"


def test_dev_is_taken_before_test_unless_a_split_is_named(tmp_path: Path) -> None:
    make(tmp_path)
    make(tmp_path, split="dev", qrels="q2\td2\t1\n")
    assert [question.id for question in read_beir(tmp_path).questions] == ["q2"]
    assert len(read_beir(tmp_path, "test").questions) == 2


def test_a_byte_order_mark_windows_line_ends_and_blank_lines_do_no_harm(tmp_path: Path) -> None:
    make(tmp_path)
    for path in tmp_path.rglob("*.*"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n\r\n"))
    assert len(read_beir(tmp_path).questions) == 2


def test_decomposed_korean_ids_are_the_same_ids(tmp_path: Path) -> None:
    import unicodedata

    corpus = [{"_id": unicodedata.normalize("NFD", "문서"), "text": "아침"}]
    found = read_beir(make(tmp_path, corpus, [{"_id": "q", "text": "언제?"}], "q\t문서\t1\n"))
    assert [found.questions[0].evidence[0].source_file] == list(found.documents) == ["문서"]


def test_a_document_without_text_is_left_out_with_a_warning(tmp_path: Path) -> None:
    found = read_beir(make(tmp_path, [*CORPUS, {"_id": "d3", "title": "", "text": " "}]))
    assert list(found.documents) == ["d1", "d2"]
    assert found.warnings == ["corpus.jsonl, line 3: the document 'd3' has no text and cannot be found."]


def test_a_long_answer_is_a_reference_and_no_key_fact(tmp_path: Path) -> None:
    long = "It opens at half past seven and closes again at five in the afternoon"
    for answer, facts in ((long, ()), ([long, "7:30"], ("7:30",))):
        queries = [{**QUERIES[0], "metadata": {"answer": answer}}, *QUERIES[1:]]
        first = read_beir(make(tmp_path, queries=queries)).questions[0]
        assert (first.answer, first.key_facts) == (long, facts)


@pytest.mark.parametrize(
    "details", [{"type": "null", "answer": "Insufficient information."}, {"answer": "The documents do not say."}]
)
def test_a_question_marked_as_unanswerable_is_asked_and_should_be_refused(tmp_path: Path, details: dict) -> None:
    found = read_beir(make(tmp_path, queries=[*QUERIES, {"_id": "q4", "text": "Who?", "metadata": details}]))
    last = found.questions[-1]
    assert (last.id, last.evidence, last.key_facts) == ("q4", (), ())
    assert is_unanswerable(last)


@pytest.mark.parametrize(
    ("broken", "place", "complaint"),
    [
        ({"corpus": [*CORPUS, "{nonsense"]}, "corpus.jsonl, line 3", "`_id`"),
        ({"corpus": [*CORPUS, "[" * 100_000]}, "corpus.jsonl, line 3", "`_id`"),
        ({"corpus": [*CORPUS, "[1]"]}, "corpus.jsonl, line 3", "`_id`"),
        ({"corpus": [*CORPUS, {"text": "no id"}]}, "corpus.jsonl, line 3", "`_id`"),
        ({"corpus": [*CORPUS, CORPUS[0]]}, "corpus.jsonl, line 3", "'d1' was used before"),
        ({"corpus": [*CORPUS, {"_id": "d3", "text": ["a"]}]}, "corpus.jsonl, line 3", "`text` is not a text"),
        ({"corpus": [{"_id": "d0", "text": "x" * 10_000_000}]}, "corpus.jsonl, line 1", "10,000,000 characters"),
        ({"queries": [{"_id": "q1", "text": ""}]}, "queries.jsonl, line 1", "'q1' has no text"),
        ({"qrels": "q1\td9\t1\n"}, "test.tsv, line 1", "'d9' is not in corpus.jsonl"),
        ({"qrels": "q9\td1\t1\n"}, "queries.jsonl", "'q9'"),
        ({"qrels": "q1 d1 1\n"}, "test.tsv, line 1", "separated by tabs"),
        ({"qrels": "q1\td1\tmuch\n"}, "test.tsv, line 1", "whole number"),
        ({"qrels": f"q1\td1\t{'9' * 5_000}\n"}, "test.tsv, line 1", "whole number"),
        ({"qrels": "query-id\tcorpus-id\tscore\n"}, "test.tsv", "no relevant document"),
    ],
)
def test_what_would_spoil_the_measurement_is_named_with_file_and_line(
    tmp_path: Path, broken: dict, place: str, complaint: str
) -> None:
    with pytest.raises(LessonsError) as raised:
        read_beir(make(tmp_path, **broken))
    assert place in str(raised.value)
    assert complaint in str(raised.value)
    assert len(str(raised.value)) < 400


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    make(tmp_path)
    with (tmp_path / "corpus.jsonl").open("ab") as file:
        file.write('{"_id":"d3","text":"도서관"}\n'.encode("euc-kr"))
    with pytest.raises(LessonsError, match=r"corpus\.jsonl cannot be read \('utf-8' codec"):
        read_beir(tmp_path)


def test_what_cannot_be_opened_is_a_sentence(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "corpus.jsonl")
    wrong = {
        tmp_path / "gone": "No such file.*BEIR layout",
        tmp_path / ("x" * 300): "File name too long",
        tmp_path: "it is not a file",
    }
    for folder, told in wrong.items():
        with pytest.raises(LessonsError, match=rf"corpus\.jsonl cannot be read \({told}"):
            read_beir(folder)
