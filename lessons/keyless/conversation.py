"""What a conversation itself answers: greetings and statements get a reply, questions about it a quote from it.

Nothing is put in other words. A summary holds lines of the conversation, those that state something before the others.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lessons.keyless import task
from lessons.keyless.enrich import shortened
from lessons.keyless.facts import SEVERAL, Notes, class_of, corrects, facts, same_key, states_only, take_up
from lessons.keyless.lines import search_terms
from lessons.keyless.words import Unit, read_question
from lessons.models.tokens import TokenEstimator
from lessons.text import language, sentences, terms
from lessons.text.numbers import number_words
from lessons.text.periods import periods
from lessons.text.word_lists import words_of

SAID = {  # how an answer says that it comes from the conversation and not from a document
    "en": {
        "stated": "Noted: {}.",
        "noted": "From what you told me earlier: {}.",
        "user": "You said earlier: “{}”",
        "assistant": "I answered earlier: “{}”",
        "about": "We spoke about: {}",
    },
    "ko": {
        "stated": "기억해 두겠습니다: {}.",
        "noted": "앞서 알려 주신 내용입니다: {}.",
        "user": "앞서 이렇게 말씀하셨습니다: “{}”",
        "assistant": "앞서 이렇게 답했습니다: “{}”",
        "about": "지금까지 나눈 이야기입니다: {}",
    },
}
NOT_TOLD = {  # where a question is about the conversation and it holds no answer
    "en": "That was not said in this conversation.",
    "ko": "이 대화에서 나온 적이 없는 내용입니다.",
}
REPLIES = {
    "thanks": {"en": "You are welcome.", "ko": "천만에요."},
    "farewell": {"en": "Goodbye.", "ko": "안녕히 가세요."},
    "who": {
        "en": "I answer questions about your documents and say where the answer stands.",
        "ko": "저는 문서에 관한 질문에 답하고, 답이 어디에 있는지 알려 드립니다.",
    },
    "greeting": {
        "en": "Hello. What would you like to know about your documents?",
        "ko": "안녕하세요. 문서에서 무엇을 찾아 드릴까요?",
    },
    "other": {"en": "All right. Ask whenever you like.", "ko": "네, 언제든지 물어보세요."},
}
_COURTESIES = {
    "thanks": r"\b(?:thank\w*|thx|cheers|appreciated|helped|helpful)\b|감사|고마|고맙|덕분|도움",
    "farewell": r"\b(?:bye|goodbye|see you|take care|weekend|good night)\b|안녕히|다음에|주말|수고|고생",
    "who": r"\b(?:who|what) (?:are|can) you\b|누구|뭐야",
    "greeting": r"\b(?:hello|hi|hey|good (?:morning|afternoon|evening)|welcome|meet you|how are you|there)\b"
    r"|안녕|반갑|반가|처음|아침|저기요|계신|지내",
}
_POLITE = words_of("courtesies")
_POLITE_STEMS = tuple(word for word in _POLITE if not word.isascii())

Turn = tuple[int, str, str]  # number, question and answer
_LINE = re.compile(r"^(?:(?P<noted>- )|(?P<role>user|assistant): )(?P<text>.+)$")
_ROLES = "user: ", "assistant: "
_LONGEST_LINE = 160  # characters
_LEAST_COVERED = 0.5  # of what a question asks for; all of it, if it does not say that it asks for what was said
_MOST_TURNS = 8  # that are named where somebody asks what was spoken about


@dataclass(frozen=True)
class Statement:
    """A sentence of a conversation. `source` is noted, user or assistant."""

    source: str
    text: str


def remembered(memory: str) -> list[Statement]:
    """Read the lines of a memory (`- key: value`, `user: …`, `assistant: …`; no others), in their order."""
    lines = filter(None, (_LINE.match(line.strip()) for line in memory.splitlines()))
    entries = (
        (line["role"] or "noted", [line["text"]] if line["noted"] else sentences(line["text"])) for line in lines
    )
    return [Statement(source, text) for source, texts in entries for text in texts]


_SELF = r"(?<![가-힣])(?:제|저|내|나|우리|저희)(?:가|는|의|도)?\s"
_SAYING = re.compile(
    r"(?i)\b(?:did|have|had) (?:I|we)\b.{0,20}\b(?:sa(?:y|id)|tell|told|mention|name|talk|discuss)"
    r"|\bI (?:\w+ )?(?:said|told you|mentioned)\b|\bwhat (?:was|were) my\b|\bremind me\b"
    r"|\byou (?:still )?(?:remember|recall)\b|(?:라고|다고|냐고|자고) ?(?:했|하셨|말|그랬)"
    r"|말(?:씀)?(?:했|하셨|드렸)|(?:얘기|이야기|언급)(?:했|하셨|드렸)|기억(?:하|나|해)"
    rf"|{_SELF}[^?]*(?:[했였었]|이었)(?:죠|지|더라|던가|나요)"
)
_BY_YOU = re.compile(r"(?i)\b(?:did|have|had) you (?:say|tell|told|mention)|\byou (?:said|told|mentioned|answered)\b")
_MINE = re.compile(
    r"(?i)^(?:and |so )?(?:what|who)(?:['’]s| is| are) my [a-z]+\W*$"
    r"|^(?:제|내|저의|나의) [가-힣]+ (?:뭐|무엇|얼마|누구|어디|언제|몇 ?[가-힣]+?)"
    r"(?:야|예요|이에요|이죠|지|죠|니|인가요)?\W*$"
)
_OWN = re.compile(rf"(?i)\b(?:my|mine|our|am I|are we|(?:do|have|did) (?:I|we))\b|{_SELF}")
_AGAIN = re.compile(r"(?i)\b(?:again|repeat|once more)\b|다시|한 ?번 더")
_FIRST = re.compile(
    r"(?i)^(?=.*(?:\bfirst\b|처음(?!부터)|(?<![가-힣])첫))"
    r".*(?:\b(?:ask|sa(?:y|id)|t(?:alk|ell|old)|question|discuss|mention)|물[었어]|묻|질문|말|얘기|이야기)"
)
_WHOLE = re.compile(r"(?i)\b(?:we|conversation|chat|so far)\b|대화|얘기|이야기|지금까지|[하고]던|고 있었")
_WE_ARE = re.compile(r"(?i)\b(?:are we|am I)(?: (?P<at>on|in|at))?\W*$")
_DOCUMENTS = re.compile(r"(?i)\b(?:documents?|files?|sources?|materials?)\b|문서|파일|자료")
_SEEING = tuple(words_of("seeing"))
_COUNTED = re.compile(r"몇\s?[가-힣]+")  # what is counted stands beside it: '직원이 몇 명이죠'
_TALK = words_of("talk")  # words that are only about talking itself: of Korean ones, what longer words begin with
_STEMS = tuple(word for word in _TALK if not word.isascii() and len(word) > 1)


def _topic_words(text: str) -> list[str]:
    """Return the words of a text that are not only about talking itself."""
    words = re.findall(r"[a-z]+|[가-힣]+|\d+", text.lower())
    return [word for word in words if terms(word) and word not in _TALK and not word.startswith(_STEMS)]


def asks_back(question: str) -> bool:
    """Tell whether only the conversation can answer a question, because it asks what was said in it."""
    is_quote = _SAYING.search(question) and not _BY_YOU.search(question)
    return bool(is_quote or _MINE.search(question) or _about_the_talk(question))


def _about_the_talk(question: str) -> bool:
    """Tell whether a question asks for the last answer once more, or what was spoken about, and for nothing else."""
    return any(form.search(question) for form in (_AGAIN, _WHOLE, _FIRST)) and not _topic_words(question)


def asks_for_first(question: str) -> bool:
    """Tell whether a question asks how the conversation began, which has left the window of a long one."""
    return bool(_FIRST.search(question)) and _about_the_talk(question)


def asks_for_documents(question: str) -> bool:
    """Tell whether a question asks which documents there are, and for nothing in them."""
    is_about = _DOCUMENTS.search(question) is not None
    return is_about and all(word.startswith(_SEEING) for word in _topic_words(question))


def recalled(question: str, memory: str) -> str | None:
    """Reply to what needs no document: thanks, a statement, a question about the conversation; None for any other.

    None, too, where the conversation does not hold the answer; `asks_back` tells the two apart.
    """
    form, lines = SAID[language(question)], remembered(memory)
    if polite := courtesy(question):
        return polite
    if new := states_only(question):
        return form["stated"].format("; ".join(f"{fact.key}: {fact.value}" for fact in new))
    if _about_the_talk(question):
        return _of_the_talk(question, memory, form)
    if not lines:
        return None
    if _BY_YOU.search(question):
        best = _best(question, [line for line in lines if line.source == "assistant"], _LEAST_COVERED)
    elif (back := asks_back(question)) or _OWN.search(question):
        notes, lines = settled(lines)
        facts_ = [Statement("noted", f"{key}: {value}") for key, value, _ in notes.values() if value]
        lines = [line for line in lines if line.source == "user" and line.text[-1] not in "?？" and _holds(line, notes)]
        best = _best(question, [*lines, *facts_], _LEAST_COVERED if back else 1.0)
    else:
        return None
    return form[best.source].format(best.text.rstrip(".") if best.source == "noted" else best.text) if best else None


def _of_the_talk(question: str, memory: str, form: dict[str, str]) -> str | None:
    """Repeat what the user asked first, or the last answer, or what the user asked and said, newest last."""
    lines = [*map(str.strip, memory.splitlines())]
    questions, answers = ([text.removeprefix(role) for text in lines if text.startswith(role)] for role in _ROLES)
    if _FIRST.search(question):
        return form["user"].format(questions[0]) if questions else None
    if _AGAIN.search(question):
        return form["assistant"].format(answers[-1]) if answers else None
    topics = [shortened(text, _LONGEST_LINE) for text in dict.fromkeys(questions) if _topic_words(text)]
    return form["about"].format(" · ".join(topics[-_MOST_TURNS:])) if topics else None


def settled(lines: Sequence[Statement]) -> tuple[Notes, list[Statement]]:
    """Return the facts as they stand now, and the lines, each the last time, without those that are replaced later."""
    notes: Notes = {}
    left: dict[Statement, frozenset[str]] = {}
    turn = 0
    for line in lines:
        key, _, value = line.text.partition(": ")
        if line.source == "noted":
            notes.pop(same_key(key), None)
            notes[same_key(key)] = key, value, turn
        elif line.source == "user":
            turn += 1
            take_up(notes, line.text, turn)
        stated = frozenset(same_key(fact.key) for fact in facts(line.text) if line.source == "user")
        left = {old: keys for old, keys in left.items() if old != line and not (keys & stated - SEVERAL)}
        left[line] = stated
    return notes, [*left]


def _holds(line: Statement, notes: Notes) -> bool:
    stated = facts(line.text) if line.source == "user" else ()
    return all(fact.value in notes.get(same_key(fact.key), ("", ""))[1] for fact in stated)


def _best(question: str, lines: Sequence[Statement], least: float) -> Statement | None:
    """Return the last of the lines that cover most of what a question asks for, a number if it asks for one."""
    kinds = read_question(question).kinds
    units = read_question(_COUNTED.sub(" ", question)).units
    asked_units = [unit for unit in units if unit.weight > 0.3 and _topic_words(unit.text)]
    lines = [line for line in lines if "number" not in kinds or any(map(str.isdigit, number_words(line.text)))]
    scored = [(_covered(asked_units, question, line), at) for at, line in enumerate(lines)]
    best, at = max(scored, default=(0.0, 0))
    return lines[at] if best >= least and best else None


def _covered(units: Sequence[Unit], question: str, line: Statement) -> float:
    """Return the share of the words that a line holds, be it as the key or the class of a fact."""
    stated = [line.text.partition(": ")[0]] if line.source == "noted" else [fact.key for fact in facts(line.text)]
    keys, words = {same_key(key) for key in stated}, search_terms(line.text)
    keys |= {period.unit for period in periods(line.text)}
    if (match := _WE_ARE.search(question)) and (match["at"] or "be").lower() in keys:
        return 1.0
    covered = [1.0 if {same_key(unit.text), class_of(unit.text)} & keys else unit.covered(words) for unit in units]
    return sum(covered) / len(covered) if covered else 0.0


@task("recursive_summary")
def recursive_summary(
    llm: Any, turns: Sequence[Turn], summary: str = "", count: int = 20, tokens: int = 500, **_: Any
) -> str:
    """Keep the lines of the old summary and of these turns that fit; what has been corrected goes."""
    old = [line for line in remembered(summary) if line.source != "noted"]
    return _fitting([*old, *_lines(turns)], count, tokens)


@task("turns_summary")
def turns_summary(llm: Any, turns: Sequence[Turn], tokens: int, **_: Any) -> str:
    """Keep the lines of these turns that fit in so many tokens."""
    return _fitting(_lines(turns), 4 * len(turns), tokens)


def _lines(turns: Sequence[Turn]) -> list[Statement]:
    """Return the user's last sentences of each turn and, of the answer, the sentence nearest to the question."""
    lines: list[Statement] = []
    for _number, question, answer in turns:
        question_terms, replies = set(terms(question)), sentences(" ".join(answer.split()))[:8]
        near = sorted(replies, key=lambda text: -len(question_terms & set(terms(text))) - any(map(str.isdigit, text)))[
            :1
        ]
        turn = [Statement("user", text) for text in sentences(" ".join(question.split()))[-3:]]
        turn += [Statement("assistant", text) for text in near]
        lines += [
            Statement(line.source, shortened(line.text, _LONGEST_LINE)) for line in turn if len(terms(line.text)) > 1
        ]
    return lines


def _fitting(lines: Sequence[Statement], count: int, tokens: int) -> str:
    """Keep at most `count` lines in their order: those that state a fact first, of all others the newest."""
    lines = settled(lines)[1]
    order = sorted(range(len(lines)), key=lambda at: (not _states(lines[at]), -at))
    positions: list[int] = []
    for at in order[:count]:
        if TokenEstimator().count(_written(lines, [*positions, at])) <= tokens:
            positions.append(at)
    return _written(lines, positions)


def _states(line: Statement) -> bool:
    return line.source == "user" and (any(facts(line.text)) or corrects(line.text))


def _written(lines: Sequence[Statement], positions: Sequence[int]) -> str:
    return "\n".join(f"{lines[at].source}: {lines[at].text}" for at in sorted(positions))


def courtesy(text: str) -> str | None:
    """Return the reply to a greeting or thanks; None if the text holds a word that is neither."""
    words = [word for word in re.findall(r"[a-z]+|[가-힣]+|\d+", text.lower()) if terms(word)]
    polite = all(word in _POLITE or word.startswith(_POLITE_STEMS) for word in words)
    return reply_to(text) if polite and _courtesy_kind(text) in ("thanks", "greeting", "farewell") else None


def reply_to(text: str) -> str:
    """Return the reply to small talk that fits best, in the language of the utterance."""
    return REPLIES[_courtesy_kind(text)]["ko" if re.search("[ㄱ-힣]", text) else "en"]


def _courtesy_kind(text: str) -> str:
    return next((kind for kind, pattern in _COURTESIES.items() if re.search(pattern, text, re.IGNORECASE)), "other")
