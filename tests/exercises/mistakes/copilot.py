"""What goes wrong in notebook 11."""

from tests.exercises.mistakes import mistake, mistakes

mistakes("11.1", 5)


def _outcome(decision, least, order):
    for name in order:
        if name == "ranked" and not decision.ranked_indices:
            return "not_documented"
        if name == "confidence" and decision.confidence < least:
            return "nothing_relevant"
        if name == "sufficient" and decision.is_sufficient:
            return "answered"
    return "best_effort"


mistakes(
    "11.2",
    asks_for_confidence_first=lambda decision, least: _outcome(decision, least, ("confidence", "ranked", "sufficient")),
    believes_that_it_suffices=lambda decision, least: _outcome(decision, least, ("sufficient", "ranked", "confidence")),
    asks_for_more_than_the_least=lambda decision, least: _outcome(
        decision, least + 1e-9, ("ranked", "confidence", "sufficient")
    ),
)


def _problems(decision, passages):
    ranked = decision.ranked_indices
    searching = decision.next_action == "search_again"
    return {
        "range": any(not 1 <= number <= passages for number in ranked),
        "twice": len(set(ranked)) < len(ranked),
        "nothing": decision.is_sufficient and not ranked,
        "query": searching and not decision.refined_query.strip(),
    }


@mistake("11.3")
def lets_zero_through(decision, passages):
    found = _problems(decision, passages) | {"range": any(n > passages for n in decision.ranked_indices)}
    return not any(found.values())


mistakes(
    "11.3",
    refuses_whatever_ranks_nothing=lambda decision, passages: (
        bool(decision.ranked_indices) and not any(_problems(decision, passages).values())
    ),
)


@mistake("11.3")
def takes_spaces_for_a_query(decision, passages):
    found = _problems(decision, passages)
    found["query"] = decision.next_action == "search_again" and not decision.refined_query
    return not any(found.values())


mistakes(
    "11.3",
    overlooks_a_second_time=lambda decision, passages: (
        not any((_problems(decision, passages) | {"twice": False}).values())
    ),
    lets_nothing_suffice=lambda decision, passages: (
        not any((_problems(decision, passages) | {"nothing": False}).values())
    ),
)


def _sorted(found):
    return sorted(found, key=lambda chunk: chunk["chunk_index"])


def _holds(chunk, path):
    return not path or any(each == path or each.startswith(f"{path} > ") for each in chunk["sections"])


@mistake("11.4")
def compares_beginnings(chunks, source, path):
    own = [chunk for chunk in chunks if chunk["source"] == source]
    return _sorted(chunk for chunk in own if any(each.startswith(path) for each in chunk["sections"]))


@mistake("11.4")
def looks_at_the_first_section(chunks, source, path):
    own = [chunk for chunk in chunks if chunk["source"] == source]
    return _sorted(chunk for chunk in own if _holds({"sections": chunk["sections"][:1]}, path))


@mistake("11.4")
def knows_no_whole_file(chunks, source, path):
    own = [chunk for chunk in chunks if chunk["source"] == source]
    return _sorted(chunk for chunk in own if path and _holds(chunk, path))


@mistake("11.4")
def looks_for_one_part_of_the_path(chunks, source, path):
    own = [chunk for chunk in chunks if chunk["source"] == source]
    return _sorted(chunk for chunk in own if not path or any(path in each.split(" > ") for each in chunk["sections"]))


def _monthly(sessions, turns, tokens, prices, updates, million=1e6):
    def dollars(used):
        return (used["in"] * prices["in"] + used["out"] * prices["out"]) / million

    return 30 * sessions * (turns * dollars(tokens["question"]) + updates * dollars(tokens["update"]))


mistakes(
    "11.5",
    updates_a_full_window=lambda sessions, turns, tokens, prices: _monthly(sessions, turns, tokens, prices, turns // 5),
    prices_a_thousand=lambda sessions, turns, tokens, prices: _monthly(
        sessions, turns, tokens, prices, max(0, turns - 1) // 5, million=1e3
    ),
    updates_less_than_never=lambda sessions, turns, tokens, prices: _monthly(
        sessions, turns, tokens, prices, (turns - 1) // 5
    ),
    forgets_the_memory=lambda sessions, turns, tokens, prices: _monthly(sessions, turns, tokens, prices, 0),
)
