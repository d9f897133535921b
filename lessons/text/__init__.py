"""What every room needs to know about text: clean it, name its language, cut it into sentences and search terms."""

import re
import unicodedata

from lessons.text.search_terms import terms
from lessons.text.splitting import cut_sentences, sentences
from lessons.text.word_lists import ENGLISH_STOP_WORDS, KOREAN_STOP_WORDS

__all__ = ["ENGLISH_STOP_WORDS", "KOREAN_STOP_WORDS", "cut_sentences", "language", "normalize", "sentences", "terms"]

_UNWANTED = dict.fromkeys([*range(9), *range(14, 32), *range(127, 160), 0xAD, 0x200B, 0xFEFF])
_CLEAN = _UNWANTED | dict.fromkeys(map(ord, "\r\x0b\x0c\x85\u2028\u2029"), "\n")
_SURROGATES = re.compile("[\ud800-\udfff]")
_HANGUL = re.compile("[가-힣]")
_LETTERS = re.compile(r"[^\W\d_]+")


def normalize(text: str) -> str:
    """Compose the text (NFC) and drop NUL, other control characters and invisible marks; every line end becomes \\n.

    Decomposed Korean looks the same but embeds and compares differently, and PostgreSQL refuses NUL.
    """
    return unicodedata.normalize("NFC", _SURROGATES.sub("", text.replace("\r\n", "\n").translate(_CLEAN)))


def language(text: str) -> str:
    """'ko' when the text has more words with Hangul than English function words, otherwise 'en'.

    Function words tell a sentence's language better than letters: 'LlamaIndex PGVectorStore 사용법' is a Korean
    question, 'What does 환불 mean in this guide?' an English one. The first 5,000 characters decide.
    """
    words = _LETTERS.findall(unicodedata.normalize("NFC", text[:5000]))
    hangul = sum(_HANGUL.search(word) is not None for word in words)
    return "ko" if hangul > sum(word.lower() in ENGLISH_STOP_WORDS for word in words) else "en"
