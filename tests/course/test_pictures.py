"""The Mermaid diagrams of the notebooks name only what there is: names of the package, its tables, and its files."""

import ast
import re
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from tests.course.measures import notebooks, texts

ROOT = Path(__file__).parents[2]
PRODUCTS = {"PostgreSQL", "SQL", "AND", "False", "Naive", "Enhanced", "Smart", "Reranked", "Agentic"}
"""What else may begin with a capital letter: products, words of SQL and Python, and stages."""
BLOCK = re.compile(r"^```mermaid\n(.*?)^```", re.DOTALL | re.MULTILINE)
KINDS = re.compile(r"\s*(?:flowchart|graph|stateDiagram-v2|sequenceDiagram|erDiagram|classDiagram)\b")
NO_NAME = re.compile(r"<br\s*/?>|\b(?:stateDiagram-v2|sequenceDiagram|erDiagram|classDiagram|classDef|linkStyle)\b")
FILE = re.compile(r"(?<![\w/])[\w.-]+(?:/[\w.-]+)+|\b\w+\.py\b")
NAME = re.compile(r"\b(?:[A-Z]\w{2,}|\w*[a-z]_\w*|\w*[A-Z]_\w+)\b")


def pictures(text: str) -> list[str]:
    """The Mermaid blocks of a text in Markdown."""
    return BLOCK.findall(text)


def unknown(picture: str) -> list[str]:
    """The paths of a picture, and its words with a capital letter or an underscore, that nothing here has."""
    plain = NO_NAME.sub(" ", picture)
    files = [
        file for file in FILE.findall(plain) if not (ROOT / file).exists() and not any(ROOT.glob(f"lessons/**/{file}"))
    ]
    return files + [name for name in NAME.findall(FILE.sub(" ", plain)) if name not in known() | PRODUCTS]


@cache
def known() -> set[str]:
    """What the package defines or imports, its modules, and its tables and their columns."""
    files = list((ROOT / "lessons").rglob("*.py"))
    nodes = chain.from_iterable(ast.walk(ast.parse(file.read_text(encoding="utf-8"))) for file in files)
    return {file.stem for file in files} | {name for node in nodes for name in names(node)}


def names(node: ast.AST) -> list[str]:
    """The names that a piece of code defines; tables, columns and the values of a type are written as strings."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return [name]
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return [name]
        case ast.alias(name=name):
            return [name.rpartition(".")[2]]
        case ast.Assign(targets=[ast.Name(id="__tablename__")], value=ast.Constant(value=str(name))):
            return [name]
        case ast.Call(
            func=ast.Name(id="Column") | ast.Attribute(attr="Column"), args=[ast.Constant(value=str(name)), *_]
        ):
            return [name]
        case ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Tuple(elts=values)):
            return [str(value.value) for value in values if isinstance(value, ast.Constant)]
        case _:
            return []


@pytest.mark.parametrize("notebook", notebooks(), ids=lambda path: path.stem)
def test_a_picture_names_only_what_there_is(notebook: Path) -> None:
    found = [picture for text in texts(notebook) for picture in pictures(text)]
    assert [picture.split("\n")[0] for picture in found if not KINDS.match(picture)] == []
    assert [name for picture in found for name in unknown(picture)] == []


GOOD = """flowchart LR
    q([question]) --> retriever["VectorRetriever<br/>lessons/rag/retrievers.py"]
    retriever -->|"store.py: embedding <=> :v"| chunks[("PostgreSQL<br/>chunk_index, ingestion_jobs")]
    chunks --> naive_rag["IngestionPipeline, rank_fusion_k"]
"""


def test_names_and_files_that_exist_may_stand_in_a_picture() -> None:
    text = f"Before.\n\n```mermaid\n{GOOD.replace('naive_rag', 'n')}```\n\n```python\nx = NoSuchThing()\n```\n"
    assert [unknown(picture) for picture in pictures(text)] == [[]]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("VectorRetriever", "VectorRetreiver"),
        ("VectorRetriever", "Retriever3"),
        ("IngestionPipeline", "IngestPipeline"),
        ("rank_fusion_k", "rank_fusion_constant"),
        ("chunk_index", "chunk_place"),
        ("ingestion_jobs", "ingest_jobs"),
        ("lessons/rag/retrievers.py", "lessons/rag/retriever.py"),
        ("store.py", "stores.py"),
    ],
)
def test_one_that_does_not_exist_is_noticed(right: str, wrong: str) -> None:
    assert unknown(GOOD.replace("naive_rag", "n").replace(right, wrong)) == [wrong]


def test_the_name_of_a_node_is_a_name_too() -> None:
    assert unknown(GOOD) == ["naive_rag"]
