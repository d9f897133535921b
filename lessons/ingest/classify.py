"""What kind of document a chunk is from, and whether its section tells steps, by rules one can read."""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import PurePath
from typing import Any

from llama_index.core.schema import BaseNode, MetadataMode, TransformComponent

from lessons.ingest.split import source_of
from lessons.text.word_lists import words_of

UNKNOWN = "document"

NAMED = {
    "faq": r"\bFAQs?\b|frequently asked|questions and answers|\bQ ?& ?A\b|자주 (?:묻는|하는) 질문|질의 ?응답|묻고 답하",
    "release_notes": r"release ?notes?|change ?log|what'?s new|patch notes|릴리[스즈] ?노트|변경 ?이력|패치 ?노트",
    "syllabus": r"\bsyllabus\b|course outline|(?:강의|수업) ?계획",
    "press-release": r"(?:press|news) release|for immediate release|보도 ?자료|\bpress\b",
    "memo": r"\bmemo(?:randum)?\b|사내 공지|받는 사람: |\bto: all\b",
    "contract": r"contract|\bagreement\b|계약|협약서",
    "service-bulletin": r"bulletin|(?:기술|서비스) ?회보",
    "annual-letter": r"annual (?:report|letter)|general meeting|shareholders?\b|investor day|(?:연차|사업) ?보고서|"
    r"주주 ?(?:총회|서한|간담회)",
    "quarterly-report": r"quarterly|"
    r"(?:\bQ[1-4]\b|(?:first|second|third|fourth)[- ]quarter).{0,300}(?:report|update|results|earnings|figures|review)|"
    r"(?:report|results|earnings|update).{0,300}\bQ[1-4]\b|분기.{0,300}(?:실적|보고|현황|결산)",
    "audit-note": r"\baudit\b|incident report|root cause|investigation|감사 ?(?:보고|결과)|(?:사고|원인|내부) ?조사",
    "esg-note": r"\bESG\b|sustainability|지속 ?가능",
    "leaflet": r"\bleaflet\b|brochure|patient information|안내문|안내 ?책자|리플릿",
    "lecture": r"lecture|handout|course notes|\b(?:week|chapter|lab(?:oratory)?) \d+:|강의 ?(?:노트|자료)|"
    r"\d(?:주차|강:|장:)|(?:실습|실험) ?\d+[:.]",
    "guide": r"\bguides?\b|how[- ]to\b|handbook|manual\b|tutorial|getting started|walk-?through|step by step|"
    r"troubleshoot|가이드|설명서|안내서|매뉴얼|따라 ?하기|시작하기|사용법|튜토리얼",
    "reference": r"\breference\b|\bAPI\b|price list|pricing|glossary|error codes?|\blimits\b|specification|"
    r"레퍼런스|가격표|요금표|용어집|오류 코드|한도|사양|명세",
}
"""What a title, a file name or the first lines say; the earlier one counts when two say the same."""

WEIGHTS = {"title": 4, "file": 3, "lead": 2, "form": 2}  # of where a kind is named, and of the text's form
ENOUGH = 2  # below, it is a plain document
LEAD_CHARS = 300

_PATTERNS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in NAMED.items()}
_NUMBERED = re.compile(
    r"^[^\S\n]*(?:(?:step|단계)\s*(\d{1,2})[:.)]?|(\d{1,2})\s*단계[:.)]?|(\d{1,2})[.)])\s+(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_IMPERATIVE = re.compile(
    r"(?:(?:then|now|first|next|finally|please|still)\s+)?(?:(?:in|on|at|from|under) [^.;:]{2,60}?,? )?"
    rf"(?:do not|{'|'.join(sorted(words_of('commands')))})\b",
    re.IGNORECASE,
)
"""'Open it', 'Then open it', 'On the same page open it'."""
_KOREAN_STEP = re.compile(r"(?:[하으]?십시오|세요|[가-힣]니다|[가-힣]기|[한는]다)\s*[.)]?(?=\s|$)")
_KOREAN_ACTION = re.compile(
    r"(?!\S*(?:이|가)\s)(?![^.]{0,160}\S[은는]\s)[^.]{0,160}\S(?:[을를에]|에서|으로|로)\s[^.]{0,160}(?:(?<!습)니다|십시오)\."
)
"""A sentence with an object and without a subject: in a list, it tells what to do."""

FEWEST_STEPS = 3


class Classifier(TransformComponent):
    """Puts `doc_type` on every chunk of each file, and `has_steps` on the chunks of the sections that tell them.

    `rules` is raised when they recognise something else, so that files which are stored already are read anew.
    """

    rules: int = 2

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> list[BaseNode]:
        for source, group in groupby(nodes, source_of):
            chunks = list(group)
            kind = document_type(source, chunks[0].metadata.get("title") or "", _text(chunks))
            sections = defaultdict[Any, list[BaseNode]](list)
            for node in chunks:
                is_in_section = "section" in node.metadata
                sections[(is_in_section, node.metadata.get("section" if is_in_section else "page_number"))].append(node)
            for section in sections.values():
                steps = has_steps(_text(section))
                for node in section:
                    node.metadata |= {"doc_type": kind, "has_steps": steps}
        return list(nodes)


def document_type(source_file: str, title: str, text: str) -> str:
    """Return a key of `NAMED`, or `UNKNOWN` if no kind scores enough."""
    name = re.sub(r"[-_.]+", " ", PurePath(source_file).stem)
    texts = {"title": title, "file": name, "lead": text[:LEAD_CHARS]}
    scores = {
        kind: sum(WEIGHTS[source] for source, source_text in texts.items() if pattern.search(source_text))
        for kind, pattern in _PATTERNS.items()
    }
    scores["faq"] += WEIGHTS["form"] * _is_faq(text)
    kind, score = max(scores.items(), key=itemgetter(1))
    return kind if score >= ENOUGH else UNKNOWN


def has_steps(text: str) -> bool:
    """Return True if items numbered in order, or consecutive lines, tell the reader what to do."""
    are_steps: list[bool] = []
    expected = 1
    for *numbers, item in _NUMBERED.findall(text):
        number = int("".join(numbers))
        if number != expected:
            are_steps = []
        if number in (1, expected):
            are_steps.append(bool(_IMPERATIVE.match(item) or _KOREAN_STEP.search(item)))
            expected = number + 1
        if len(are_steps) >= FEWEST_STEPS and sum(are_steps) >= 0.6 * len(are_steps):
            return True
    return _tell_in_a_row(text)


def _tell_in_a_row(text: str) -> bool:
    """Lists lose their numbers in some formats: three short lines in a row that each begin with what to do."""
    row = 0
    for line in filter(None, (line.strip(" -*•‣▪") for line in text.splitlines())):
        row = row + 1 if len(line) < 160 and (_IMPERATIVE.match(line) or _KOREAN_ACTION.match(line)) else 0
        if row == FEWEST_STEPS:
            return True
    return False


def _is_faq(text: str) -> bool:
    """Return True if many lines of a text are questions."""
    lines = [line for line in text.splitlines() if line.strip()]
    questions = sum(line.rstrip().endswith(("?", "？")) and len(line) < 120 for line in lines)
    return questions >= 4 and questions >= 0.2 * len(lines)


def _text(chunks: Sequence[BaseNode]) -> str:
    return "\n".join(node.get_content(MetadataMode.NONE) for node in chunks)
