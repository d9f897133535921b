"""All that a slide shows is read, in the order in which people read it."""

from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from pptx.chart.data import BubbleChartData, CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml
from pptx.util import Inches

from lessons.ingest.read import read
from tests.support.files import DECLARED, note, png, with_parts, xml


@pytest.fixture
def deck() -> Any:
    return Presentation()


@pytest.fixture
def slide(deck: Any) -> Any:
    """A slide without placeholders."""
    return deck.slides.add_slide(deck.slide_layouts[6])


def texts(path: Path, deck: Any) -> list[list[str]]:
    """The blocks of each slide."""
    deck.save(str(path))
    return [page.text.split("\n\n") for page in read(path)]


def box(shapes: Any, text: str, left: float = 1, top: float = 1) -> Any:
    made = shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(1))
    made.text_frame.text = text
    return made


def chart(slide: Any, kind: str, data: Any, title: str = "") -> Any:
    made = slide.shapes.add_chart(XL_CHART_TYPE[kind], Inches(1), Inches(2), Inches(4), Inches(3), data).chart
    made.has_title = bool(title)
    if title:
        made.chart_title.text_frame.text = title
    return made


def bars(*series: tuple[str, tuple[float, ...]]) -> CategoryChartData:
    data = CategoryChartData()
    data.categories = ["배추", "Radish"]
    for name, values in series:
        data.add_series(name, values)
    return data


def test_a_chart_of_bars_is_a_table_below_its_title(tmp_path: Path, deck: Any, slide: Any) -> None:
    chart(slide, "COLUMN_CLUSTERED", bars(("2022", (31, 28)), ("2023", (35, 30.5))), "Harvest (t)")
    table = "|  | 2022 | 2023 |\n| --- | --- | --- |\n| 배추 | 31 | 35 |\n| Radish | 28 | 30.5 |"
    assert texts(tmp_path / "a.pptx", deck) == [["Harvest (t)", table]]


def test_a_chart_of_points_gives_both_values_of_each(tmp_path: Path, deck: Any, slide: Any) -> None:
    data = XyChartData()
    points = data.add_series("Yield")
    points.add_data_point(12, 3.4)
    points.add_data_point(15, 4.1)
    chart(slide, "XY_SCATTER", data)
    assert texts(tmp_path / "a.pptx", deck) == [["|  | Yield |\n| --- | --- |\n| 12 | 3.4 |\n| 15 | 4.1 |"]]


def test_a_chart_of_bubbles_gives_their_sizes(tmp_path: Path, deck: Any, slide: Any) -> None:
    data = BubbleChartData()
    data.add_series("Farms").add_data_point(12, 3.4, 90)
    chart(slide, "BUBBLE", data)
    assert "| 12 | 3.4 | 90 |" in texts(tmp_path / "a.pptx", deck)[0][0]


def test_categories_of_several_levels_stand_together(tmp_path: Path, deck: Any, slide: Any) -> None:
    data = CategoryChartData()
    for year in ("2022", "2023"):
        category = data.add_category(year)
        category.add_sub_category("spring")
        category.add_sub_category("autumn")
    data.add_series("Harvest", (1, 2, 3, 4))
    chart(slide, "COLUMN_CLUSTERED", data)
    rows = texts(tmp_path / "a.pptx", deck)[0][0].splitlines()[2:]
    assert rows == ["| 2022 spring | 1 |", "| 2022 autumn | 2 |", "| 2023 spring | 3 |", "| 2023 autumn | 4 |"]


def test_the_titles_of_the_axes_of_a_chart_are_read(tmp_path: Path, deck: Any, slide: Any) -> None:
    made = chart(slide, "COLUMN_CLUSTERED", bars(("2022", (31, 28))))
    made.value_axis.axis_title.text_frame.text = "Tonnes"
    assert "Tonnes" in texts(tmp_path / "a.pptx", deck)[0]


def test_a_deck_of_charts_alone_is_read(tmp_path: Path, deck: Any) -> None:
    for year in ("2022", "2023"):
        chart(deck.slides.add_slide(deck.slide_layouts[6]), "PIE", bars((year, (1, 2))))
    assert ["| 배추 | 1 |" in blocks[-1] for blocks in texts(tmp_path / "a.pptx", deck)] == [True, True]


def test_the_texts_of_a_diagram_are_read(tmp_path: Path, deck: Any, slide: Any) -> None:
    points = "".join(
        f"<dgm:pt><dgm:t><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>"
        for text in ("Sow", "수확")
    )
    data = xml(f"<dgm:dataModel><dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>").encode()
    part = Part(PackURI("/ppt/diagrams/data1.xml"), "application/xml", slide.part.package, data)
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
    ids = f'<dgm:relIds r:dm="{slide.part.relate_to(part, kind)}"/>'
    frame = f"<p:graphicFrame {SLIDE}><a:graphic><a:graphicData>{ids}</a:graphicData></a:graphic></p:graphicFrame>"
    slide.shapes._spTree.append(parse_xml(frame))
    assert texts(tmp_path / "a.pptx", deck) == [["Sow", "수확"]]


SLIDE = f'{DECLARED} xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'


def test_of_two_forms_of_a_shape_the_first_is_read(tmp_path: Path, deck: Any, slide: Any) -> None:
    forms = "".join(
        f"<mc:{name}><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></mc:{name}>"
        for name, text in (("Choice", "x² of soil"), ("Fallback", "a picture of x²"))
    )
    slide.shapes._spTree.append(parse_xml(f"<mc:AlternateContent {SLIDE}>{forms}</mc:AlternateContent>"))
    assert texts(tmp_path / "a.pptx", deck) == [["x² of soil"]]


def test_the_description_of_a_picture_is_read_and_a_power_is_one(tmp_path: Path, deck: Any, slide: Any) -> None:
    for top, description in ((1, "A bar opposite the station"), (3, None)):  # python-pptx gives it the name of the file
        picture = slide.shapes.add_picture(png(), Inches(1), Inches(top))
        if description:
            picture._element.nvPicPr.cNvPr.set("descr", description)
    run = box(slide.shapes, "x", top=5).text_frame.paragraphs[0].add_run()
    run.text = "2"
    run.font._element.set("baseline", "30000")
    assert texts(tmp_path / "a.pptx", deck) == [["A bar opposite the station", "x^2"]]
    assert note(tmp_path / "a.pptx") == "Pictures that were not read: 2."


def test_shapes_are_read_by_their_place_whatever_lies_on_top(tmp_path: Path, deck: Any, slide: Any) -> None:
    for text, left, top in (("last", 1, 5), ("third", 5, 3), ("second", 1, 3.1), ("first", 1, 1)):
        box(slide.shapes, text, left, top)
    assert texts(tmp_path / "a.pptx", deck) == [["first", "second", "third", "last"]]


def test_two_columns_are_read_one_after_the_other(tmp_path: Path, deck: Any, slide: Any) -> None:
    for left, name in ((1, "left"), (5, "right")):
        made = box(slide.shapes, f"{name} 1", left, 2)
        made.text_frame.add_paragraph().text = f"{name} 2"
    assert texts(tmp_path / "a.pptx", deck) == [["left 1", "left 2", "right 1", "right 2"]]


def test_the_title_comes_first_wherever_it_stands(tmp_path: Path, deck: Any) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    box(slide.shapes, "Sown in April", top=0.1)
    slide.shapes.title.text = "경작 계획"
    slide.shapes.title.top = Inches(6)
    assert texts(tmp_path / "a.pptx", deck) == [["# 경작 계획", "Sown in April"]]


def test_a_placeholder_stands_where_its_layout_puts_it(tmp_path: Path, deck: Any) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.placeholders[1].text = "In the body"
    box(slide.shapes, "Below", top=7)
    box(slide.shapes, "Above", top=0.5)
    assert texts(tmp_path / "a.pptx", deck) == [["Above", "In the body", "Below"]]


def test_the_shapes_of_a_group_are_read_by_their_place_and_stay_together(tmp_path: Path, deck: Any, slide: Any) -> None:
    group = slide.shapes.add_group_shape()
    box(group.shapes, "lower", top=3)
    box(group.shapes, "upper", top=1)
    box(slide.shapes, "outside", left=6, top=2)
    assert texts(tmp_path / "a.pptx", deck) == [["upper", "lower", "outside"]]


def test_a_footer_is_read_once(tmp_path: Path, deck: Any) -> None:
    for title in ("One", "Two"):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
        for kind in ('type="ftr" idx="11"', 'type="sldNum" idx="12"'):
            field = '<a:fld type="slidenum"><a:t>7</a:t></a:fld>'
            inner = field if "sldNum" in kind else "<a:r><a:t>Hanbit Farm</a:t></a:r>"
            shape = f"<p:sp {SLIDE}><p:nvSpPr><p:nvPr><p:ph {kind}/></p:nvPr></p:nvSpPr><p:spPr/>"
            slide.shapes._spTree.append(parse_xml(f"{shape}<p:txBody><a:p>{inner}</a:p></p:txBody></p:sp>"))
    assert texts(tmp_path / "a.pptx", deck) == [["# One", "Hanbit Farm"], ["## Two"]]


def test_notes_follow_the_slide(tmp_path: Path, deck: Any, slide: Any) -> None:
    slide.notes_slide.notes_text_frame.text = "Say why."
    box(slide.shapes, "Sown in April")
    assert texts(tmp_path / "a.pptx", deck) == [["Sown in April", "Say why."]]


def test_a_table_is_read_as_a_table(tmp_path: Path, deck: Any, slide: Any) -> None:
    table = slide.shapes.add_table(2, 2, 0, 0, 9, 9).table
    for cell, text in zip(table.iter_cells(), ("Crop", "t", "무", "28"), strict=True):
        cell.text = text
    assert texts(tmp_path / "a.pptx", deck) == [["| Crop | t |\n| --- | --- |\n| 무 | 28 |"]]


def test_the_list_of_sections_of_a_deck_moves_no_slide(tmp_path: Path, deck: Any) -> None:
    for text in ("one", "two"):
        box(deck.slides.add_slide(deck.slide_layouts[6]).shapes, text)
    space = "http://schemas.microsoft.com/office/powerpoint/2010/main"
    ids = "".join(f'<s:sldId id="{slide.slide_id}"/>' for slide in reversed(deck.slides))
    section = f'<s:section name="All"><s:sldIdLst>{ids}</s:sldIdLst></s:section>'
    list_ = f'<s:sectionLst xmlns:s="{space}">{section}</s:sectionLst>'
    deck.save(str(path := tmp_path / "a.pptx"))
    end = f'<p:extLst><p:ext uri="x">{list_}</p:ext></p:extLst></p:presentation>'.encode()
    with_parts(path, lambda name, part: part.replace(b"</p:presentation>", end))
    assert [(page.metadata["page_number"], page.text) for page in read(path)] == [(1, "one"), (2, "two")]


def test_a_slide_without_text_is_noted(tmp_path: Path, deck: Any, slide: Any) -> None:
    box(deck.slides.add_slide(deck.slide_layouts[6]).shapes, "second")
    deck.save(str(path := tmp_path / "a.pptx"))
    assert note(path) == "Without text, and so not searched: page 1."
