"""How documents become chunks in the naive index."""

from pathlib import Path

from llama_index.core import get_tokenizer
from llama_index.core.schema import Document, MetadataMode

from lessons.ingest.index import naive_index
from lessons.ingest.read import read


def document(text: str, **metadata: object) -> Document:
    return Document(text=text, metadata={"source_file": "a.txt", "page_number": None, **metadata})


def test_naive_chunks_hold_at_most_800_tokens_and_do_not_overlap() -> None:
    words = [f"word{number}" for number in range(3000)]
    chunks = naive_index().chunks([document(" ".join(words))], "mina")
    assert all(len(get_tokenizer()(chunk.get_content())) <= 800 for chunk in chunks)
    assert " ".join(chunk.get_content() for chunk in chunks).split() == words


def test_chunks_know_their_owner_file_and_place() -> None:
    (chunk,) = naive_index().chunks([document("Short.", page_number=3)], "mina")
    expected = {"source_file": "a.txt", "page_number": 3, "user_id": "mina", "chunk_index": 0}
    assert {key: chunk.metadata[key] for key in expected} == expected


def test_a_chunks_id_depends_on_owner_file_place_and_words_only() -> None:
    index = naive_index()
    ids = {
        index.chunks([document(text, source_file=file)], owner)[0].node_id
        for text in ("One.", "Two.")
        for file in ("a.txt", "b.txt")
        for owner in ("mina", "joon")
    }
    assert len(ids) == 8
    assert index.chunks([document("One.")], "mina")[0].node_id in ids


def test_the_fingerprint_changes_with_the_file_and_with_the_recipe() -> None:
    index = naive_index()
    assert index.fingerprint("hash") == naive_index().fingerprint("hash")
    assert index.fingerprint("hash") != index.fingerprint("other hash")


def test_only_the_words_of_a_chunk_are_embedded(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Just this.", encoding="utf-8")
    (chunk,) = naive_index().chunks(read(tmp_path / "a.txt"), "mina")
    assert chunk.get_content(MetadataMode.EMBED) == "Just this."
