"""PowerPoint: a page for each slide with its notes, and its title as a heading."""

from collections.abc import Iterator
from pathlib import Path

from lessons.ingest.read.office import content, filled, inspect, table_text
from lessons.ingest.read.page import Block, Content, Page, page


def read_pptx(path: Path) -> Content:
    """A page for each slide with its notes. A slide's title is a heading, the first one the document's title."""
    from pptx import Presentation

    inspect(path, "ppt/", "PowerPoint")
    presentation = Presentation(str(path))
    pages = [_slide(number, slide) for number, slide in enumerate(presentation.slides, start=1)]
    return content(pages, presentation.core_properties)


def _slide(number: int, slide) -> Page:
    title = slide.shapes.title
    blocks = []
    for shape in _shapes(slide.shapes):
        if shape.has_text_frame:
            is_title = title is not None and shape.shape_id == title.shape_id
            blocks.append(Block(shape.text_frame.text, (1 if number == 1 else 2) if is_title else None))
        elif shape.has_table:
            blocks.append(Block(table_text(shape.table.rows)))
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        blocks.append(Block(slide.notes_slide.notes_text_frame.text))
    return page(number, filled(blocks), "\n\n")


def _shapes(shapes) -> Iterator:
    """Shapes in their order, those of a group one by one."""
    for shape in shapes:
        yield from _shapes(shape.shapes) if hasattr(shape, "shapes") else [shape]
