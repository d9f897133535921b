"""What goes wrong in notebook 05."""

import re

from lessons.text import terms
from tests.exercises.mistakes import mistake, mistakes

mistakes("05.1", (6, 2))


mistakes(
    "05.2",
    forgets_the_other_way_round=lambda one, other: set(terms(one)) <= set(terms(other)),
    plain_word_sets=lambda one, other: set(re.findall(r"\w+", one.lower())) == set(re.findall(r"\w+", other.lower())),
    counts_repeats=lambda one, other: sorted(terms(one)) == sorted(terms(other)),
)


def loop(choose, search, limit, cut=True, counts=True, catch=True, endless=False):
    found, left = {}, limit
    while left > 0:
        queries = choose(list(found.items()))
        if not queries and not endless:
            break
        for query in queries[:left] if cut else queries:
            fresh = query not in found
            left -= 1 if fresh or counts else 0
            if fresh:
                try:
                    found[query] = search(query)
                except RuntimeError as error:
                    if not catch:
                        raise
                    found[query] = str(error)
    return list(found.items())


mistakes(
    "05.3",
    runs_all_that_is_asked_at_once=lambda choose, search, limit: loop(choose, search, limit, cut=False),
    never_counts_a_repeat=lambda choose, search, limit: loop(choose, search, limit, counts=False),
    does_not_survive_an_error=lambda choose, search, limit: loop(choose, search, limit, catch=False),
    shows_the_model_a_dict=lambda choose, search, limit: loop(lambda found: choose(dict(found)), search, limit),
    waits_for_a_model_that_has_stopped=lambda choose, search, limit: loop(choose, search, limit, endless=True),
)


@mistake("05.3")
def counts_new_searches_only(choose, search, limit):
    found, left = [], limit
    while left and (queries := [query for query in choose(found) if query not in dict(found)][:left]):
        left -= len(queries)
        for query in queries:
            try:
                found.append((query, search(query)))
            except Exception as error:
                found.append((query, str(error)))
    return found


@mistake("05.3")
def a_repeat_at_once_is_free(choose, search, limit):
    return loop(lambda found: list(dict.fromkeys(choose(found))), search, limit)


@mistake("05.3")
def runs_again_what_failed(choose, search, limit):
    found, left = {}, limit
    while left and (queries := choose(list(found.items()))[:left]):
        left -= len(queries)
        for query in queries:
            try:
                if not found.get(query, "").startswith("documents"):
                    found[query] = search(query)
            except RuntimeError as error:
                found[query] = str(error)
    return list(found.items())


@mistake("05.3")
def asks_once_more_with_no_call_left(choose, search, limit):
    asked = []

    def recorded(found):
        asked.append(choose(found))
        return asked[-1]

    made = loop(recorded, search, limit)
    if not asked or asked[-1]:
        choose(made)
    return made


def tokens(messages):
    return sum(message["tokens"] for message in messages)


@mistake("05.4")
def drops_pairs_only(messages, room):
    first, *rest = messages
    while rest and tokens([first, *rest]) > room:
        rest = rest[2:]
    return [first, *rest]


@mistake("05.4")
def changes_the_list(messages, room):
    while len(messages) > 1 and (tokens(messages) > room or messages[1]["role"] == "tool"):
        del messages[1]
    return messages


@mistake("05.4")
def jumps_over_what_does_not_fit(messages, room):
    question, *rest = messages
    blocks, kept = [], []
    while rest:
        end = 1 + len(rest[0]["calls"])
        blocks, rest = [*blocks, rest[:end]], rest[end:]
    for block in reversed(blocks):
        if tokens([question, *kept, *block]) <= room:
            kept = [*block, *kept]
    return [question, *kept]
