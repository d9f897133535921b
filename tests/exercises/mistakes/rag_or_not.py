"""What goes wrong in notebook 15."""

import re
from math import ceil

from lessons.text import normalize
from tests.exercises.mistakes import mistake, mistakes

mistakes("15.1", "a", "c", "ab", 5)


mistakes(
    "15.2",
    without_those_who_pay_in_full=lambda search, cached, discount: int(search / discount),
    rounded_up=lambda search, cached, discount: ceil(search / (cached * discount + 1 - cached)),
    shares_exchanged=lambda search, cached, discount: int(search / (cached + (1 - cached) * discount)),
    average_of_break_evens=lambda search, cached, discount: int(cached * search / discount + (1 - cached) * search),
)


mistakes(
    "15.3",
    escaped_only=lambda words, lines: (
        [place for place, line in enumerate(lines, start=1) if re.search(re.escape(words), line)]
    ),
    escaped_in_any_case=lambda words, lines: (
        [place for place, line in enumerate(lines, start=1) if re.search(re.escape(words), line, re.IGNORECASE)]
    ),
)


@mistake("15.3")
def counted_from_nothing(words, lines):
    wanted = normalize(words).casefold()
    return [place for place, line in enumerate(lines) if wanted in normalize(line).casefold()]


mistakes(
    "15.3",
    composes_the_words_only=lambda words, lines: (
        [place for place, line in enumerate(lines, start=1) if normalize(words).casefold() in line.casefold()]
    ),
)


@mistake("15.3")
def looks_for_each_word_alone(words, lines):
    wanted = normalize(words).casefold().split()
    return [place for place, line in enumerate(lines, 1) if all(word in normalize(line).casefold() for word in wanted)]


mistakes(
    "15.3",
    composes_the_lines_only=lambda words, lines: (
        [place for place, line in enumerate(lines, 1) if words.casefold() in normalize(line).casefold()]
    ),
)


@mistake("15.4")
def stops_at_the_first(files, room):
    names = []
    for name, tokens in files:
        if tokens > room:
            break
        if name not in names:
            names.append(name)
            room -= tokens
    return names


@mistake("15.4")
def pays_twice(files, room):
    names = []
    for name, tokens in files:
        if tokens <= room:
            room -= tokens
            names.append(name)
    return list(dict.fromkeys(names))


@mistake("15.4")
def smallest_first(files, room):
    names = []
    for name, tokens in sorted(files, key=lambda file: file[1]):
        if name not in names and tokens <= room:
            names.append(name)
            room -= tokens
    return names


@mistake("15.4")
def never_quite_full(files, room):
    names = []
    for name, tokens in files:
        if name not in names and tokens < room:
            names.append(name)
            room -= tokens
    return names
