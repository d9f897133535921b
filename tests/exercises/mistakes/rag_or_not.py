"""What goes wrong in notebook 15."""

from math import ceil

from lessons.text import normalize
from tests.exercises.mistakes import mistake, mistakes

mistakes("15.1", "a", "c")


mistakes(
    "15.2",
    rounded_up=lambda search, cached, discount: ceil(search / (cached * discount + 1 - cached)),
    shares_exchanged=lambda search, cached, discount: int(search / (cached + (1 - cached) * discount)),
)


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
