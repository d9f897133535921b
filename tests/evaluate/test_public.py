"""`lessons scoreboard` on small sets in each published format, served on loopback."""

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pandas
import pytest

from lessons.evaluate import public
from lessons.settings import Settings
from lessons.stages import stages
from tests.support.file_server import Files, served
from tests.support.files import write_pdf
from tests.support.ports import free_port
from tests.test_cli import lessons

KIOSK, LIBRARY = "매점은 평일 오전 7시 30분에 문을 엽니다.", "사내 도서관은 평일 오전 9시에 문을 엽니다."
ASK_KIOSK, ASK_LIBRARY = "매점은 몇 시에 여나요?", "도서관은 몇 시에 열어요?"


def parquet(rows: list[dict], path: Path) -> bytes:
    pandas.DataFrame(rows).to_parquet(path)
    return path.read_bytes()


def autorag(folder: Path) -> dict[str, bytes]:
    corpus = [
        {"doc_id": f"수칙.pdf - {n}", "contents": text, "metadata": {"page": n}}
        for n, text in enumerate([KIOSK, LIBRARY])
    ]
    asked = [
        {"qid": f"q{n}", "query": query, "retrieval_gt": [[f"수칙.pdf - {n}"]], "generation_gt": [answer]}
        for n, (query, answer) in enumerate([(ASK_KIOSK, "7시 30분"), (ASK_LIBRARY, "9시")])
    ]
    return {
        "ocr_corpus_v3.parquet": parquet(corpus, folder / "corpus"),
        "qa_v4.parquet": parquet(asked, folder / "asked"),
    }


def korquad(folder: Path) -> dict[str, bytes]:
    def paragraph(text: str, id_: str, question: str, answer: str) -> dict:
        answers = [{"text": answer, "answer_start": text.index(answer)}]
        return {"context": text, "qas": [{"id": id_, "question": question, "answers": answers}]}

    kiosk, again = paragraph(KIOSK, "1-0", ASK_KIOSK, "7시 30분"), paragraph(KIOSK, "1-1", "언제 매점이 여나요?", "7시")
    library = paragraph(LIBRARY, "2-0", ASK_LIBRARY, "9시")
    data = [{"title": "매점", "paragraphs": [kiosk, again]}, {"title": "도서관", "paragraphs": [library]}]
    return {"KorQuAD_v1.0_dev.json": json.dumps({"version": "KorQuAD_v1.0_dev", "data": data}).encode()}


def miracl(folder: Path) -> dict[str, bytes]:
    passages = [("1#0", "매점", KIOSK), ("2#0", "도서관", LIBRARY), ("3#0", "정원", "아무도 묻지 않습니다.")]
    rows = [json.dumps({"docid": id_, "title": title, "text": text}) for id_, title, text in passages]
    return {
        "corpus.jsonl.gz": gzip.compress("\n".join(rows).encode()),
        "topics/dev.relevant.tsv": f"1\t{ASK_KIOSK}\n2\t{ASK_LIBRARY}\n".encode(),
        "qrels/dev.relevant.tsv": b"1\tQ0\t1#0\t1\n1\tQ0\t2#0\t0\n2\tQ0\t2#0\t1\n",
    }


def allganize(folder: Path) -> dict[str, bytes]:
    names = ["수칙.pdf", "없음.pdf", "게시판.pdf"]
    listed = [f"public,{name},2,{{base}}{number}" for number, name in enumerate(names)]
    asked = [
        f"public,{ASK_KIOSK},7시 30분,수칙.pdf,1",
        f'public,{ASK_LIBRARY},9시,수칙.pdf,"2, 3"',
        "public,빈 쪽은?,없다,수칙.pdf,3",
        "public,사라진 것은?,없다,없음.pdf,1",
    ]
    head = "domain,question,target_answer,target_file_name,target_page_no"
    return {
        "documents.csv": "\n".join(["\ufeffdomain,file_name,pages,url", *listed]).encode(),
        "rag_evaluation_result.csv": "\n".join([head, *asked]).encode(),
        "0": write_pdf(folder / "0.pdf", KIOSK, LIBRARY, "").read_bytes(),
        "2": b"<html>PDF</html>",
    }


FORMATS = {"autorag": autorag, "korquad": korquad, "miracl": miracl, "allganize": allganize}


@contextmanager
def declared(
    name: str, files: dict[str, bytes], folder: Path, monkeypatch: pytest.MonkeyPatch, *, pinned: bool = True
) -> Iterator[Files]:
    """Serve the files and declare the set that they are."""
    with served(files) as server:
        base = server.address
        files |= {key: content.replace(b"{base}", base.encode()) for key, content in files.items() if "csv" in key}
        named = [key for key in files if not key.isdigit()]
        checksums = {key: hashlib.sha256(files[key]).hexdigest() if pinned else "" for key in named}
        lines = [f"[{name}]", f'title = "{name}"', 'licence = "CC0"', "megabytes = 0.1", f'base = "{base}"']
        lines += ['pdfs = "documents.csv"'] if "documents.csv" in files else []
        lines += [f"[{name}.files]", *(f'"{key}" = "{checksum}"' for key, checksum in checksums.items())]
        lines += [f"[[{name}.published]]", 'system = "BM25"', 'source = "https://example.org/a/b/c"', '"mrr@10" = 0.5']
        (folder / "sets.toml").write_text("\n".join(lines), encoding="utf-8")
        monkeypatch.setattr(public, "SETS", folder / "sets.toml")
        monkeypatch.setattr(public, "RESULTS", folder / "results.json")
        monkeypatch.setattr(public, "settings", lambda: SimpleNamespace(data_dir=folder / "data"))
        yield server


@pytest.mark.parametrize("name", FORMATS)
def test_a_set_in_its_published_format_is_fetched_once_and_measured_beside_what_others_published(
    name: str, database: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "results.json"
    with declared(name, FORMATS[name](tmp_path), tmp_path, monkeypatch) as server:
        done = lessons("scoreboard", name, "--stage", "naive", "--json", "--output", str(output))
        assert done.returncode == 0, done.stderr
        told = f"{name}: 0.1 MB from 127.0.0.1, to {tmp_path / 'data' / 'public' / name / 'files'}.\nLicence: CC0.\n"
        assert done.stderr.startswith(told)
        server.files = {key: content for key, content in server.files.items() if key == "0"}
        shown = lessons("scoreboard", name, "--stage", "naive")
        assert shown.returncode == 0, shown.stderr
        assert "Licence" not in shown.stderr
    result = json.loads(done.stdout)[name]
    naive = result["measured"]["stages"]["naive"]
    expected = 2 / 3 if name == "allganize" else 1.0  # a question is about a page without text
    assert {metric: values[0] for metric, values in naive.items()} == pytest.approx(
        {"mrr@10": expected, "ndcg@10": expected, "recall@5": expected}
    )
    assert result["measured"]["questions"] == {"autorag": 2, "miracl": 2}.get(name, 3)
    assert re.fullmatch(r"[0-9a-f]{8,}(-dirty)?|\d+\.\S+", result["measured"]["commit"])
    assert result["published"] == [{"system": "BM25", "source": "https://example.org/a/b/c", "mrr@10": 0.5}]
    assert json.loads(output.read_text()) == {name: result["measured"]}
    assert all(word in shown.stdout for word in ("naive", "BM25", "0.50", "example.org/a/b"))


def test_documents_that_are_gone_are_named_and_their_questions_left_out(
    database: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with declared("allganize", allganize(tmp_path), tmp_path, monkeypatch) as server:
        said = list[str]()
        files = tmp_path / "files"
        public.fetch(public.public_sets()["allganize"], files, lambda label, done, total: None, said.append)
        public.fetch_pdfs(files / "documents.csv", lambda label, done, total: None, said.append)
        write_pdf(files / "pdf" / "스캔.pdf", "")  # has no text, which stops nothing
        assert said[-1].startswith("2 of 3 PDF files are no longer at their addresses")
        assert f"없음.pdf ({server.address}1), 게시판.pdf ({server.address}2)" in said[-1]
    documents, questions = public.allganize(files)
    assert {id_: text.strip() for id_, text in documents.items()} == {
        "수칙.pdf - 1": KIOSK,
        "수칙.pdf - 2": LIBRARY,
        "수칙.pdf - 3": "",
    }
    assert [question.documents for question in questions] == [["수칙.pdf - 1"], ["수칙.pdf - 2"], ["수칙.pdf - 3"]]


def test_another_file_than_the_one_pinned_is_deleted_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with declared("korquad", korquad(tmp_path), tmp_path, monkeypatch) as server:
        server.files = {"KorQuAD_v1.0_dev.json": b"{}"}
        done = lessons("scoreboard", "korquad", "--stage", "naive")
        digest = hashlib.sha256(b"{}").hexdigest()
    assert done.returncode == 1
    assert f"KorQuAD_v1.0_dev.json is not the file that was pinned: its SHA-256 is {digest}, not" in done.stderr
    assert not list((tmp_path / "data").rglob("KorQuAD*"))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("content", [b"", b"[]", b'{"data": [{"paragraphs": [3]}]}', b"a\tb\tc\td\te\n", b"\xff\x00"])
def test_a_changed_format_is_said_in_a_sentence(name: str, content: bytes, tmp_path: Path) -> None:
    files = {key: content for key in FORMATS[name](tmp_path) if not key.isdigit()}
    with pytest.MonkeyPatch.context() as monkeypatch, declared(name, files, tmp_path, monkeypatch, pinned=False):
        done = lessons("scoreboard", name, "--stage", "naive")
    assert done.returncode == 1
    assert f"The files of {name} have another format" in done.stderr or "names no relevant document" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_network_the_command_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with declared("korquad", korquad(tmp_path), tmp_path, monkeypatch) as server:
        text = public.SETS.read_text(encoding="utf-8")
        public.SETS.write_text(text.replace(str(server.server_port), str(free_port())), encoding="utf-8")
        done = lessons("scoreboard", "korquad", "--stage", "naive")
    assert done.returncode == 1
    assert "is there a network?" in done.stderr
    assert "or save the file as" in done.stderr


def test_a_name_that_is_no_set_is_refused_with_those_that_are() -> None:
    done = lessons("scoreboard", "squad")
    assert done.returncode == 2
    assert "there is no public set 'squad'; choose from autorag, korquad, allganize, miracl" in done.stderr


def test_every_declared_set_is_pinned_and_names_its_sources() -> None:
    sets = public.public_sets()
    assert [*sets] == [*public.CONVERTERS] == ["autorag", "korquad", "allganize", "miracl"]
    for name, each in sets.items():
        assert re.search(r"^https://\S+/[0-9a-f]{40}/\S*$", each.base), name
        assert all(re.fullmatch(r"([0-9a-f]{64})?", checksum) for checksum in each.files.values()), name
        assert each.licence
        assert each.published
        for row in each.published:
            assert re.search(r"^https://github\.com/[\w-]+/[\w.-]+/blob/[0-9a-f]{40}/", row["source"]), name
            assert all(0 < row[metric] < 1 for metric in public.METRICS if metric in row)
            assert row.keys() & public.METRICS.keys()


def test_shipped_results_are_those_of_a_commit_and_stand_in_the_boards() -> None:
    results = public.read_results()
    assert results
    for name, result in results.items():
        assert re.fullmatch(r"[0-9a-f]{8}", result["commit"])
        assert result["stages"].keys() <= stages().keys()
        shown = public.board(name, results).rows
        assert [row[0] for row in shown][: len(result["stages"])] == [*result["stages"]]
        assert shown[0][-1] == f"{result['date']}, {result['commit']}, n = {result['questions']}"
