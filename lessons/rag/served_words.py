"""What a served model writes otherwise than it was told, read as it was meant: citations, echoes, refusals."""

import re

from lessons.rag.context import CITATION, LIST_NUMBER
from lessons.rag.prompts import CITATION_RULE, DEFAULT_RESPONSE_FORMAT, REFUSALS
from lessons.rag.types import Context
from lessons.text import normalize, sentences

_SEVERAL = re.compile(r"\[\s*(\d{1,3}(?:\s*[,;]\s*\d{1,3})+)\s*\]")
_HEADER = re.compile(
    r"(?i)[\[【]\^?\s*+(?:(?:Source|Document|Doc|출처|문서(?: 번호)?)\s*+:?\s*+)?(?P<number>\d{1,3})\s*+"
    r"(?:[|,†:][^\[\]【】\n]*)?[\]】]"
    r"|\(\s*+(?:Source|출처|문서 번호)\s*+:?\s*+(?P<round>\d{1,3})\b[^()\n]*\)"
    r"|\[\s*+(?:Source|출처)\s*+:\s*(?P<name>[^\[\]|\n]{1,300}?)(?:,\s*pp?\.[^\[\]|\n]*)?\s*(?:\|[^\[\]\n]*)?\]",
)
_TOLD = re.compile(
    r"(?i)([.!?])\s+(?:This|It|That)\b[^.\[\]]{0,80}\b(?:cit|found|mention|stat|sourc)[^.\[\]]{0,60}"
    r"\bdocument(?: number)? \[?(\d{1,3})\]?[^.\[\]]{0,80}\.",
)
_RUN = r"(?:\[\d{1,3}\]\s?){0,20}\[\d{1,3}\]"
_BEFORE_WORDS = re.compile(rf"({_RUN}) ?([^\[\]]+?)([.!?]?)(?: {{0,20}}(?=\[)|\s{{0,20}}$)")
_BEHIND_STOP = re.compile(rf"([.!?。])\s*({_RUN})(?=\s|$)")
_PLACEHOLDER = re.compile(r" ?\[number\]")


def plain_citations(answer: str, context: Context) -> str:
    """Rewrite every way in which models cite as `[3]`, before the full stop of its sentence.

    They are `[Source: 3 | a.pdf]`, `(Source: 3)`, `[1, 2]`, `【1】` and sentences like 'This is found in document 3.' A
    header that names only a file is left as it is where no document has it.
    """
    numbers = {document.source.casefold(): number for number, document in reversed([*enumerate(context.documents, 1)])}

    def numbered(match: re.Match[str]) -> str:
        number = match["number"] or match["round"] or numbers.get(match["name"].strip().casefold())
        return f"[{number}]" if number else match[0]

    answer = _TOLD.sub(r" [\2]\1", answer)
    answer = _SEVERAL.sub(lambda match: "".join(f"[{number}]" for number in re.findall(r"\d+", match[1])), answer)
    return "\n".join(map(_closing, _HEADER.sub(numbered, answer).split("\n")))


def closed(text: str) -> str:
    """Move numbers from behind a full stop to before it: 'It rose. [1]' becomes 'It rose [1].'"""
    return _BEHIND_STOP.sub(r" \2\1", text)


def _closing(line: str) -> str:
    """Put each number at the end of its sentence, also where the model put it at the beginning."""
    mark = LIST_NUMBER.match(line)
    start = mark.end() if mark else 0
    sentence = line[start:]
    if CITATION.match(sentence) and not re.search(r"\]\W*$", sentence):
        sentence = _BEFORE_WORDS.sub(r"\2 \1\3 ", sentence)
    return (line[:start] + closed(sentence)).rstrip()


def own_words(text: str) -> str:
    """Strip what small models repeat of their instructions: the form at the start, the refusal at the end."""
    for line in (*DEFAULT_RESPONSE_FORMAT.values(), *CITATION_RULE.values()):
        text = text.strip().removeprefix(line)
    for refusal in REFUSALS:
        text = text.strip().removesuffix(refusal) if text.strip() != refusal else text
    return _PLACEHOLDER.sub("", text).strip()


_SOURCES = (
    r"(?:documents?|context|passages?|sources?|materials?|excerpts?|texts?|files?|corpus"
    r"|information provided|(?:provided|given|retrieved) \w+)"
)
_SAY = (
    r"(?:answer|say|state|mention|contain|include|provide|specify|give|disclose|cover|address|discuss|report|indicate"
    r"|describe|reveal|tell|hold|have)"
)
_NOT = r"(?:do(?:es)? not|don['’]t|doesn['’]t|did not|didn['’]t|cannot|can['’]t|never)"
_KNOWLEDGE = r"(?:information|mention|details?|data|evidence|reference|indication|context)"
_IN_ENGLISH = [
    rf"\b{_SOURCES}\b(?: \S+){{0,6}}? {_NOT} (?:\w+ )?{_SAY}",
    rf"\b(?:reports?|they|it)\b(?: \S+){{0,6}}? {_NOT} (?:\w+ )?(?:say|state|mention|specify|disclose|answer)\b",
    r"\b(?:is|are|was|were) (?:not|un)\s?known\b|\bnot said in this conversation\b",
    rf"\b{_SOURCES}\b(?: \S+){{0,3}} {_SAY}s? (?:no|nothing|none)\b|, none for\b|\bhas no such\b",
    rf"\bnone of the(?: \w+){{0,2}} {_SOURCES}",
    rf"\bno {_SOURCES}(?: \S+){{0,4}} {_SAY}",
    rf"\b(?:there is|there['’]s|there are|contain|contains|found|find|have|has|with|is|are) no"
    rf"(?:t any| specific| further| relevant)? {_KNOWLEDGE}\b",
    rf"(?:\bnot|n['’]t) (?:have |contain |find |provide |include |see )?(?:any|enough|sufficient) "
    rf"(?:\w+ )?{_KNOWLEDGE}\b",
    rf"\binsufficient (?:\w+ )?{_KNOWLEDGE}\b",
    r"\b(?:could not|couldn['’]t|cannot|can['’]t|can not|unable to|not able to) "
    r"(?:be )?(?:find|found|searched|answer(?:ed)?|determined?|locate|tell|confirm|say)\b",
    r"(?:\bnot|\bnowhere|n['’]t)(?: explicitly| specifically)? (?:mentioned|stated|specified|provided|found"
    rf"|given|contained|disclosed|covered|included|answered|addressed|available)\b(?: \S+){{0,3}} {_SOURCES}",
    r"\bI (?:do not|don['’]t) know\b",
    r"\bnot in the documents\b",
    r"\bnothing (?:\w+ )?(?:was|is|has been|could be|can be) found\b|\bfound nothing\b",
]
_NOT_THERE = r"없(?:습니다|다\b|어요|네요|음\b|었|으며|고\b|네)"  # not 없는 or 없으면, which do not end a statement
_UNSAID = (
    r"(?:나와 ?있|나오|포함(?:되어|돼) ?있|포함되|언급(?:되|하)|언급(?:되어|돼|하고) ?있|제공되|다루(?:고 ?있)?|명시되)"
    r"지 ?않"
)
_UNWRITTEN = r"(?:명시(?:되어|돼)|적혀|쓰여|기재(?:되어|돼)) ?있지 ?않"
_IN_KOREAN = [
    r"(?:문서|자료|본문|맥락|문맥|컨텍스트|보고서|내용|정보|언급|기록|설명)(?:들)?"
    r"(?:에|에는|에서|에서는|만으로는|으로는|은|는|이|가|을|를|도)?\s?(?:\S{1,40}\s){0,7}?"
    rf"(?:{_NOT_THERE}|{_UNSAID}|{_UNWRITTEN})",
    rf"(?:찾|알|확인할|답할|답변할|말씀드릴) ?수 ?{_NOT_THERE}",
    rf"(?:답변?|대답)(?:을|은|해)?\s?(?:\S+\s)?(?:드릴|할|찾을) 수 ?{_NOT_THERE}",
    r"(?:알|확인하|파악하|답하)기 (?:가 )?어렵|확인되지 않(?:습니다|았|는다)|모르겠습니다|알지 못합니다",
    r"(?:찾|발견하)지 ?못(?:했|하였|합니다)|대화에서 나온 적이 없",
]
_REFUSAL = re.compile(f"(?i:{'|'.join(_IN_ENGLISH)})|{'|'.join(_IN_KOREAN)}")


def is_refusal(text: str) -> bool:
    """Return True if the first sentence says that the answer is not there, or a later one does and nothing is cited.

    'Revenue was 4.2 billion won [1]. The documents do not give the margin.' is half an answer, not a refusal.
    """
    parts = [CITATION.sub("", sentence) for sentence in sentences(normalize(text))]
    if not parts:
        return True
    first, *later = (bool(_REFUSAL.search(part)) for part in parts)
    return first or (any(later) and not CITATION.search(text))
