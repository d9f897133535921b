"""How the keyless model tells what an utterance wants: no document, one fact, an explanation, or many places."""

import re
from typing import Any

from lessons.models.offline.parts import parts
from lessons.models.offline.question import read_question
from lessons.models.offline.tasks import task
from lessons.text import terms

_COURTESY = re.compile(
    r"\b(?:hello|hi|hey|greetings|welcome|good (?:morning|afternoon|evening|night|day)|nice to meet you|how are you"
    r"|how(?:'s| is) it going|thanks?|thank you|thx|cheers|much appreciated|great|perfect|awesome|wonderful|excellent"
    r"|ok(?:ay)?|alright|got it|understood|i see|sounds good|sure|yes|yep|no problem|never ?mind|sorry|good ?bye|bye"
    r"|see you|take care|have a (?:nice|good|great)|lol|haha|nice one|well done|(?:that|this|it) (?:was|is)"
    r"|(?:that|this) helped|that is all|(?:is )?any(?:one|body) there|who are you|what are you|what can you do)\b"
    r"|안녕\S*(?: (?:계|가)\S*)?|반갑\S*|반가워\S*|처음 뵙\S*|좋은 (?:아침|하루|주말|밤|저녁|오후)\S*"
    r"|감사(?:합\S*|해요?|드[리립려]\S*|했\S*|요)?(?![가-힣])"
    r"|고마[워웠]\S*|고맙\S*|수고\S*"
    r"|고생 ?(?:많\S*|하\S*)|알겠\S*|알았어\S*|이해(?:했|됐|되었)\S*|오케이|오키|[ㅇㅋㅎㅠㅜ]+|저기요\S*"
    r"|계신가요|죄송\S*"
    r"|미안\S*|잘 (?:지내|부탁|가|자|있)\S*|(?:또|다시) (?:올|봐|뵐|오)\S*|도움이 ?(?:많이 ?)?(?:됐|되었)\S*"
    r"|도와 ?주셔서"
    r"|그렇군요|그렇구나|아하|재[밌미]\S*|(?:넌|너는|당신은|네가) (?:누구|뭐)\S*|(?<!\S)(?:네|넵|예|응|아뇨"
    r"|아니요)(?!\S)",
    re.IGNORECASE,
)
_FILLERS = re.compile(
    r"\b(?:there|again|much|so|very|a lot|many|really|all|i needed|for (?:your|the|all) \w+|today|tomorrow"
    r"|tonight|later"
    r"|day|weekend|helpful|useful|to you|now|then|and|my friend|everyone|from you)\b"
    r"|정말|아주|큰|많이|오늘도?|하루도?|다음에|내일|그럼|이제|덕분에|오래|또|아(?!\S)|보내\S*|되세요|많으\S*",
    re.IGNORECASE,
)
_COMPLEX = re.compile(
    r"\b(?:compar\w+|contrast\w*|differ|differs?|differences?|versus|vs|rank|respectively|both|each|every|across"
    r"|over the (?:last|past|years)|trends?|timeline|history of|trace|in common|contradict\w*|pros and cons"
    r"|drawbacks?"
    r"|all (?:the |of the )?\w+s|before and after|(?<!more )(?<!less )(?<!rather )than)\b"
    r"|\bhow did\b.*\b(?:develop|evolve|change)\b"
    r"|\S\s.*\band (?:for |until |by |from )?(?:when|who|how|what|where|why|which)\b|[?？]\s+\S.*[?？]|\S\s+그리고\s"
    r"|비교|차이|대조|각각|각자|모든|모두|전부|(?<=[가-힣])마다|[가-힣]별로?(?=\s|$)|순위|공통|추이"
    r"|어떻게 (?:변|달라|바뀌)|다르|다른가|경과"
    r"|시간순|장단점|모순|보다 (?:더 )?\S+(?:가요|나요|까)|전과 후|전후",
    re.IGNORECASE,
)
_MODERATE = re.compile(
    r"\b(?:how|why|explain|describe|walk me|tell me about|overview|outline|summar\w+|steps?|reasons?|caused?|causes"
    r"|what happen\w*|went wrong|what (?:do|should|must) (?:i|we) (?:do|need))\b"
    r"|어떻게|방법|절차|순서|왜|이유|원인|요약|정리|설명|무슨 (?:일|문제)|무엇을|원리|과정|주의|준비|대처|려면",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\bhow (?:much|many|long|often|far|old|large|big|high|late|soon|early)\b|어떻게 (?:되|돼|됩)\S*|몇 순서",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:what|when|where|who|which|why|how|is|are|does|do|can|tell|explain|compare|check)\b"
    r"|얼마|언제|어디|무엇|무슨|뭐|누구|누가|어떻|어느|어떤|며칠|몇|왜|설명|알려|인지|한지",
    re.IGNORECASE,
)
_PERIOD = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\bq[1-4]\b|[1-4]\s?분기", re.IGNORECASE)


@task("intent")
def intent(llm: Any, question: str, **_: Any) -> dict[str, str]:
    """Courtesies are taken off first; what is left decides."""
    asked = without_courtesies(question)
    if not asked and question.strip():
        return {"intent": "chat"}
    if _COMPLEX.search(asked) or len(set(_PERIOD.findall(asked.casefold()))) > 2 or _several(asked):
        return {"intent": "complex"}
    return {"intent": "moderate" if _MODERATE.search(_AMOUNT.sub(" ", asked)) else "simple"}


def without_courtesies(text: str) -> str:
    """What an utterance says besides greetings, thanks and the like; empty if that is all."""
    left, courtesies = _COURTESY.subn(" ", text)
    if not courtesies:
        return text.strip()
    said = _FILLERS.sub(" ", left)
    return left.lstrip(" ,.!?~…:-").rstrip() if terms(said) or _ASKING.search(said) else ""


def _several(asked: str) -> bool:
    """Whether at least two parts of it ask something of their own."""
    return sum(_ASKING.search(part.words) is not None for part in parts(read_question(asked))) > 1
