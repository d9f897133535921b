"""Public question sets: fetched on the reader's machine, measured like any other, and shown beside published results.

`data/public/sets.toml` declares each set: its files, pinned, its licence, its size, and what others measured on it. The
sets are never shipped; `data/public/results.json` holds what was measured here.
"""

import csv
import gzip
import json
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from math import nan
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter

from lessons.context.wrapper import Answering
from lessons.errors import LessonsError, ReadError
from lessons.evaluate.compare import mean_with_interval
from lessons.evaluate.evaluation import Evaluation
from lessons.evaluate.run import Teller, Watcher, evaluate
from lessons.ingest.read import read
from lessons.models.hub import download
from lessons.models.recorded import replace_file
from lessons.settings import ROOT, settings
from lessons.tables import Table

SETS, RESULTS = ROOT / "data" / "public" / "sets.toml", ROOT / "data" / "public" / "results.json"
METRICS = {"mrr@10": "MRR", "ndcg@10": "nDCG@10", "recall@5": "Recall@5"}  # those that others publish, too

Results = dict[str, dict[str, Any]]  # what was measured, by the name of a set


@dataclass(frozen=True)
class PublicSet:
    """A set as `sets.toml` declares it; `files` maps each path below `base` to its SHA-256, "" where it is unknown."""

    title: str
    licence: str
    megabytes: float
    base: str
    files: dict[str, str]
    pdfs: str = ""  # the one of `files` that lists further files, `file_name`, with their `url`
    questions: int | None = None  # drawn with seed 0; None asks them all
    published: list[dict[str, Any]] = field(default_factory=list)  # a system, its source, and some of `METRICS`


class Question(NamedTuple):
    """A question with its reference answer and the ids of the documents that hold it."""

    id: str
    text: str
    answer: str
    documents: Sequence[str]


Converted = tuple[Mapping[str, str], list[Question]]  # texts by id, and the questions


def public_sets() -> dict[str, PublicSet]:
    """Return the declared sets by name."""
    return TypeAdapter(dict[str, PublicSet]).validate_python(tomllib.loads(SETS.read_text(encoding="utf-8")))


def measure(name: str, stages: Sequence[Answering], watch: Watcher, tell: Teller) -> Evaluation:
    """Fetch what is missing of a set, lay it out as BEIR does, and evaluate the stages on it."""
    declared, folder = public_sets()[name], settings().data_dir.expanduser() / "public" / name
    fetch(declared, folder / "files", watch, tell)
    try:
        if declared.pdfs:
            fetch_pdfs(folder / "files" / declared.pdfs, watch, tell)
        documents, questions = CONVERTERS[name](folder / "files")
    except (LookupError, AttributeError, TypeError, ValueError, EOFError, gzip.BadGzipFile) as error:
        raise LessonsError(
            f"The files of {name} have another format than this workbook knows ({error!r}). Delete {folder} and run "
            "the command again; if that does not help, report it."
        ) from error
    write_beir(folder, documents, questions)
    return evaluate(stages, "test", folder, declared.questions, watch=watch, tell=tell)


# Files, each downloaded once


def fetch(declared: PublicSet, folder: Path, watch: Watcher, tell: Teller) -> None:
    """Download the files of a set that are not there yet, having told how large they are and under which licence."""
    missing = {name: checksum for name, checksum in declared.files.items() if not (folder / name).exists()}
    if missing:
        tell(f"{declared.title}: {declared.megabytes} MB from {httpx.URL(declared.base).host}, to {folder}.")
        tell(f"Licence: {declared.licence}.")
    for name, checksum in missing.items():
        download(declared.base + quote(name), folder / name, partial(watch, f"Downloading {name}"), checksum)


def fetch_pdfs(table: Path, watch: Watcher, tell: Teller) -> None:
    """Download the PDF files that a table lists from their publishers; tell which are gone, or are no PDF there."""
    rows, lost = _table(table), list[str]()
    for done, row in enumerate(rows, start=1):
        path = table.parent / "pdf" / Path(row["file_name"]).name
        try:
            if not path.exists():
                download(row["url"], path)
            if not path.read_bytes().startswith(b"%PDF"):
                path.unlink()
        except (LessonsError, httpx.InvalidURL):
            pass
        lost += [] if path.exists() else [f"{path.name} ({row['url']})"]
        watch("Downloading PDF files", done, len(rows))
    if lost:
        tell(
            f"{len(lost)} of {len(rows)} PDF files are no longer at their addresses, and the questions about them are "
            f"left out. Save them in {table.parent / 'pdf'} under these names: {', '.join(lost)}."
        )


# From each published format to documents and questions


def autorag(folder: Path) -> Converted:
    """Read AutoRAG's two tables; `retrieval_gt` lists groups of documents."""
    import pandas  # type: ignore[import-untyped]  # Streamlit brings it

    corpus, asked = (pandas.read_parquet(folder / name) for name in ("ocr_corpus_v3.parquet", "qa_v4.parquet"))
    rows = zip(asked["qid"], asked["query"], asked["generation_gt"], asked["retrieval_gt"], strict=True)
    questions = [
        Question(id_, query, answers[0], [document for group in groups for document in group])
        for id_, query, answers, groups in rows
    ]
    return dict(zip(corpus["doc_id"], corpus["contents"], strict=True)), questions


def korquad(folder: Path) -> Converted:
    """Read SQuAD's JSON; a paragraph that stands there twice is one document."""
    ids, questions = dict[str, str](), list[Question]()
    for article in json.loads((folder / "KorQuAD_v1.0_dev.json").read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            id_ = ids.setdefault(paragraph["context"], f"{article['title']} {len(ids) + 1}")
            questions += [
                Question(row["id"], row["question"], row["answers"][0]["text"], [id_]) for row in paragraph["qas"]
            ]
    return {id_: text for text, id_ in ids.items()}, questions


def allganize(folder: Path) -> Converted:
    """Read the PDF files with the product's own reader, and the questions about those that are there.

    A document is a page. As BAEM1N counts, the first page that a question names is the right one.
    """
    documents, questions = dict[str, str](), list[Question]()
    for number, row in enumerate(_table(folder / "rag_evaluation_result.csv")):
        if (folder / "pdf" / row["target_file_name"]).exists():
            page = f"{row['target_file_name']} - {int(row['target_page_no'].split(',')[0])}"
            documents[page] = ""  # unless it has a text; without one, nothing finds it
            questions.append(Question(f"q{number:03}", row["question"], row["target_answer"], [page]))
    for path in (folder / "pdf").glob("*.pdf"):
        with suppress(ReadError):  # of a file without any text, which nothing finds either
            documents |= {f"{path.name} - {page.metadata['page_number']}": page.text for page in read(path)}
    return documents, questions


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def miracl(folder: Path) -> Converted:
    """Read topics and judgements in TREC's format, and of the corpus the passages that were judged."""
    topics, judgements = (
        [line.split("\t") for line in (folder / kind / "dev.relevant.tsv").read_text(encoding="utf-8").splitlines()]
        for kind in ("topics", "qrels")
    )
    judged = {id_ for _topic, _q0, id_, _grade in judgements}
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        passages = [row for row in map(json.loads, file) if row["docid"] in judged]
    questions = [
        Question(topic, text, "", [id_ for of, _q0, id_, grade in judgements if of == topic and int(grade) > 0])
        for topic, text in topics
    ]
    return {row["docid"]: f"{row['title']}\n\n{row['text']}" for row in passages}, questions


CONVERTERS = {"autorag": autorag, "korquad": korquad, "allganize": allganize, "miracl": miracl}


def write_beir(folder: Path, documents: Mapping[str, str], questions: Sequence[Question]) -> None:
    """Write the folder that `lessons evaluate --data` reads."""
    queries = [{"_id": row.id, "text": row.text, "metadata": {"answer": row.answer}} for row in questions]
    corpus = [{"_id": id_, "text": text} for id_, text in documents.items()]
    qrels = [f"{row.id}\t{id_}\t1" for row in questions for id_ in row.documents]
    (folder / "qrels").mkdir(exist_ok=True)
    for name, lines in {
        "corpus.jsonl": map(json.dumps, corpus),
        "queries.jsonl": map(json.dumps, queries),
        "qrels/test.tsv": qrels,
    }.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


# Results, beside published ones


def as_result(run: Evaluation) -> dict[str, Any]:
    """Return what is shipped of a run; a metric is its mean and the two ends of its 95 % interval."""
    summaries = {stage: run.summary(stage).as_dict() for stage in run.stages}
    return {
        "date": run.at.date().isoformat(),
        "commit": revision(),
        **{model: run.settings[model] for model in ("answers", "embedding")},
        "questions": run.questions,
        "stages": {
            stage: {metric: [values[metric], *values["intervals"][metric]] for metric in METRICS}
            for stage, values in summaries.items()
        },
    }


def revision() -> str:
    """Return the commit of the checkout, with `-dirty` if files were changed since, or the version of the package."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=8", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return version("rag-workbook")


def read_results(path: Path = RESULTS) -> Results:
    """Read results; none if the file is not there yet."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_results(path: Path, results: Results) -> None:
    """Add results to a file, in the order of the sets."""
    together = read_results(path) | results
    ordered = {name: together[name] for name in public_sets() if name in together}
    replace_file(path.resolve(), (json.dumps(ordered, indent=1) + "\n").encode())


def rows(name: str, results: Results) -> Iterator[list[str]]:
    """Yield the name, `METRICS` and source of each stage, with 95 % intervals, and of each published system."""
    if result := results.get(name):
        source = f"{result['date']}, {result['commit']}, n = {result['questions']}"
        for stage, values in result["stages"].items():
            numbers = [[nan if number is None else number for number in values[metric]] for metric in METRICS]
            yield [stage, *(mean_with_interval(mean, (low, high)) for mean, low, high in numbers), source]
    for row in public_sets()[name].published:
        yield [row["system"], *(f"{row[metric]:.2f}" if metric in row else "–" for metric in METRICS), row["source"]]


def board(name: str, results: Results) -> Table:
    """Return the rows of a set for a terminal; of an address it shows the site and the repository."""
    declared = public_sets()[name]
    short = [[*cells, "/".join(source.split("/")[2:5]) or source] for *cells, source in rows(name, results)]
    caption = f"{name}: {declared.title}, {declared.megabytes} MB, {declared.licence}"
    return Table(["", *METRICS.values(), "source"], short, caption)
