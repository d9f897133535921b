"""What `lessons.source` shows of the package."""

from pathlib import Path

import pytest

import lessons
from lessons.context.active import ActiveAgent
from lessons.rag import context
from lessons.rag.context import ContextBuilder
from lessons.rag.store import ChunkStore

CONTEXT = Path(context.__file__)


def test_a_class_is_shown_with_its_file() -> None:
    shown = lessons.source(ContextBuilder)
    assert shown.file == "lessons/rag/context.py"
    assert shown.code.startswith("@dataclass(frozen=True)\nclass ContextBuilder")
    assert repr(shown) == f"{shown.file}\n\n{shown.code}"


def test_a_method_is_shown_without_the_indentation_and_wrapper_it_has() -> None:
    assert lessons.source(ChunkStore.rows).code.startswith("@retry_on_disconnect\ndef rows")
    assert "```python\n@retry_on" in lessons.source(ChunkStore.rows)._repr_markdown_()


def test_a_property_is_shown_as_the_function_that_it_is() -> None:
    assert lessons.source(ActiveAgent.pipeline).code.startswith("@property\ndef pipeline")


def test_a_module_is_shown_whole() -> None:
    assert lessons.source(context).code == CONTEXT.read_text(encoding="utf-8")


def test_what_was_not_written_in_python_is_refused() -> None:
    with pytest.raises(TypeError):
        lessons.source(len)
