"""The timeline of a trace: steps one after the other, those within a step below it."""

from lessons.evaluate.timeline import summary, timeline
from lessons.trace import Step, Trace


def searching() -> Trace:
    """An agent's trace: a decision, a search of two steps, an answer."""
    search = Step("search_documents", {"query": "fees"}, ms=30, notes=["fees → 2 documents"])
    search.nest(Step("Expand", ["fees"], ["fees", "late fees"], ms=10, llm_calls=1, tokens_in=50, tokens_out=5))
    search.nest(Step("retrieve", ["fees", "late fees"], [], ms=15))
    answer = Step("answer", "fees", "They are 5 [1].", ms=5, llm_calls=1, tokens_in=100, tokens_out=9, cost=0.25)
    return Trace([Step("decide", "fees", ms=20), search, answer])


def test_steps_begin_where_the_one_before_ended() -> None:
    bars = [bar for bar in timeline(searching()) if bar.depth == 0]
    assert [(bar.name, bar.start, bar.end) for bar in bars] == [
        ("decide", 0, 20), ("search_documents", 20, 50), ("answer", 50, 55),
    ]  # fmt: skip


def test_the_steps_of_a_search_lie_within_it() -> None:
    bars = [bar for bar in timeline(searching()) if bar.depth == 1]
    assert [(bar.name, bar.start, bar.end) for bar in bars] == [("Expand", 20, 30), ("retrieve", 30, 45)]


def test_the_queries_that_were_made_and_the_notes_are_told() -> None:
    said = {bar.name: bar.said for bar in timeline(searching())}
    assert said["search_documents"] == ("fees → 2 documents",)
    assert said["Expand"] == ("→ fees · late fees",)
    assert said["answer"] == ()


def test_what_the_steps_within_used_is_counted_once() -> None:
    assert summary(searching()) == "55 ms, 2 model calls, 164 tokens, $0.2500"
