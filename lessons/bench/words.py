"""Made-up texts: words of three syllables, as unevenly frequent as the words of any language (Zipf's law)."""

from itertools import product

import numpy as np

WORDS_PER_CHUNK = 20
_SYLLABLES = ["".join(pair) for pair in product("bdgkmprtvz", "aou")]
_WORDS = np.array(["".join(three) for three in product(_SYLLABLES, repeat=3)], dtype="S6")
_LETTERS = 6
_HEAD = 10  # Mandelbrot's correction: the first words are not quite as frequent as 1 / rank says


def drawn(number: int, seed: int) -> np.ndarray:
    """Numbers of words (number, WORDS_PER_CHUNK), sorted in each row; a word may come twice."""
    share = 1 / (np.arange(len(_WORDS)) + _HEAD)
    cumulated = np.cumsum(share / share.sum())
    chance = np.random.default_rng(seed).random((number, WORDS_PER_CHUNK))
    return np.sort(np.searchsorted(cumulated, chance).clip(max=len(_WORDS) - 1), axis=1)


def texts(words: np.ndarray) -> np.ndarray:
    """The words of each row (n, w) with spaces between them, as bytes (n,)."""
    spaced = np.char.add(_WORDS, b" ")[words]
    return np.ascontiguousarray(spaced).view(f"S{(_LETTERS + 1) * words.shape[1]}").ravel()


def term(words: np.ndarray) -> np.ndarray:
    """The words by number, as bytes of the same shape."""
    return _WORDS[words]


def question(seed: int, words: int = 6) -> str:
    """A few words that stand together in some text, common ones and rare ones."""
    row = np.unique(drawn(1, seed))
    chosen = np.random.default_rng(seed).choice(row, min(words, len(row)), replace=False)
    return b" ".join(_WORDS[chosen]).decode()
