"""Some lines of a document as a text of their own, each with what gives it its subject."""

from collections.abc import Collection, Sequence

from lessons.models.offline.passages import Line


def kept_text(lines: Sequence[Line], places: Collection[int]) -> str:
    """The lines at these places in their order, under their headings, a row of a table under its column names."""
    above = {_heading(lines, place) for place in places}
    said: list[str] = []
    header: tuple[str, ...] = ()
    for place in sorted({*places, *(place for place in above if place is not None)}):
        line = lines[place]
        if line.header and line.header != header:
            said.append(f"| {' | '.join(line.header)} |")
        header = line.header
        said.append(line.text)
    return "\n".join(said)


def _heading(lines: Sequence[Line], place: int) -> int | None:
    """The place of the nearest heading above."""
    return next((above for above in range(place - 1, -1, -1) if lines[above].kind == "heading"), None)
