"""All that a page of Word shows is read, whatever holds it; what is deleted or hidden is not."""

from pathlib import Path

import docx
import pytest

from lessons.ingest.read import read
from tests.support.files import OFFICE, note, png, with_parts, write_word

PLAIN = "<w:p><w:r><w:t>The kiln is lit.</w:t></w:r></w:p>"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.docx"


def r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(*runs: str, properties: str = "") -> str:
    inner = "".join(run if run.startswith("<") else r(run) for run in runs)
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def table(*rows: list[str]) -> str:
    cells = ["".join(f"<w:tc>{cell}</w:tc>" for cell in row) for row in rows]
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def text(path: Path, body: str, **parts: str) -> str:
    (page,) = read(write_word(path, body, **parts))
    return page.text


def box(*paragraphs: str) -> str:
    """A text box, in the form of today and in that of older programs, which hold the same."""
    inner = f"<w:txbxContent>{''.join(paragraphs)}</w:txbxContent>"
    choice = f'<mc:Choice Requires="wps"><w:drawing><wps:txbx>{inner}</wps:txbx></w:drawing></mc:Choice>'
    fallback = f"<mc:Fallback><w:pict>{inner}</w:pict></mc:Fallback>"
    return f"<w:r><mc:AlternateContent>{choice}{fallback}</mc:AlternateContent></w:r>"


def test_a_text_box_is_read_once_after_the_paragraph_that_it_hangs_on(path: Path) -> None:
    assert text(path, p("Firing ", box(p("가마 온도"), p("1,240 °C")), "today")).split("\n\n") == [
        "Firing today", "가마 온도", "1,240 °C"
    ]  # fmt: skip


@pytest.mark.parametrize("tag", ["ins", "moveTo"])
def test_what_is_inserted_is_read(path: Path, tag: str) -> None:
    assert text(path, p("Fire at ", f"<w:{tag}>{r('1,240')}</w:{tag}>", " degrees")) == "Fire at 1,240 degrees"


@pytest.mark.parametrize("tag", ["del", "moveFrom"])
def test_what_is_deleted_is_left_out(path: Path, tag: str) -> None:
    letters = "delText" if tag == "del" else "t"
    deleted = f"<w:{tag}><w:r><w:{letters}>980</w:{letters}></w:r></w:{tag}>"
    assert text(path, p("Fire at ", deleted, "1,240 degrees")) == "Fire at 1,240 degrees"


def test_content_controls_are_read_in_a_line_and_around_paragraphs(path: Path) -> None:
    inner = f"<w:sdt><w:sdtPr/><w:sdtContent>{r('유약')}</w:sdtContent></w:sdt>"
    outer = f"<w:sdt><w:sdtContent>{p('Cone: ', inner)}{PLAIN}</w:sdtContent></w:sdt>"
    assert text(path, outer) == "Cone: 유약\n\nThe kiln is lit."


def test_a_content_control_around_a_row_is_read(path: Path) -> None:
    rows = table([p("Glaze"), p("Cone")], [p("Celadon"), p("9")]).replace("</w:tr><w:tr>", "</w:tr>@<w:tr>")
    head, tail = rows.split("@")
    wrapped = tail.replace("<w:tr>", "<w:sdt><w:sdtContent><w:tr>").replace("</w:tr>", "</w:tr></w:sdtContent></w:sdt>")
    assert text(path, head + wrapped) == "| Glaze | Cone |\n| --- | --- |\n| Celadon | 9 |"


def test_the_result_of_a_simple_field_is_read(path: Path) -> None:
    field = f'<w:fldSimple w:instr=" DOCPROPERTY Cone ">{r("9")}</w:fldSimple>'
    assert text(path, p("Cone ", field, ".")) == "Cone 9."


def test_the_result_of_a_complex_field_is_read_without_its_code(path: Path) -> None:
    code = "<w:r><w:instrText> REF cone </w:instrText></w:r>"
    begin, apart, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    assert text(path, p("Cone ", begin, code, apart, r("9"), end, ".")) == "Cone 9."


def test_a_smart_tag_and_a_link_are_read_through(path: Path) -> None:
    tagged = f'<w:smartTag w:element="place">{r("Icheon")}</w:smartTag>'
    link = f'<w:hyperlink w:anchor="a">{r("rail")}</w:hyperlink>'
    assert text(path, p("From ", tagged, " by ", link)) == "From Icheon by rail"


def test_a_table_within_a_cell_is_read_on_its_own(path: Path) -> None:
    inner = table([p("Glaze"), p("Cone")], [p("Celadon"), p("9")])
    assert text(path, table([p("Studio A") + inner + p("")], [p("Studio B")])).split("\n\n") == [
        "Studio A", "| Glaze | Cone |\n| --- | --- |\n| Celadon | 9 |", "| Studio B |\n| --- |"
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["footnote", "endnote"])
def test_a_note_stands_where_it_is_referred_to(path: Path, kind: str) -> None:
    notes = "".join(f'<w:{kind} w:id="{id_}">{p(said)}</w:{kind}>' for id_, said in ((1, "other"), (2, "시유 뒤")))
    line = p("Fired twice", f'<w:r><w:{kind}Reference w:id="2"/></w:r>', ".")
    assert text(path, line, **{f"{kind}s": f"<w:{kind}s>{notes}</w:{kind}s>"}) == "Fired twice (시유 뒤)."


def test_headers_and_footers_are_read_once(path: Path) -> None:
    header, footer = f"<w:hdr>{p('Studio rules')}</w:hdr>", f"<w:ftr>{p('개정 3판')}</w:ftr>"
    found = text(path, PLAIN, header1=header, header2=header, footer1=footer, footer2=footer)
    assert found.split("\n\n") == ["Studio rules", "The kiln is lit.", "개정 3판"]


def test_a_formula_keeps_its_fraction_and_its_powers(path: Path) -> None:
    power = "<m:sSup><m:e><m:r><m:t>t</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    fraction = f"<m:f><m:num><m:r><m:t>k</m:t></m:r></m:num><m:den>{power}</m:den></m:f>"
    assert text(path, p("Rate: ", f"<m:oMath>{fraction}</m:oMath>")) == "Rate: k/t^2"


def m(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (f"<m:f><m:num>{m('V')}</m:num><m:den>{m('t+4')}</m:den></m:f>", "V/(t+4)"),
        (f"<m:f><m:num>{m('a−b')}</m:num><m:den>{m('2')}</m:den></m:f>", "(a−b)/2"),
        (f"<m:d><m:e>{m('a+b')}</m:e></m:d>{m('c')}", "(a+b)c"),
        (f'<m:d><m:dPr><m:begChr m:val="|"/><m:endChr m:val="|"/></m:dPr><m:e>{m("x")}</m:e></m:d>', "|x|"),
        (f"<m:rad><m:deg>{m('3')}</m:deg><m:e>{m('x+1')}</m:e></m:rad>", "3√(x+1)"),
        (f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{m("i=1")}</m:sub>{m("x")}</m:nary>', "∑_(i=1)x"),
    ],
)  # fmt: skip
def test_a_formula_in_one_line_means_what_it_meant(path: Path, formula: str, expected: str) -> None:
    assert text(path, p(f"<m:oMath>{formula}</m:oMath>")) == expected


def test_a_raised_number_is_no_digit_of_the_one_before(path: Path) -> None:
    raised = '<w:vertAlign w:val="superscript"/>'
    assert text(path, p("Within 21 days", r("1", raised), " or on the 3", r("rd", raised))) == (
        "Within 21 days^1 or on the 3rd"
    )


def numbered(*levels: int, list_: int = 4) -> str:
    return "".join(
        p("step", properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_}"/></w:numPr>')
        for level in levels
    )


def numbering(*levels: tuple[str, str]) -> str:
    """A list whose levels are (format, text)."""
    inner = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{shown}"/></w:lvl>'
        for at, (form, shown) in enumerate(levels)
    )
    used = '<w:num w:numId="4"><w:abstractNumId w:val="7"/></w:num>'
    return f'<w:numbering><w:abstractNum w:abstractNumId="7">{inner}</w:abstractNum>{used}</w:numbering>'


def labels(found: str) -> list[str]:
    return [line.partition("step")[0].strip() for line in found.split("\n\n")]


def test_numbers_of_several_levels_are_counted_as_word_counts_them(path: Path) -> None:
    levels = numbering(("decimal", "%1."), ("decimal", "%1.%2"), ("bullet", "·"))
    found = text(path, numbered(0, 1, 1, 2, 0, 1), numbering=levels)
    assert labels(found) == ["1.", "1.1", "1.2", "-", "2.", "2.1"]


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        ("upperRoman", "I II III IV"),
        ("lowerLetter", "a b c d"),
        ("ganada", "가 나 다 라"),
        ("lowerRoman", "i ii iii iv"),
        ("decimalEnclosedCircle", "① ② ③ ④"),
        ("decimalZero", "01 02 03 04"),
    ],
)
def test_numbers_are_written_as_word_shows_them(path: Path, form: str, numbers: str) -> None:
    assert labels(text(path, numbered(0, 0, 0, 0), numbering=numbering((form, "%1")))) == numbers.split()


def test_letters_go_on_after_the_last_one(path: Path) -> None:
    found = text(path, numbered(*[0] * 28), numbering=numbering(("upperLetter", "%1.")))
    assert labels(found)[25:] == ["Z.", "AA.", "BB."]


@pytest.mark.parametrize(("start", "shown"), [(49, "XLIX"), (1994, "MCMXCIV"), (2_000_000_000, "2000000000")])
def test_large_roman_numbers_stay_short(path: Path, start: int, shown: str) -> None:
    levels = numbering(("upperRoman", "%1")).replace('start w:val="1"', f'start w:val="{start}"')
    assert labels(text(path, numbered(0), numbering=levels)) == [shown]


def test_a_list_may_begin_with_another_number(path: Path) -> None:
    levels = numbering(("decimal", "Art. %1")).replace('start w:val="1"', 'start w:val="5"')
    assert labels(text(path, numbered(0, 0), numbering=levels)) == ["Art. 5", "Art. 6"]


def test_a_list_that_begins_anew_is_counted_anew(path: Path) -> None:
    anew = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    other = f'<w:num w:numId="5"><w:abstractNumId w:val="7"/>{anew}</w:num></w:numbering>'
    levels = numbering(("decimal", "%1.")).replace("</w:numbering>", other)
    found = text(path, numbered(0, 0) + numbered(0, 0, list_=5) + numbered(0), numbering=levels)
    assert labels(found) == ["1.", "2.", "1.", "2.", "3."]


def test_nested_items_are_indented_by_their_depth_but_no_heading_is(path: Path) -> None:
    levels = numbering(("decimal", "%1."), ("decimal", "%2."), ("bullet", "·"))
    heading = numbered(1).replace("<w:pPr>", '<w:pPr><w:outlineLvl w:val="0"/>')
    found = text(path, numbered(0, 1, 2, 0) + heading, numbering=levels)
    assert found.split("\n\n") == ["1. step", "   1. step", "      - step", "2. step", "# 1. step"]


def test_hidden_letters_in_a_text_box_do_not_hide_the_box(path: Path) -> None:
    assert text(path, p("Firing", box(p("가마 ", r("비밀", "<w:vanish/>"), "온도")))) == "Firing\n\n가마 온도"


def test_hidden_letters_are_left_out_and_noted(path: Path) -> None:
    shown = r("aloud", '<w:vanish w:val="0"/>')
    assert text(path, p("Read ", r("secretly and ", "<w:vanish/>"), shown)) == "Read aloud"
    assert note(path) == "Hidden words that were left out: 2."


def test_tabs_and_line_breaks_part_words(path: Path) -> None:
    assert text(path, p("Cone<w:tab/>9".replace("<w:tab/>", "</w:t><w:tab/><w:t>"))) == "Cone 9"


def chart() -> str:
    """Two bars, as they were when the document was saved."""
    months = "".join(f'<c:pt idx="{at}"><c:v>{name}</c:v></c:pt>' for at, name in enumerate(("May", "June")))
    values = months.replace("May", "31").replace("June", "28")
    name = '<c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>Firings</c:v></c:pt></c:strCache></c:strRef></c:tx>'
    series = (
        f"<c:ser>{name}<c:cat><c:strRef>{months}</c:strRef></c:cat><c:val><c:numRef>{values}</c:numRef></c:val></c:ser>"
    )
    title = "<c:title><c:tx><c:rich><a:p><a:r><a:t>Kiln</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    return f"<c:chartSpace><c:chart>{title}<c:plotArea>{series}</c:plotArea></c:chart></c:chartSpace>"


def test_a_chart_is_read_as_a_table(path: Path) -> None:
    drawing = '<w:r><w:drawing><a:graphicData><c:chart r:id="chart1"/></a:graphicData></w:drawing></w:r>'
    assert text(path, p("See: ", drawing), chart1=chart()).split("\n\n") == [
        "See:", "Kiln", "|  | Firings |\n| --- | --- |\n| May | 31 |\n| June | 28 |"
    ]  # fmt: skip


def test_comments_are_left_out_and_noted(path: Path) -> None:
    comments = f"<w:comments><w:comment>{p('why?')}</w:comment><w:comment>{p('so')}</w:comment></w:comments>"
    assert text(path, PLAIN, comments=comments) == "The kiln is lit."
    assert note(path) == "Comments that were left out: 2."


def test_pictures_are_noted(path: Path) -> None:
    write_word(path, p("See ", '<w:r><w:drawing><a:blip r:embed="image1"/></w:drawing></w:r>') + PLAIN)
    assert note(path) == "Pictures that were not read: 1."


@pytest.mark.parametrize(("description", "is_read"), [("손잡이가 창 쪽: 열림", True), ("kiln.png", False)])
def test_the_description_of_a_picture_is_read_in_its_place(path: Path, description: str, is_read: bool) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The valve: ")
    picture = paragraph.add_run().add_picture(png())
    picture._inline.docPr.set("descr", description)
    document.save(str(path))
    (page,) = read(path)
    assert page.text == (f"The valve: {description}" if is_read else "The valve:")
    assert note(path) == "Pictures that were not read: 1."


def test_a_dangling_relationship_is_no_matter(path: Path) -> None:
    write_word(path, PLAIN)
    with_parts(path, lambda name, part: part.replace(
        b"</Relationships>", b'<Relationship Id="x" Type="t/image" Target="NULL"/></Relationships>'
    ))  # fmt: skip
    assert read(path)[0].text == "The kiln is lit."


def test_a_part_that_is_missing_is_no_matter(path: Path) -> None:
    write_word(path, p("Fired", '<w:r><w:footnoteReference w:id="2"/></w:r>'), header1="<w:hdr/>")
    with_parts(path, lambda name, part: part.replace(b"header1.xml", b"gone.xml"))
    assert read(path)[0].text == "Fired"


def test_a_document_with_macros_is_read(path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("The kiln is lit.")
    document.save(str(path))
    kind = b"application/vnd.ms-word.document.macroEnabled.main+xml"
    plain = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    with_parts(path, lambda name, part: part.replace(plain, kind))
    assert read(path)[0].text == "The kiln is lit."


def test_a_strict_document_is_read_as_a_transitional_one(path: Path) -> None:
    write_word(path, p("Fired", '<w:r><w:footnoteReference w:id="2"/></w:r>'),
               footnotes=f'<w:footnotes><w:footnote w:id="2">{p("twice")}</w:footnote></w:footnotes>')  # fmt: skip
    strict = b"http://purl.oclc.org/ooxml"
    with_parts(path, lambda name, part: part.replace(OFFICE.encode(), strict).replace(b"/2006", b""))
    assert read(path)[0].text == "Fired (twice)"


@pytest.mark.parametrize("end", [b"</w:document>~~~", b"</w:t></w:document>"])
def test_a_damaged_part_is_read_as_far_as_it_goes_and_noted(path: Path, end: bytes) -> None:
    write_word(path, PLAIN)
    with_parts(path, lambda name, part: part.replace(b"</w:document>", end) if name == "word/document.xml" else part)
    assert read(path)[0].text == "The kiln is lit."
    assert note(path) == "Damaged, and perhaps not read to its end: word/document.xml."
