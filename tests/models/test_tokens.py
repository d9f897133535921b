"""Tokens estimated by script, or counted by the model's tokenizer without a network."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.models.tokens import ExactTokenCounter, TokenCounter, TokenEstimator

estimate = TokenEstimator().count


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello", 2),
        ("안녕하세요", 4),
        ("😀", 1),
        ("☀", 1),
        ("abcd1234", 2),
        ("漢字かな", 3),
        ("カタカナ", 3),
        ("!?.", 1),
        ("!?., ", 2),
        ("hello 안녕", 3),  # 5/4 + 1/3 + 2/1.5 = 2.92
        ("ab ab 가", 3),  # 4/4 + 2/3 + 1/1.5 = 2.33
        ("👍🏽", 2),  # a hand and its skin tone
        ("🇰🇷", 1),  # a flag is two letters from outside the range of emoji: 2/3
        ("👩‍👩‍👧", 4),  # three faces and two joiners: 3 + 2/3
    ],
)
def test_each_script_has_its_own_weight_and_the_sum_is_rounded_up(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


def test_the_sum_is_exact_where_floats_would_round_up() -> None:
    # 1/4 × 4 + 2/3 + 1/3 is 2; as floats, sums of thirds can come out just above a whole number.
    assert [estimate("가" * 3 * n + "." * 3 * n) for n in range(1, 200)] == [3 * n for n in range(1, 200)]


ANY_TEXT = st.text() | st.text(alphabet="a1é .,가힣漢かカ😀🏽🇰☀\u200d\ufe0f\u1100\n", max_size=60)


@given(ANY_TEXT, ANY_TEXT)
def test_joining_two_texts_never_saves_more_than_the_rounding(first: str, second: str) -> None:
    apart, joined = estimate(first) + estimate(second), estimate(first + second)
    assert max(estimate(first), estimate(second)) <= joined <= apart <= joined + 1


@given(ANY_TEXT)
def test_an_estimate_is_never_negative_and_only_the_empty_text_is_free(text: str) -> None:
    assert (estimate(text) > 0) == bool(text)


def test_a_control_token_in_a_text_is_counted_as_text() -> None:
    assert ExactTokenCounter().count("<|endoftext|>") > 1


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4o", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("llama3.1:8b", "cl100k_base"),
        ("text-davinci-003", "cl100k_base"),
    ],
)
def test_the_tokenizer_follows_the_model(model: str, encoding: str) -> None:
    assert ExactTokenCounter(model).encoding_name == encoding


def test_newer_vocabulary_needs_fewer_tokens_for_korean() -> None:
    text = "대한민국의 분기 보고서를 요약해 주세요."
    assert ExactTokenCounter("gpt-4o").count(text) < ExactTokenCounter("gpt-4").count(text)


@given(ANY_TEXT)
def test_an_exact_count_lies_between_nothing_and_the_bytes_of_the_text(text: str) -> None:
    counter: TokenCounter = ExactTokenCounter()
    assert (counter.count(text) > 0) == bool(text)
    assert counter.count(text) <= len(text.encode())


OFFLINE = """
import os, socket
def refuse(*args, **kwargs): raise OSError("no network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
os.environ["TIKTOKEN_CACHE_DIR"] = {cache!r}
from lessons.models.tokens import ExactTokenCounter
print(ExactTokenCounter("gpt-4o").count("hello"), ExactTokenCounter("gpt-4").count("hello"))
assert os.environ["TIKTOKEN_CACHE_DIR"] == {cache!r}
"""


def test_both_tokenizers_load_without_a_network_whatever_the_cache_folder_is(tmp_path) -> None:
    done = subprocess.run([sys.executable, "-c", OFFLINE.format(cache=str(tmp_path))], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1 1\n", "")
