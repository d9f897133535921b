"""What goes wrong in notebook 09."""

import re

from lessons.text import terms
from tests.exercises.mistakes import mistake


@mistake("09.1")
def keeps_the_old_value(known, new, limit):
    kept = {key: (key, value, turn) for key, value, turn in known}
    for entity in new:
        kept.setdefault(entity[0], entity)
    return list(kept.values())[-limit:]


@mistake("09.1")
def keeps_the_old_place(known, new, limit):
    return list({entity[0]: entity for entity in [*known, *new]}.values())[-limit:]


@mistake("09.1")
def drops_the_newest(known, new, limit):
    return _merged(known, new, 10**6)[:limit]


@mistake("09.1")
def keeps_one_too_few(known, new, limit):
    return _merged(known, new, limit - 1)


@mistake("09.1")
def appends(known, new, limit):
    return [*known, *new][-limit:]


@mistake("09.1")
def drops_before_it_replaces(known, new, limit):
    return _merged(known[max(0, len(known) + len(new) - limit) :], new, limit)


def _merged(known, new, limit):
    kept = {entity[0]: entity for entity in known}
    for entity in new:
        kept.pop(entity[0], None)
        kept[entity[0]] = entity
    return list(kept.values())[-limit:]


@mistake("09.2")
def as_soon_as_it_is_full(last, upto, window):
    return list(range(upto + 1, upto + 1 + window)) if last - upto >= window else []


@mistake("09.2")
def everything_that_is_open(last, upto, window):
    return list(range(upto + 1, last + 1)) if last - upto > window else []


@mistake("09.2")
def all_but_the_window(last, upto, window):
    return list(range(upto + 1, last - window + 1))


@mistake("09.2")
def the_newest_ones(last, upto, window):
    return list(range(last - window + 1, last + 1)) if last - upto > window else []


@mistake("09.2")
def from_the_turn_that_was_taken_last(last, upto, window):
    return list(range(upto, upto + window)) if last - upto > window else []


def _english(text):
    return re.search(r"(?:^|[.!] )I use ([\w ]+)\.", text)


def _korean(text):
    return re.search(r"저는 ([\w ]+?)[을를] 씁니다\.", text)


def _either(text):
    found = _english(text) or _korean(text)
    return found[1] if found else ""


@mistake("09.3")
def believes_everybody(role, text):
    return _either(text)


@mistake("09.3")
def knows_no_korean(role, text):
    found = _english(text)
    return found[1] if found and role == "user" else ""


@mistake("09.3")
def overlooks_the_question_mark(role, text):
    found = re.search(r"(?:^|[.!] )I use ([\w ]+)[.?]", text) or _korean(text)
    return found[1] if found and role == "user" else ""


@mistake("09.3")
def takes_one_word(role, text):
    return _either(text).split(" ")[0] if role == "user" else ""


@mistake("09.3")
def strips_every_particle(role, text):
    found = re.search(r"저는 (.+) 씁니다\.", text)
    value = found[1].rstrip("을를") if found else _either(text)
    return value if role == "user" else ""


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
def takes_any_particle(role, text):
    said = re.search(r"(?:^|[.!] )I use ([\w ]+)\.", text) or re.search(r"저는 ([\w ]+). 씁니다\.", text)
    return said[1] if said and role == "user" else ""


@mistake("09.4")
def forgets_the_messages(tables, user):
    return {name: [row for row in rows if row.get("user_id") != user] for name, rows in tables.items()}


@mistake("09.4")
def forgets_everybody(tables, user):
    return {name: [] for name in tables}


@mistake("09.4")
def forgets_only_the_facts(tables, user):
    return {**tables, "facts": [row for row in tables["facts"] if row["user_id"] != user]}


@mistake("09.4")
def looks_for_the_sessions_too_late(tables, user):
    tables = {name: [row for row in rows if row.get("user_id") != user] for name, rows in tables.items()}
    own = {row["id"] for row in tables["sessions"] if row["user_id"] == user}
    return {**tables, "messages": [row for row in tables["messages"] if row["session_id"] not in own]}


@mistake("09.4")
def forgets_namesakes_too(tables, user):
    own = {row["id"] for row in tables["sessions"] if row["user_id"].startswith(user)}
    kept = {
        name: [row for row in tables[name] if not row["user_id"].startswith(user)] for name in ("sessions", "facts")
    }
    return {**kept, "messages": [row for row in tables["messages"] if row["session_id"] not in own]}


@mistake("09.4")
def deletes_in_place(tables, user):
    own = {row["id"] for row in tables["sessions"] if row["user_id"] == user}
    tables["messages"] = [row for row in tables["messages"] if row["session_id"] not in own]
    for name in ("sessions", "facts"):
        tables[name] = [row for row in tables[name] if row["user_id"] != user]
    return tables


@mistake("09.5")
def the_last_five(said, question):
    return range(max(0, len(said) - 5), len(said))


@mistake("09.5")
def the_first_five(said, question):
    return range(min(5, len(said)))


@mistake("09.5")
def only_what_shares_a_word(said, question):
    return [place for place, each in enumerate(said) if set(terms(each)) & set(terms(question))][-5:]


@mistake("09.5")
def everything(said, question):
    return range(len(said))


@mistake("09.5")
def counts_from_one(said, question):
    return range(max(1, len(said) - 4), len(said) + 1)
