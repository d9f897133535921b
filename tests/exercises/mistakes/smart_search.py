"""What goes wrong in notebook 03."""

import re
import unicodedata
from collections import Counter
from math import log
from statistics import fmean, pstdev

from tests.exercises.mistakes import mistake, mistakes

mistakes("03.1", 62, "61")


@mistake("03.2")
def only_what_all_lists_hold(lists, k):
    shared = set.intersection(*map(set, lists))
    return {id_: sum(1 / (k + ids.index(id_) + 1) for ids in lists) for id_ in shared}


@mistake("03.2")
def k_is_always_sixty(lists, k):
    fused = Counter()
    for ids in lists:
        fused.update({id_: 1 / (60 + rank) for rank, id_ in enumerate(ids, start=1)})
    return dict(fused)


@mistake("03.2")
def two_lists_only(lists, k):
    one, other = lists[:2]
    ids = dict.fromkeys([*one, *other])
    return {id_: sum(1 / (k + each.index(id_) + 1) for each in (one, other) if id_ in each) for id_ in ids}


def cut(text, alone=True, compose=True):
    made = []
    for word in (unicodedata.normalize("NFC", text) if compose else text).lower().split():
        two = [word[i : i + 2] for i in range(len(word) - 1)]
        made += (two or ([word] if alone else [])) if "가" <= word[0] <= "힣" else [word]
    return made


mistakes(
    "03.3",
    loses_single_syllables=lambda text: cut(text, alone=False),
    forgets_composition=lambda text: cut(text, compose=False),
    gives_each_pair_once=lambda text: list(dict.fromkeys(cut(text))),
)


@mistake("03.3")
def cuts_whatever_holds_hangul(text):
    made = []
    for word in unicodedata.normalize("NFC", text).lower().split():
        hangul = any("가" <= each <= "힣" for each in word) and len(word) > 1
        made += [word[i : i + 2] for i in range(len(word) - 1)] if hangul else [word]
    return made


def scores(query, documents, twice=False, rarity=None):
    average = fmean(map(len, documents))
    rarity = rarity or (lambda count, n: log(1 + (count - n + 0.5) / (n + 0.5)))

    def score(document):
        total = 0
        for term in query if twice else set(query):
            n, times = sum(term in each for each in documents), document.count(term)
            weight = times * 2.2 / (times + 1.2 * (0.25 + 0.75 * len(document) / average))
            total += rarity(len(documents), n) * weight
        return total

    return [score(document) for document in documents]


mistakes(
    "03.4",
    counts_a_repeated_question=lambda query, documents: scores(query, documents, twice=True),
    plain_inverse_frequency=lambda query, documents: scores(query, documents, rarity=lambda count, n: log(count / n)),
)


def quarters(question):
    found = re.findall(r"Q([1-4])\s+(\d{4})", question, re.IGNORECASE)
    korean = re.findall(r"(\d{4})년\s*([1-4])분기", question)
    return [(int(y), int(q)) for q, y in found] + [(int(y), int(q)) for y, q in korean]


mistakes(
    "03.5",
    takes_the_first=lambda question: next(iter(quarters(question)), None),
    overlooks_a_quarter_without_a_year=lambda question: only(quarters(question)),
)


def only(found):
    return found[0] if len(set(found)) == 1 else None


def the_only_one(question, english=r"\bQ([1-4])(?:\s+(\d{4}))?", korean=r"(?:(\d{4})년\s*)?([1-4])분기", pick=only):
    found = re.findall(english, question, re.IGNORECASE)
    found += [(q, y) for y, q in re.findall(korean, question)]
    return pick([(int(y), int(q)) for q, y in found if y]) if len({q for q, _ in found}) == 1 else None


mistakes(
    "03.5",
    counts_quarters_and_not_years=lambda question: the_only_one(question, pick=lambda found: next(iter(found), None)),
    finds_q_within_a_word=lambda question: the_only_one(question, english=r"Q([1-4])(?:\s+(\d{4}))?"),
    needs_a_space_in_korean=lambda question: the_only_one(question, korean=r"(?:(\d{4})년\s+)?([1-4])분기"),
    overlooks_a_korean_quarter_without_a_year=lambda question: the_only_one(
        question, korean=r"(\d{4})년\s*([1-4])분기"
    ),
)


@mistake("03.5")
def knows_no_korean(question):
    found = {(int(y), int(q)) for q, y in re.findall(r"Q([1-4])\s+(\d{4})", question, re.IGNORECASE)}
    return found.pop() if len(found) == 1 else None


@mistake("03.5")
def counts_mentions(question):
    found = quarters(question)
    return found[0] if len(found) == 1 else None


@mistake("03.5")
def takes_any_digit(question):
    found = set(re.findall(r"Q(\d)\s+(\d{4})", question, re.IGNORECASE))
    found |= {(q, y) for y, q in re.findall(r"(\d{4})년\s*(\d)분기", question)}
    return tuple(int(each) for each in found.pop()[::-1]) if len(found) == 1 else None


@mistake("03.6")
def by_rank(lists):
    fused = Counter()
    for each in lists:
        fused.update({id_: 1 / (60 + rank) for rank, id_ in enumerate(each, start=1)})
    return dict(fused)


mistakes(
    "03.6",
    keywords_alone=lambda lists: dict(lists[1] or lists[0]),
    adds_raw_scores=lambda lists: {id_: sum(each.get(id_, 0) for each in lists) for each in lists for id_ in each},
)


@mistake("03.6")
def fails_on_an_empty_list(lists):
    standard = [{id_: (s - fmean(each.values())) / pstdev(each.values()) for id_, s in each.items()} for each in lists]
    ids = {id_ for each in lists for id_ in each}
    return {id_: sum(each.get(id_, min(each.values())) for each in standard) for id_ in ids}


@mistake("03.6")
def the_worst_first(lists):
    fused = Counter()
    for each in filter(None, lists):
        low, high = min(each.values()), max(each.values())
        fused.update({id_: -(score - low) / (high - low) for id_, score in each.items()})
    return dict(fused)
