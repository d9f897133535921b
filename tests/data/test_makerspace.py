"""The questions of the capstone rest on words that really stand in its documents."""

from lessons.evaluate.golden import Golden, golden_questions
from lessons.ingest.read import read
from lessons.settings import ROOT

FOLDER = ROOT / "data" / "makerspace"
QUESTIONS = [question for split in ("dev", "test") for question in golden_questions(split, FOLDER)]


def missing(question: Golden) -> list[str]:
    texts = {each.source_file: read_all(each.source_file) for each in question.evidence}
    return [each.quote for each in question.evidence if not each.covered_by(each.source_file, texts[each.source_file])]


def read_all(source_file: str) -> str:
    return "\n".join(document.text for document in read(FOLDER / "documents" / source_file, source_file))


def test_every_quote_stands_in_its_document() -> None:
    assert not [(question.id, quote) for question in QUESTIONS for quote in missing(question)]


def test_both_halves_have_the_same_size_and_both_languages() -> None:
    halves = [golden_questions(split, FOLDER) for split in ("dev", "test")]
    assert len(halves[0]) == len(halves[1])
    assert all({question.language for question in half} == {"ko", "en"} for half in halves)


def test_what_cannot_be_answered_has_no_evidence_and_the_rest_has_facts_to_judge_by() -> None:
    for question in QUESTIONS:
        assert (question.category == "unanswerable") == (not question.evidence) == (not question.key_facts), question.id
