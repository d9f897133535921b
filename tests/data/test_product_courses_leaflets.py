"""The worlds of the product, the learners and the clinic: their documents, and questions that rest on real passages."""

import json
from collections import Counter
from pathlib import Path

import pytest
from llama_index.core.node_parser import SentenceSplitter

from data.make.__main__ import WRITTEN
from data.make.extract import holds, pages, squeeze
from data.make.markup import parse
from data.make.questions import CATEGORIES, world_questions
from data.make.render import render
from data.make.sources import documents, read_source

DATA = Path(__file__).parents[2] / "data"
DOCUMENTS = [document for world in WRITTEN for document in documents(world)]
QUESTIONS = {
    name: [json.loads(line) for line in (DATA / "golden" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    for name in WRITTEN
}
ALL = [question for questions in QUESTIONS.values() for question in questions]


def extracted(path: Path) -> dict[int | None, str]:
    """The file's text by page, white space evened out."""
    return {number: squeeze(text) for number, text in pages(path)}


def language_of(source_file: str) -> str:
    return Path(source_file).stem.rpartition("_")[2]


def is_cross_language(question: dict) -> bool:
    return any(language_of(item["source_file"]) != question["language"] for item in question["evidence"])


@pytest.mark.parametrize("world", WRITTEN)
def test_committed_files_are_the_ones_the_generator_makes(world):
    found = {path.relative_to(DATA / "corpus").as_posix() for path in (DATA / "corpus" / world).rglob("*.*")}
    assert found == {document.path for document in DOCUMENTS if document.world == world}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.path)
def test_committed_file_reads_as_its_source_says(document, tmp_path):
    fresh = tmp_path / f"fresh{document.suffix}"
    fresh.write_bytes(render(document))
    assert extracted(DATA / "corpus" / document.path) == extracted(fresh)


@pytest.mark.parametrize("world", WRITTEN)
def test_golden_file_is_what_the_generator_makes(world):
    assert QUESTIONS[world] == world_questions(world, DATA / "corpus")


@pytest.mark.parametrize("question", ALL, ids=lambda question: question["id"])
def test_every_quote_stands_on_its_page(question):
    for item in question["evidence"]:
        for place in [item, *item.get("any_of", [])]:
            assert holds(extracted(DATA / "corpus" / place["source_file"])[place["page"]], place["quote"])
            assert len(place["quote"]) <= 200


def test_a_learners_question_rests_on_other_places_of_the_learners_own_material_only():
    for question in QUESTIONS["courses"]:
        places = [place for item in question["evidence"] for place in item.get("any_of", [])]
        assert all(place["source_file"].startswith(f"courses/{question['owner']}/") for place in places)


def test_question_ids_are_unique():
    assert not [name for name, uses in Counter(question["id"] for question in ALL).items() if uses > 1]


def test_only_unanswerable_questions_have_no_evidence():
    assert all((question["category"] == "unanswerable") == (not question["evidence"]) for question in ALL)


def test_only_follow_ups_have_a_history():
    assert all((question["category"] == "follow-up") == bool(question["history"]) for question in ALL)


def test_answers_hold_their_own_key_facts():
    for question in ALL:
        answer = squeeze(question["answer"]).casefold()
        if question["evidence"]:
            missing = [f for f in question["key_facts"] if not any(s.casefold() in answer for s in f.split("|"))]
            assert not missing, f"{question['id']}: {missing}"


def test_there_are_enough_questions_of_every_category():
    counts = Counter(question["category"] for question in ALL)
    assert len(ALL) >= 90
    assert set(counts) == CATEGORIES
    assert min(counts.values()) >= 6
    assert counts["unanswerable"] >= 10


def test_languages_are_balanced():
    cross = sum(map(is_cross_language, ALL))
    same = Counter(question["language"] for question in ALL if not is_cross_language(question))
    assert 0.10 <= cross / len(ALL) <= 0.20
    assert 0.38 <= same["en"] / len(ALL) <= 0.52
    assert 0.33 <= same["ko"] / len(ALL) <= 0.47


def test_splits_are_balanced_by_category():
    counts = Counter((question["category"], question["split"]) for question in ALL)
    assert all(abs(counts[category, "dev"] - counts[category, "test"]) <= 3 for category in CATEGORIES)


def test_a_learners_question_rests_on_the_learners_own_material():
    for question in QUESTIONS["courses"]:
        assert question["owner"] in {"mina", "joon"}
        assert all(item["source_file"].startswith(f"courses/{question['owner']}/") for item in question["evidence"])


def test_course_documents_belong_to_the_learner_of_their_folder():
    assert {(document.path.split("/")[1], document.owner) for document in documents("courses")} == {
        ("mina", "mina"),
        ("joon", "joon"),
    }


def test_every_leaflet_says_that_it_is_no_medical_advice():
    for document in documents("leaflets"):
        text = " ".join(extracted(DATA / "corpus" / document.path).values())
        assert "not medical advice" in text or "의학적 조언이 아" in text, document.path


def test_world_is_large_enough_and_half_korean():
    splitter = SentenceSplitter(chunk_size=500, chunk_overlap=100)
    chunks = [
        chunk
        for document in DOCUMENTS
        for _, text in pages(DATA / "corpus" / document.path)
        for chunk in splitter.split_text(text)
        if len(chunk) >= 100
    ]
    korean = sum(document.language == "ko" for document in DOCUMENTS)
    assert len(DOCUMENTS) >= 55
    assert len(chunks) >= 350
    assert 0.4 <= korean / len(DOCUMENTS) <= 0.6


def test_lines_of_one_paragraph_are_joined_and_markers_open_new_blocks():
    blocks = parse("one\ntwo\n\n1. a\nb\n2. c\n\n> small")
    assert [getattr(block, "text", None) or list(block.items) for block in blocks] == ["one two", ["a b", "c"], "small"]


def test_source_without_front_matter_is_refused(tmp_path):
    path = tmp_path / "note.html.md"
    path.write_text("# Title\n\nText", encoding="utf-8")
    with pytest.raises(ValueError, match="front matter"):
        read_source(path)
