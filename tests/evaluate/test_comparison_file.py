"""A comparison as a Markdown file: everything is in it, and nothing in it comes alive."""

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from lessons.evaluate.comparison import Comparison, as_markdown
from lessons.evaluate.golden import Evidence, Golden
from lessons.rag.answer import Answer, Citation
from lessons.rag.types import Context, RetrievedDocument
from lessons.trace import Step, Trace

ALIVE = {
    "html_inline",
    "html_block",
    "link_open",
    "image",
    "code_block",
    "fence",
    "blockquote_open",
    "s_open",
}


def comparison(text: str, name: str = "a.md") -> Comparison:
    """A golden follow-up to two stages in which every text is `text`, and one stage that failed."""
    document = RetrievedDocument("1", text, 0.5, name, {"page_number": 3})
    trace = Trace([Step("search", {"query": text}, ms=5, notes=[text])])
    answer = Answer(text, "naive", "test", text, found=True, context=Context(text, (document,)), trace=trace)
    answer.citations, answer.warnings = [Citation(1, name, 3, "1", text)], [text]
    golden = Golden(text, text, "en", text, text, evidence=(Evidence(name, text, 3), Evidence("missing.md", text)))
    history = (("user", text), ("naive, assistant", text))
    return Comparison(text, {"naive": answer}, {"smart": text}, history, (("filter", text),), golden)


def parsed(text: str) -> list[Token]:
    return MarkdownIt("commonmark", {"linkify": False}).enable(["table", "strikethrough"]).parse(text)


def tokens(text: str) -> list[Token]:
    return [part for token in parsed(text) for part in [token, *(token.children or ())]]


def structure(text: str) -> list[str]:
    """The blocks of a file, whatever their words are."""
    return [token.type for token in parsed(text) if token.type not in ("paragraph_open", "paragraph_close", "inline")]


def words(text: str) -> str:
    """What a reader sees of a file."""
    return "".join(token.content if token.type in ("text", "code_inline") else " " for token in tokens(text))


def test_question_answers_and_passages_are_in_it() -> None:
    shown = words(as_markdown(comparison("The kiosk opens at 7:30.")))
    for said in ("Naive", "“The kiosk opens at 7:30.”", "a.md, p. 3", "5 ms"):
        assert said in shown


def test_a_question_alone_makes_a_file() -> None:
    assert as_markdown(Comparison("Why?", {}, {})).startswith("# Why?")


def test_script_image_and_link_stay_text() -> None:
    payload = "<script>alert(1)</script> ![x](https://e.example/x.png) [a](javascript:alert(1)) | x | `y` **z**"
    file = as_markdown(comparison(payload, "<img src=x onerror=alert(1)>.md"))
    assert not {token.type for token in tokens(file)} & ALIVE
    assert payload in words(file)


foreign = st.text(st.sampled_from("<>![](){}|`*_~#+-=.:;&$\\/@^ \n\t\r0a가"), min_size=1, max_size=40)


@given(foreign, foreign)
def test_no_text_changes_the_structure_of_the_file(text: str, name: str) -> None:
    file = as_markdown(comparison(f"x{text}x", f"x{name}x"))
    assert not {token.type for token in tokens(file)} & ALIVE
    assert structure(file) == structure(as_markdown(comparison("xx", "xx")))
