"""What every room needs to know about text: clean it, name its language, cut it into sentences and search terms.

Korean and English are equals here.
"""

from lessons.text.normal_form import language, normalize
from lessons.text.search_terms import terms
from lessons.text.splitting import cut_sentences, sentences
from lessons.text.word_lists import ENGLISH_STOP_WORDS, KOREAN_STOP_WORDS

__all__ = ["ENGLISH_STOP_WORDS", "KOREAN_STOP_WORDS", "cut_sentences", "language", "normalize", "sentences", "terms"]
