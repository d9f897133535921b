"""Exercises as data, and for some of them how a submission is called and which of many results are right."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isclose
from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, MetadataFilters
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from lessons.evaluate.compare import interval
from lessons.exercises.comparing import REFUSED, Nearly, Text, kind, letters, misplaced
from lessons.search.filter_text import parse_filter

Accept = Callable[..., bool | str]
"""Says whether a result is right. Instead of False, half a sentence: a `Nearly` if it is nearly right."""
Submission = Callable[..., Any]
"""The learner's function or class."""


@dataclass(frozen=True)
class Case:
    """One thing that a submission must get right."""

    when: str  # completes the sentence 'it goes wrong when …' and names the case, never the answer
    arguments: tuple[Any, ...] | None = None  # of a function; without them the submission itself is the result
    expected: Any = None  # the result, or one of many right ones
    accept: Accept | None = None  # decides where many results are right


def case(when: str, expected: Any, *arguments: Any) -> Case:
    """Make a case whose result is `expected`, or accepted by it if it is a function."""
    if callable(expected):
        return Case(Text(when), arguments, None, expected)
    return Case(Text(when), arguments, expected)


def call(submission: Submission, *arguments: Any) -> Any:
    """Call a submission as it is used unless an exercise says otherwise."""
    return submission(*arguments)


@dataclass(frozen=True)
class Exercise:
    """What a learner is asked for, and the cases that decide."""

    id: str
    title: str
    expects: str  # completes 'expects …'
    cases: Iterable[Case] | Callable[[], Iterable[Case]]  # a failure in the first is wrong, in another nearly right
    slips: Sequence[tuple[str, Any]] = ()  # half a sentence on a mistake, and its result in the first case
    use: Callable[..., Any] = call  # calls the submission with the arguments of a case
    seconds: float | None = None  # for all cases together; None takes those of the settings
    of: str = "a function"  # the kind of object that is asked for
    hints: Sequence[str] = field(default=(), kw_only=True)  # lead to the answer step by step


# Which of many results are right

QUESTIONS = 115


def right_letters(right: str, why_not: Mapping[str, str]) -> Accept:
    """Accept the right letter or letters; `why_not` says what speaks against other choices."""

    def accept(result: Any) -> bool | str:
        answer = letters(result)
        if answer is None and not isinstance(result, str):
            return Text("what comes is {0}, not {1}", kind(result), "a text")
        if len(right) == 1:
            if answer is None or len(answer) > 1:
                return Text("{0} is not one letter", repr(result))
            reason = why_not.get(answer, "there is no such letter")
            return answer == right or Text("{0} is not it: {1}", repr(result), reason)
        if answer is None:
            return Text("{0} is not it", repr(result))
        in_order = "".join(sorted(answer))
        reason = "these are the ones, in another order" if in_order == right else why_not.get(in_order, "")
        return answer == right or (Nearly("{0} is not it yet: {1}", repr(result), reason) if reason else False)

    return accept


def about_nine_per_question(result: float) -> bool | str:
    """Accept nine calls for each question within 5 %."""
    off = abs(result / (9 * QUESTIONS) - 1)
    if 0.05 <= off < 0.2 and result != 8 * QUESTIONS:
        return Nearly("{0} is not it yet: {1}", result, "it is close, and can be reckoned exactly")
    return off < 0.05


def gigabytes(result: float) -> bool | str:
    """Accept the gigabytes of 50 million vectors of 1,536 floats, but not the GiB."""
    if isclose(result, 50e6 * 1_536 * 4 / 2**30, abs_tol=1.0):
        return Nearly("{0} is not it yet: {1}", result, "this is in GiB, of 2³⁰ bytes")
    return isclose(result, 307.2, abs_tol=1.0)


def close_interval(result: Any, old: Sequence[float], new: Sequence[float]) -> bool | str:
    """Accept the 95 % interval within a fourteenth of its width: other draws are that close, a 90 % one is not."""
    low, high = interval([b - a for a, b in zip(old, new, strict=True)])
    slack = (high - low) / 14 + 1e-6
    start, end = result
    for mistake, (first, last) in {
        "": (start, end),
        "the higher end comes first": (end, start),
        "it is that of before minus after": (-end, -start),
    }.items():
        if abs(first - low) <= slack and abs(last - high) <= slack:
            return Nearly(mistake) if mistake else True
    width = (end - start) / max(high - low, slack)
    if abs(start + end - low - high) < 6 * slack and not 0.9 < width < 1.1:
        if width > 1:
            return Nearly("its middle is right, and it is too wide")
        return Nearly("its middle is right, and it is too narrow for 95 %")
    return Nearly("it is close: draw more often") if max(abs(start - low), abs(end - high)) < 3 * slack else False


def fair_halves(pair: Any, questions: Sequence[tuple[str, str]]) -> bool | str:
    """Accept two lists of ids that share out all questions, each category and both lists to within one."""
    if kind(pair) != "a list" or len(pair) != 2 or any(kind(half) not in ("a list", "a set") for half in pair):
        return Text("what comes is {0}, not {1}", kind(pair), "a pair of lists")
    category, (choose, report) = dict(questions), ([*half] for half in pair)
    if questions and set(choose) | set(report) <= set(questions):
        return Nearly("the lists hold whole questions, and their ids are asked for")
    messages = "{0} is no question", "of {0} questions, {1} are in no list", "one question is in both lists"
    if problem := misplaced([*choose, *report], category, *messages):
        return problem
    first, second = (Counter(category[id_] for id_ in half) for half in (choose, report))
    for name in sorted({*first, *second}):
        if abs(first[name] - second[name]) > 1:
            message = "of the category {0}, one list has {1} and the other {2}"
            return Nearly(message, repr(name), first[name], second[name])
    balanced = abs(len(choose) - len(report)) <= 1
    return balanced or Nearly("one list has {0} questions and the other {1}", len(choose), len(report))


def balanced_servers(servers: Any, owners: Sequence[tuple[str, int]], count: int) -> bool | str:
    """Accept lists that place every owner once, with the fullest server within a third of what cannot be avoided."""
    if kind(servers) != "a list" or any(kind(server) not in ("a list", "a set") for server in servers):
        return Text("what comes is {0}, not {1}", kind(servers), "a list of lists")
    if len(servers) != count:
        return Nearly("there are {0} lists for {1} servers", len(servers), count)
    size_of, names = dict(owners), [name for server in servers for name in server]
    if owners and set(names) <= set(owners):
        return Nearly("the lists hold whole owners, and their names are asked for")
    messages = "{0} is no owner", "of {0} owners, {1} are on no server", "one owner is on two servers"
    if problem := misplaced(names, size_of, *messages):
        return problem
    at_most = max([sum(size_of.values()) / count, *size_of.values()]) * 4 / 3
    fullest = max(sum(size_of[name] for name in server) for server in servers)
    message = "the fullest server holds {0} chunks, and {1} are the most that is accepted"
    return fullest <= at_most or Nearly(message, f"{fullest:,}", f"{at_most:,.0f}")


ACCEPTS: dict[str, Accept] = {
    "06.1": about_nine_per_question,
    "06.4": close_interval,
    "13.4": fair_halves,
    "14.1": gigabytes,
    "14.4": balanced_servers,
}
"""By the exercise's id: decides from the result and the arguments whether it is right."""


# How a submission is called where that takes more than the arguments of a case


def run_agent_loop(submission: Submission, script: list[list[str]], failing: list[str], limit: int) -> Any:
    """Run a loop with a model that follows a script and a search that may fail; return its result and the searches."""
    steps, searched, left = iter(script), list[str](), limit

    def choose(results: Any) -> list[str]:
        nonlocal left
        if left <= 0:
            raise RuntimeError(Text("the model is asked again after it has stopped or used up the calls"))
        if strays := [pair for pair in results if kind(pair) != "a list" or len(pair) != 2]:
            message = "`found` holds {0}, and pairs of a query and its result are due"
            raise TypeError(Text(message, repr(strays[0])))
        queries = next(steps, [])
        left -= len(queries) or left
        return list(queries)

    def search(query: str) -> str:
        searched.append(query)
        if query in failing:
            raise RuntimeError(f"{query} cannot be searched")  # what the cases expect, in every language
        return f"documents on {query}"

    result = submission(choose, search, limit)
    if kind(result) != "a list":
        return result
    return [tuple(pair) if kind(pair) == "a list" else pair for pair in result], searched


def apply_filter(expression: str, *chunks: dict[str, Any]) -> list[bool]:
    """Return for each chunk whether a filter lets it through."""

    def matches(filters: MetadataFilters, chunk: dict[str, Any]) -> bool:
        results = [
            matches(part, chunk)
            if isinstance(part, MetadataFilters)
            else build_metadata_filter_fn(lambda _: chunk, MetadataFilters(filters=[part]))("")
            for part in filters.filters
        ]
        return any(results) if filters.condition == FilterCondition.OR else all(results)

    return [matches(parse_filter(expression), chunk) for chunk in chunks]


def call_or_refuse(submission: Submission, *arguments: Any) -> Any:
    """Return the result of a function, or `REFUSED` if it raises ValueError."""
    try:
        return submission(*arguments)
    except ValueError:
        return REFUSED


def use_store(submission: Submission, sessions: int, messages: int, script: Sequence[Sequence[str]]) -> list[Any]:
    """Add each [session, message] of the script to a store, and return what it has for each [session]."""
    store, results = submission(sessions, messages), list[list[str] | None]()
    for session, *message in script:
        if message:
            store.add(session, message[0])
        else:
            stored = store.get(session)
            results.append(None if stored is None else list(stored))
    return results


def compare_keys(submission: Submission, question: str, repeat: str) -> str | None:
    """Say whether two questions have the same key; None if the first has none."""
    key = submission(question)
    hash(key)  # unhashable keys are of no use
    return None if key is None else "the same key" if key == submission(repeat) else "another key"


def retry_call(submission: Submission, script: Sequence[str], attempts: int, longest: float) -> dict[str, Any]:
    """Retry a call that behaves as the script says; return its result, the number of calls and the pauses."""
    pauses, calls = list[float](), list[str]()

    def action() -> str:
        if len(calls) >= 100:
            raise SystemExit(Text("it has asked {0} times", len(calls)))
        calls.append(script[min(len(calls), len(script) - 1)])
        if calls[-1] == "busy":
            raise TimeoutError(f"busy, attempt {len(calls)}")
        if calls[-1] == "wrong key":
            raise PermissionError("wrong key")
        return calls[-1]

    try:
        result: Any = submission(action, pauses.append, attempts, 0.5, longest)
    except (TimeoutError, PermissionError) as error:
        result = f"{type(error).__name__}: {error}"
    return {"came": result, "asked": len(calls), "waited": pauses}


def use_breaker(submission: Submission, limit: int, pause: float, script: Sequence[tuple[float, str]]) -> list[Any]:
    """Return which calls a breaker lets through, when each call at its second succeeds or fails as the script says."""
    breaker, allowed = submission(limit, pause), []
    for now, outcome in script:
        allowed.append(breaker.allows(now))
        if allowed[-1] is True:
            breaker.failed(now) if outcome == "fails" else breaker.succeeded()
    return allowed


def fall_back(submission: Submission, scripts: dict[str, str]) -> dict[str, Any]:
    """Return the result of a function that tries models which behave as the scripts say, and the models it called."""
    calls = list[str]()

    def model(name: str, script: str) -> str:
        calls.append(name)
        if script == "fails":
            raise ConnectionError(Text("{0} is out of reach", name))
        if script == "is interrupted":
            raise KeyboardInterrupt
        return script

    try:
        result: Any = submission([(name, partial(model, name, script)) for name, script in scripts.items()])
    except KeyboardInterrupt:
        result = "interrupted"
    return {"came": result, "asked": calls}


USES: dict[str, Callable[..., Any]] = {
    "05.3": run_agent_loop,
    "07.1": apply_filter,
    "07.2": call_or_refuse,
    "08.2": lambda submission, messages, tokens: submission(messages, tokens, len),  # every character is a token
    "08.4": use_store,
    "10.2": compare_keys,
    "10.3": call_or_refuse,
    "12.2": retry_call,
    "12.3": use_breaker,
    "12.5": fall_back,
}
"""By the exercise's id; every other submission is called with the arguments of a case."""
