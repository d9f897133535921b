"""What goes wrong in notebook 04."""

import json

from lessons.text import terms
from tests.exercises.mistakes import mistake, mistakes

mistakes("04.1", (0.5, 1.0), 0.5, "both", (1.0,))


def share(question, text):
    asked = set(terms(question))
    return len(asked & set(terms(text))) / len(asked) if asked else 0.0


@mistake("04.2")
def fails_without_words(question, documents, weight):
    asked = set(terms(question))
    worth = [(1 - weight) * s + weight * len(asked & set(terms(t))) / len(asked) for t, s in documents]
    return sorted(range(len(documents)), key=lambda i: -round(worth[i], 9))


@mistake("04.2")
def counts_repeated_words(question, documents, weight):
    asked = terms(question) or ["?"]
    worth = [(1 - weight) * s + weight * sum(a in terms(t) for a in asked) / len(asked) for t, s in documents]
    return sorted(range(len(documents)), key=lambda i: -round(worth[i], 9))


@mistake("04.2")
def turns_ties_round(question, documents, weight):
    worth = [(1 - weight) * s + weight * share(question, t) for t, s in documents]
    return sorted(range(len(documents)), key=lambda i: round(worth[i], 9))[::-1]


@mistake("04.2")
def splits_at_spaces(question, documents, weight):
    asked = set(question.lower().split())
    scores = [
        (1 - weight) * score + weight * len(asked & set(text.lower().split())) / max(len(asked), 1)
        for text, score in documents
    ]
    return sorted(range(len(scores)), key=lambda place: -scores[place])


@mistake("04.2")
def shares_of_both_texts(question, documents, weight):
    asked = set(terms(question))
    held = [(set(terms(text)), score) for text, score in documents]
    worth = [(1 - weight) * s + weight * len(asked & h) / max(len(asked | h), 1) for h, s in held]
    return sorted(range(len(documents)), key=lambda i: -round(worth[i], 9))


mistakes(
    "04.3",
    by_score_alone=lambda scores, similar, wanted: sorted(range(len(scores)), key=lambda i: -scores[i])[:wanted],
)


@mistake("04.3")
def fails_when_more_are_wanted(scores, similar, wanted):
    left, chosen = list(range(len(scores))), []
    for _ in range(wanted):
        best = max(left, key=lambda i: scores[i] - max((similar[i][j] for j in chosen), default=0))
        left.remove(best)
        chosen.append(best)
    return chosen


@mistake("04.3")
def the_mean_similarity(scores, similar, wanted):
    left, chosen = list(range(len(scores))), []
    while left and len(chosen) < wanted:
        best = max(left, key=lambda i: scores[i] - sum(similar[i][j] for j in chosen) / max(len(chosen), 1))
        left.remove(best)
        chosen.append(best)
    return chosen


def order(reply, count, refuse, number=lambda score: score, caught=(ValueError, KeyError, TypeError)):
    as_found = list(range(1, count + 1))
    try:
        pairs = [(each["number"], number(each["score"])) for each in json.loads(reply)["scores"]]
        if refuse(pairs, count):
            return as_found
        scores = dict(pairs)
        return sorted(as_found, key=lambda number: -scores[number])
    except caught:
        return as_found


mistakes(
    "04.4",
    takes_any_score=lambda reply, count: order(
        reply, count, lambda pairs, count: sorted(n for n, _ in pairs) != list(range(1, count + 1))
    ),
    overlooks_a_second_score=lambda reply, count: order(
        reply, count, lambda pairs, count: any(not 0 <= s <= 10 for _, s in pairs)
    ),
    cuts_decimals_off=lambda reply, count: order(reply, count, unusable, int),
    misses_a_key=lambda reply, count: order(reply, count, unusable, caught=(ValueError, TypeError)),
    reads_numbers_in_quotes=lambda reply, count: order(reply, count, unusable, float),
)


def unusable(pairs, count):
    return sorted(n for n, _ in pairs) != list(range(1, count + 1)) or any(not 0 <= s <= 10 for _, s in pairs)


mistakes(
    "04.5",
    leaves_the_order=lambda question, documents: documents,
    keeps_five=lambda question, documents: sorted(documents, key=lambda d: -share(question, d.content))[:5],
    keeps_ten=lambda question, documents: sorted(documents, key=lambda d: -share(question, d.content))[:10],
    gives_texts=lambda question, documents: [document.content for document in documents],
    gives_ids=lambda question, documents: [
        d.id for d in sorted(documents, key=lambda d: -(d.score + share(question, d.content)))
    ],
)
