"""What goes wrong in notebook 02."""

import re
from operator import contains

from tests.exercises.mistakes import mistake, mistakes

mistakes("02.1", "a", "c")


@mistake("02.2")
def begins_with_nothing(sentences, size):
    chunks = [""]
    for each in sentences:
        if len(chunks[-1]) + len(each) <= size:
            chunks[-1] += each
        else:
            chunks.append(each)
    return chunks


@mistake("02.2")
def is_never_full(sentences, size):
    chunks = []
    for each in sentences:
        if chunks and len(chunks[-1]) + len(each) < size:
            chunks[-1] += each
        else:
            chunks.append(each)
    return chunks


def tail(before, room, full=False):
    kept = []
    for each in reversed(before):
        if sum(map(len, kept)) + len(each) > room - full:
            break
        kept.insert(0, each)
    return kept


mistakes(
    "02.3",
    never_quite_full=lambda chunks, room: (
        [[*tail(before, room, True), *chunk] for before, chunk in zip([[], *chunks], chunks, strict=False)]
    ),
)


@mistake("02.3")
def repeats_what_was_repeated(chunks, room):
    made = []
    for chunk in chunks:
        made.append([*(tail(made[-1], room) if made else []), *chunk])
    return made


@mistake("02.3")
def skips_a_long_sentence(chunks, room):
    made = []
    for before, chunk in zip([[], *chunks], chunks, strict=False):
        kept = []
        for each in reversed(before):
            if sum(map(len, kept)) + len(each) <= room:
                kept.insert(0, each)
        made.append([*kept, *chunk])
    return made


def under_headings(lines, heading):
    path, found = {}, []
    for line in lines:
        if begun := re.match(heading, line):
            level = len(begun[1])
            path = {above: title for above, title in path.items() if above < level} | {level: begun[2]}
        else:
            found.append((" > ".join(path.values()), line))
    return found


mistakes(
    "02.4",
    knows_any_depth=lambda lines: under_headings(lines, "(#+) (.*)"),
    takes_every_hash_away=lambda lines: [
        (path.replace("#", "").strip(), line) for path, line in under_headings(lines, "(#{1,6}) (.*)")
    ],
    drops_empty_lines=lambda lines: under_headings(filter(None, lines), "(#{1,6}) (.*)"),
)


def kept(keywords, text, chunks, invented=False, twice=False, half=False, count=contains):
    found = []
    for keyword in keywords:
        small, known = keyword.lower(), [each.lower() for each in found]
        times = sum(count(chunk.lower(), small) for chunk in chunks)
        rare = times < len(chunks) / 2 if half else times <= len(chunks) / 2
        if (invented or small in text.lower()) and (twice or small not in known) and rare:
            found.append(keyword)
    return found


mistakes(
    "02.5",
    believes_the_model=lambda keywords, text, chunks: kept(keywords, text, chunks, invented=True),
    keeps_repeats=lambda keywords, text, chunks: kept(keywords, text, chunks, twice=True),
    less_than_half=lambda keywords, text, chunks: kept(keywords, text, chunks, half=True),
    looks_among_bare_words=lambda keywords, text, chunks: kept(
        [each for each in keywords if each.lower() in text.lower().split()], text, chunks
    ),
    counts_occurrences=lambda keywords, text, chunks: kept(keywords, text, chunks, count=str.count),
)


@mistake("02.5")
def counts_chunks_letter_by_letter(keywords, text, chunks):
    kept = {}
    for keyword in keywords:
        if keyword.lower() in text.lower() and sum(keyword in chunk for chunk in chunks) <= len(chunks) / 2:
            kept.setdefault(keyword.lower(), keyword)
    return list(kept.values())
