"""What in a document gives cause for concern: its sentences about what is lost, late, lacking, or hangs on one thing.

There is no dictionary of feelings and no model. Reports say that something is wrong by negation, by contrast, by words
for loss, delay and lack, and by shares that are too large or reserves that are too small.
"""

import re

from lessons.keyless.words import Question, Unit

_ASKS = re.compile(
    r"worr(?:y|ies|ied|ying|isome)|concern|risk|alarm|danger|threat|nervous|afraid|trouble|problematic|red flags?"
    r"|weak(?:ness|est)"
    r"|careful|watch out|go(?:ing|es|ne)? wrong|attention|urgent|serious|critical|keep\w* \w+ (?:up|awake)"
    r"|우려|걱정|염려|위험|리스크|불안|문제(?:점|가|는|되)|취약|조심|주의|경계해|심각|시급|나쁜|안 ?좋은|신경",
    re.IGNORECASE,
)
_STANDS_OUT = re.compile(
    r"\b(?:what|anything) (?:\w+ )?(?:stands? out|jumps? out|catches)\b"
    r"|\b(?:most|least) \w+ (?:thing|point|part|issue|finding|aspect|development|news)s?\b"
    r"|\b(?:biggest|main|greatest|worst|top|key) (?:thing|point|issue|finding|problem|challenge)s?\b"
    r"|눈에 띄[가-힣]*|(?:가장|제일|특히)\s[가-힣]+\s(?:점|것|게|건|부분|내용|사항|대목|일)(?:은|이|을|는)?(?![가-힣])",
    re.IGNORECASE,
)
"""An open superlative: it asks for no thing of a kind, as 'the most expensive plan' does."""
_GENERAL = re.compile(
    r"(?:most|main|biggest|greatest|largest|top|major|key|latest|recent|newest|current|last|report|document|file|paper|thing|point"
    r"|part|factor|issue|area|aspect|cause|see|here|read|find|annual|quarterly|monthly|year|status|should|you|me|we|us)s?$"
    r"|(?:가장|제일|특히|주요|최근|최신|지난|이번|그|우리|연간|분기|월간|보고서|보고|자료|문서|파일|내용|사항|요인|요소|점|부분|것"
    r"|만한|되는|될|해야|할까)",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:most|main|biggest|greatest|what|which|anything)\b|가장|제일|무엇|뭐|뭔|어떤|[점분인게건]은?(?![가-힣])|있",
    re.IGNORECASE,
)
_CLOSED = frozenset(["person", "date", "steps", "why"])

_ADVERSE = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:not|no|never|nobody|without|cannot|lacks?|lacking|missing|un(?:paid|solved|resolved|able|available|sold|clear|filled))\b"
        r"|n['’]t\b|않|못|없|미[납해완]",
        r"\b(?:however|but|although|despite|only|just|still|yet|already|barely)\b|그러나|하지만|반면|다만|아직|불과|뿐|그[쳤치]",
        r"\b(?:los[est]\w*|loss(?:es)?|fell|fall(?:s|en|ing)?|dropp?\w*|declin\w*|decreas\w*|shrank|shrunk|cut|deficit|debts?|worse\w*)\b"
        r"|감소|줄[었어]|하락|떨어|악화|심해|손실|적자|부채|차입",
        r"\b(?:late|delay\w*|behind|overdue|expir\w*|end(?:s|ed|ing)? (?:in|on)|postpon\w*|backlog|waiting|unrenewed)\b"
        r"|지연|늦|연체|미루|밀[렸려]|만료|끝나|체납|미수",
        r"\b(?:short(?:age|fall)?|below|under|insufficient|weak\w*|scarce|run(?:s|ning)? out|covers? (?:only )?)\b"
        r"|부족|미달|미치지|미친|모자|바닥|고갈",
        r"\b(?:fail\w*|broke\w*|damag\w*|leak\w*|crack\w*|defect\w*|faults?|errors?|outages?|breach\w*|stolen|accidents?|injur\w*"
        r"|violat\w*|fin(?:e|ed|es)|lawsuits?|sued|complaints?|warn\w*|critical\w*|suspend\w*|cancel\w*|reject\w*|stopped|closed|closure)\b"
        r"|실패|고장|파손|누수|균열|결함|불량|오류|사고|부상|유출|위반|벌금|과태료|소송|불만|민원|경고|중단|취소|거부|폐쇄|노후",
        r"\b(?:resign\w*|quit|left|leav(?:e|ing)|notice|retir\w*|vacan\w*|turnover|laid off)\b"
        r"|퇴사|사직|이직|이탈|해지|결원|공석|은퇴|떠[났나]",
        r"\b(?:depend\w*|sole|single|one (?:supplier|customer|person|engineer)|accounts? for|concentrat\w*|half|most)\b"
        r"|의존|집중|차지|쏠|절반|유일|한 곳",
        r"\b(?:doubled|tripled|soar\w*|jump\w*|surg\w*|exceed\w*|over budget|from \w+ (?:\w+ )?to \w+)\b"
        r"|두 배|세 배|급증|뛰[었어]|초과|치솟|넘[었어]",
    )
]
_FINE = re.compile(
    r"\b(?:as planned|on time|on schedule|praised?|friendly|satisf\w*|success\w*|award\w*|improv\w*|won"
    r"|opened|enjoyed)\b"
    r"|예정대로|좋아|만족|성공|수상|개선|마쳤|채웠|순조|늘었",
    re.IGNORECASE,
)


def asks_for_concerns(question: Question) -> bool:
    """Whether an open question asks what is worrying or stands out, rather than for one fact about a risk."""
    worried = _ASKS.search(question.text) and _OPEN.search(question.text)
    return not question.kinds & _CLOSED and bool(worried or _STANDS_OUT.search(question.text))


def subject(question: Question) -> list[Unit]:
    """What such a question is about, besides that: '… in the marketing report'."""
    open_ = " ".join(
        match[0]
        for each in (_ASKS, _STANDS_OUT)
        for match in re.finditer(rf"\S*(?:{each.pattern})\S*", question.text, each.flags)
    )
    return [
        unit for unit in question.units if unit.weight >= 0.5 and not (_GENERAL.match(unit.text) or unit.text in open_)
    ]


def concern(text: str) -> float:
    """How many signs of something wrong a sentence has; a sign that all is well takes one away."""
    signs = sum(pattern.search(text) is not None for pattern in _ADVERSE)
    return signs - 1.5 * (_FINE.search(text) is not None) + 0.3 * any(map(str.isdigit, text))
