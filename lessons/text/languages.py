"""Which of the two languages a text is in."""

import re
import unicodedata

from lessons.text.word_lists import ENGLISH_STOP_WORDS

_HANGUL = re.compile("[가-힣]")
_LETTERS = re.compile(r"[^\W\d_]+")


def language(text: str) -> str:
    """'ko' when the text has more words with Hangul than English function words, otherwise 'en'.

    Function words tell a sentence's language better than letters: 'LlamaIndex PGVectorStore 사용법' is a Korean
    question, 'What does 환불 mean in this guide?' an English one. The first 5,000 characters decide.
    """
    words = _LETTERS.findall(unicodedata.normalize("NFC", text[:5000]))
    hangul = sum(_HANGUL.search(word) is not None for word in words)
    return "ko" if hangul > sum(word.lower() in ENGLISH_STOP_WORDS for word in words) else "en"
