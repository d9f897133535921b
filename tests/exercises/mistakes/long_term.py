"""What goes wrong in notebook 09."""

import re

from lessons.text import terms
from tests.exercises.mistakes import mistake, mistakes

mistakes(
    "09.1",
    drops_the_newest=lambda known, new, limit: _merged(known, new, 10**6)[:limit],
    drops_before_it_replaces=lambda known, new, limit: _merged(
        known[max(0, len(known) + len(new) - limit) :], new, limit
    ),
    keeps_the_first_place_of_a_new_key=lambda known, new, limit: _merged(
        known, list({entity[0]: entity for entity in new}.values()), limit
    ),
)


def _merged(known, new, limit):
    kept = {entity[0]: entity for entity in known}
    for entity in new:
        kept.pop(entity[0], None)
        kept[entity[0]] = entity
    return list(kept.values())[-limit:]


mistakes(
    "09.2",
    as_soon_as_it_is_full=lambda last, upto, window: (
        list(range(upto + 1, upto + 1 + window)) if last - upto >= window else []
    ),
    everything_that_is_open=lambda last, upto, window: list(range(upto + 1, last + 1)) if last - upto > window else [],
    from_the_turn_that_was_taken_last=lambda last, upto, window: (
        list(range(upto, upto + window)) if last - upto > window else []
    ),
)


def _english(text):
    return re.search(r"(?:^|[.!] )I use ([\w ]+)\.", text)


def _korean(text):
    return re.search(r"저는 ([\w ]+?)[을를] 씁니다\.", text)


def _either(text):
    found = _english(text) or _korean(text)
    return found[1] if found else ""


mistakes(
    "09.3",
    believes_everybody=lambda role, text: _either(text),
    hears_nothing_after_a_question=lambda role, text: _either(text) if role == "user" else "",
)


@mistake("09.3")
def knows_no_korean(role, text):
    found = _english(text)
    return found[1] if found and role == "user" else ""


@mistake("09.3")
def overlooks_the_question_mark(role, text):
    found = re.search(r"(?:^|[.!] )I use ([\w ]+)[.?]", text) or _korean(text)
    return found[1] if found and role == "user" else ""


mistakes(
    "09.3",
    takes_one_word=lambda role, text: _either(text).split(" ")[0] if role == "user" else "",
)


@mistake("09.3")
def hears_it_anywhere(role, text):
    found = re.search(r"use ([\w ]+)\.", text) or _korean(text)
    return found[1] if found and role == "user" else ""


@mistake("09.3")
def hears_it_at_the_beginning_only(role, text):
    found = re.match(r"I use ([\w ]+)\.", text) or _korean(text)
    return found[1] if found and role == "user" else ""


@mistake("09.3")
def reads_to_the_last_full_stop(role, text):
    said = re.search(r"(?:^|[.!] )I use (.+)\.", text) or re.search(r"저는 (.+)[을를] 씁니다\.", text)
    return said[1] if said and role == "user" else ""


@mistake("09.3")
def hears_questions_and_denials(role, text):
    found = re.search(r"I use (.+?)\.", text) or _korean(text)
    return found[1] if found and role == "user" else ""


@mistake("09.3")
def takes_any_particle(role, text):
    said = re.search(r"(?:^|[.!] )I use ([\w ]+)\.", text) or re.search(r"저는 ([\w ]+). 씁니다\.", text)
    return said[1] if said and role == "user" else ""


@mistake("09.4")
def forgets_namesakes_too(tables, user):
    own = {row["id"] for row in tables["sessions"] if row["user_id"].startswith(user)}
    kept = {
        name: [row for row in tables[name] if not row["user_id"].startswith(user)] for name in ("sessions", "facts")
    }
    return {**kept, "messages": [row for row in tables["messages"] if row["session_id"] not in own]}


mistakes(
    "09.5",
    the_last_five=lambda said, question: range(max(0, len(said) - 5), len(said)),
    only_what_shares_a_word=lambda said, question: [
        place for place, each in enumerate(said) if set(terms(each)) & set(terms(question))
    ][-5:],
    everything=lambda said, question: range(len(said)),
)
