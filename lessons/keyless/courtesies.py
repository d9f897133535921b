"""Replies to greetings, thanks and other small talk, in the language of the utterance."""

import re

from lessons.text import terms
from lessons.text.word_lists import words_of

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
_KINDS = {
    "thanks": r"\b(?:thank\w*|thx|cheers|appreciated|helped|helpful)\b|감사|고마|고맙|덕분|도움",
    "farewell": r"\b(?:bye|goodbye|see you|take care|weekend|good night)\b|안녕히|다음에|주말|수고|고생",
    "who": r"\b(?:who|what) (?:are|can) you\b|누구|뭐야",
    "greeting": r"\b(?:hello|hi|hey|good (?:morning|afternoon|evening)|welcome|meet you|how are you|there)\b"
    r"|안녕|반갑|반가|처음|아침|저기요|계신|지내",
}
_WORDS = words_of("courtesies")
_STEMS = tuple(word for word in _WORDS if not word.isascii())


def courtesy(text: str) -> str | None:
    """The reply to a greeting or thanks; None if the text holds a word that is neither."""
    words = [word for word in re.findall(r"[a-z]+|[가-힣]+|\d+", text.lower()) if terms(word)]
    polite = all(word in _WORDS or word.startswith(_STEMS) for word in words)
    return reply_to(text) if polite and _kind(text) in ("thanks", "greeting", "farewell") else None


def reply_to(text: str) -> str:
    """The reply that fits best."""
    return REPLIES[_kind(text)]["ko" if re.search("[ㄱ-힣]", text) else "en"]


def _kind(text: str) -> str:
    return next((kind for kind, pattern in _KINDS.items() if re.search(pattern, text, re.IGNORECASE)), "other")
