"""The verdict on a comparison: its sentence, the stages that say the same, and what differs between two answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from lessons.evaluate.golden import Evidence, Golden
from lessons.pages.verdict import Score, marked, merged, scored, verdict
from lessons.rag.answer import Answer
from lessons.rag.types import Context, RetrievedDocument
from lessons.trace import Step, Trace

NAMES = ("naive", "enhanced", "smart", "reranked", "agentic")


def score(text: str, status: str, tokens: int = 0, ranks: tuple[int | None, ...] = (), read: int = 5) -> Score:
    documents = tuple(RetrievedDocument(str(at), "words", 1.0, "a.md") for at in range(read))
    trace = Trace([Step("answer", llm_calls=1, tokens_in=tokens)])
    return Score(
        Answer("q", "smart", "keyless", text, context=Context("", documents), trace=trace), status, ranks, text
    )


def scores(*statuses: str, tokens: tuple[int, ...] = (0,) * 5, ranks: tuple[int | None, ...] = ()) -> dict[str, Score]:
    """A score for each status, all that are right with the same words."""
    each = zip(NAMES, statuses, tokens, ranks or [None] * 5, strict=False)
    return {
        name: score("yes" if status == "right" else name, status, spent, (rank,) if ranks else ())
        for name, status, spent, rank in each
    }


@pytest.mark.parametrize(
    ("statuses", "told"),
    [
        (
            "wrong refused right right right",
            "Smart is the first that is right; Reranked and Agentic say the same.",
        ),
        ("right right", "Every stage is right; Enhanced says the same as Naive."),
        ("right", "Naive is right."),
        ("right wrong right", "Naive and Smart are right, but Enhanced is not; Smart says the same as Naive."),
        ("wrong right wrong", "Enhanced is the first that is right, but Smart is not."),
        ("wrong partly refused", "No stage is right; Enhanced is the first that is partly right, but Smart is not."),
        ("partly partly", "Every stage is partly right."),
        ("wrong refused", "No stage is right."),
        ("refused refused", "No stage answers."),
        ("refused answered answered", "Enhanced is the first that answers."),
        ("answered refused", "Naive answers, but Enhanced cannot."),
    ],
)
def test_the_verdict_says_who_is_right_first(statuses: str, told: str) -> None:
    assert verdict(scores(*statuses.split())) == (told, "")


def test_the_verdict_says_what_the_same_answer_costs() -> None:
    found = scores("wrong", "refused", "right", "right", "right", tokens=(900, 800, 1000, 2200, 3240))
    assert verdict(found)[0].endswith("; Reranked and Agentic say the same for 2.2 and 3.2 times the tokens.")


def test_the_verdict_says_nothing_of_tokens_that_are_as_many() -> None:
    found = scores("right", "right", tokens=(1489, 1491))
    assert verdict(found)[0] == "Every stage is right; Enhanced says the same as Naive."


def test_the_verdict_says_who_did_not_find_the_evidence_and_who_did_not_use_it() -> None:
    found = scores("wrong", "wrong", "refused", ranks=(None, 6, 2))
    assert (
        verdict(found)[1] == "Naive did not find the evidence ★. Smart read the evidence ★ and still missed the answer."
    )
    assert verdict(scores("wrong", "wrong", ranks=(None, None)))[1] == "No stage found the evidence ★."


def test_neighbours_that_say_the_same_are_one_group_whatever_number_they_cite() -> None:
    known = Golden("x", "When?", "en", "fact", "At 7:30.", ("7:30",), (Evidence("a.md", "at 7:30"),))
    texts = {
        "naive": "At 9.",
        "smart": "At 7:30 [1].",
        "reranked": "At 7:30 [2].",
        "agentic": "The documents do not say.",
    }
    found = {name: scored(Answer("When?", name, "keyless", text), known) for name, text in texts.items()}
    assert merged(NAMES, found) == [["naive"], ["enhanced"], ["smart", "reranked"], ["agentic"]]
    assert [each.status for each in found.values()][:3] == ["wrong", "right", "right"]
    assert found["smart"].facts.replace("\u00a0", " ") == "★ not found · 0 calls · 0 tokens · 0 ms · free"


def test_a_right_refusal_is_right() -> None:
    known = Golden("x", "How many moons?", "en", "unanswerable")
    assert (
        scored(Answer("q", "naive", "keyless", "The documents do not answer this question."), known).status == "right"
    )


def test_new_words_are_marked_and_lost_ones_struck_out_but_not_citations() -> None:
    before, text = "Backups are kept for 30 days [1].", "Backups are kept for 35 days [4]."
    assert marked(text, before) == "Backups are kept for :gray[~~30~~] :green-background[35] days \\[4\\]\\."
    longer = "Open the menu [1]. Then import it."
    assert marked("Open the menu [1].", longer) == "Open the menu \\[1\\]\\. :gray[~~Then import it\\.~~] "
    assert marked("Something else entirely.", before) == "Something else entirely\\."
    assert marked("35 days [4].", "35 days [1].") == "35 days \\[4\\]\\."


def test_a_sentence_that_only_moved_is_not_marked() -> None:
    before = "Backups are kept for 30 days [1]. Open the menu [2]."
    assert marked("Open the menu [1]. Backups are kept for 30 days [2].", before).count("Backups") == 1
    assert ":" not in marked("Open the menu [1]. Backups are kept for 30 days [2].", before)
    more = marked("Open the menu [1]. It is new here. Backups are kept for 30 days [2].", before)
    assert "~~" not in more


def test_a_citation_stays_where_the_words_before_it_are_gone() -> None:
    before = "Backups are kept for 30 days on the server in Leeds [1]."
    assert "\\[2\\]" in marked("Backups are kept for 30 days on the server [2].", before)
    assert "\\[2\\]" in marked(
        "Backups are kept for 30 days on the server [2]", "Backups are kept for 30 days on the server now"
    )


WORDS = st.text(st.sampled_from("ab[]()<>!:`~*_#- 1.\n가") | st.characters(exclude_categories=["Cs"]), max_size=60)
QUIET = {"paragraph_open", "paragraph_close", "inline", "text", "text_special", "hardbreak", "softbreak", "code_inline"}


@given(WORDS, WORDS)
def test_nothing_in_an_answer_comes_alive_where_it_is_marked(text: str, before: str) -> None:
    tokens = MarkdownIt("commonmark").parse(marked(text, before))
    assert {part.type for token in tokens for part in (token, *(token.children or ()))} <= QUIET
