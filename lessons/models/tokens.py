"""Two ways to count tokens behind one method: an estimate by script, and the model's own tokenizer.

Budgets are cut by an estimate because it needs no tokenizer and costs nothing; what a call cost is counted exactly.
"""

import os
import re
from fractions import Fraction
from functools import cache
from math import ceil
from pathlib import Path
from threading import Lock
from typing import Protocol

import llama_index.core
import tiktoken

_SCRIPTS = (
    (re.compile(r"[0-9A-Za-z\u00AA\u00BA\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u024F\u1E00-\u1EFF]"), Fraction(1, 4)),
    (re.compile(r"[\u4E00-\u9FFF\uAC00-\uD7AF\u3040-\u309F\u30A0-\u30FF]"), Fraction(2, 3)),
    (re.compile(r"[\U0001F300-\U0001FAFF\u2600-\u27BF]"), Fraction(1)),
)
"""Latin letters and digits; Chinese, Korean and Japanese; emoji: characters, and the tokens that each of them takes."""
_OTHER = Fraction(1, 3)  # of a token for every other character


class TokenCounter(Protocol):
    """Anything that can say how many tokens a text has."""

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`, never negative."""
        ...


class TokenEstimator:
    """Estimate tokens from the scripts of the characters, rounded up. Floats would now and then round one token up."""

    def count(self, text: str) -> int:
        counts = [len(script.findall(text)) for script, _ in _SCRIPTS]
        in_scripts = sum(count * weight for count, (_, weight) in zip(counts, _SCRIPTS, strict=True))
        return ceil(in_scripts + (len(text) - sum(counts)) * _OTHER)


class ExactTokenCounter:
    """Count with the tokenizer of an OpenAI model; other vendors' models are counted with the nearest one, cl100k."""

    def __init__(self, model: str = "gpt-4o-mini") -> None:
        try:
            name = tiktoken.encoding_name_for_model(model)
        except KeyError:
            name = ""
        self.encoding_name = "o200k_base" if name.startswith("o200k") else "cl100k_base"  # what LlamaIndex ships

    def count(self, text: str) -> int:
        # text that spells a control token, such as <|endoftext|>, is counted as the plain text that it is
        return len(_encoding(self.encoding_name).encode(text, disallowed_special=()))


_loading = Lock()


@cache
def _encoding(name: str) -> tiktoken.Encoding:
    """Load the tokenizer from the files inside llama-index-core, so that nothing is downloaded."""
    bundled = Path(llama_index.core.__file__).parent / "_static" / "tiktoken_cache"
    with _loading:
        previous = os.environ.get("TIKTOKEN_CACHE_DIR")
        os.environ["TIKTOKEN_CACHE_DIR"] = str(bundled)
        try:
            return tiktoken.get_encoding(name)
        finally:
            if previous is None:
                del os.environ["TIKTOKEN_CACHE_DIR"]
            else:
                os.environ["TIKTOKEN_CACHE_DIR"] = previous
