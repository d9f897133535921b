"""What a model wrote in place of a query: taken only if it can be one, else the query stays and the trace says why."""

import logging
import re
import unicodedata
from typing import Any

from lessons.models.call import predict
from lessons.models.offline.query.periods import figures, pointed_at
from lessons.retrieve.prompts import query_prompt
from lessons.retrieve.types import Resources
from lessons.settings import settings
from lessons.text import language, normalize, terms
from lessons.trace import Step

logger = logging.getLogger(__name__)

_QUOTES = "\"'`“”‘’「」*"
_LABEL = re.compile(
    r"^(?:[\w ]{0,24}(?:question|query|passage)|[가-힣 ]{0,12}(?:질문|검색어|글)) ?[:：]\s*", re.IGNORECASE
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|without|except|cannot|nor|neither)\b|n['’]t\b|않|(?<![가-힣])(?:안|못)\s|못|없|아닌|아니|제외|빼고|말고",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,] )[A-Z][\w&.'’-]*[\w]")
_STATEMENT = re.compile(r"[A-Za-z0-9%)]\.$|(?:입니|습니|[한된였았었])다\.?$")
_REQUEST = re.compile(
    r"^(?:please )?(?:tell|explain|describe|show|list|give|compare|summari[sz]e|sum up)\b|(?:싶|궁금|바랍|부탁)", re.I
)
_LEAST_SHARED = 1 / 3  # of its terms that a query has from the question and what was said


def tidy(queries: list[str], fallback: str) -> list[str]:
    """Queries with clean text, each once, at most `max_queries`; the fallback where nothing is left."""
    cleaned = (" ".join(normalize(query).split()) for query in queries)
    first = {query.casefold(): query for query in reversed([query for query in cleaned if query])}
    unique = list(first.values())[::-1]
    return unique[: settings().max_queries] or [fallback]


def asked(
    task: str, question: str, resources: Resources, step: Step, longest: int, known: str = "", **more: Any
) -> str | None:
    """What the model makes of a question; None, with a note on the step, when it failed or cannot be used.

    `longest` is in characters, `known` what was said besides the question; `more` are further variables of the prompt.
    """
    prompt = query_prompt(task, question)
    try:
        said = _plain(predict(resources.llm, prompt, step, question=question, **more))
    except Exception as error:
        logger.warning("the transform %s failed", task, exc_info=True)
        note(step, str(error))
        return None
    echoed = any(line in said for line in _fixed_lines(prompt.template))
    problem = "it repeats its instructions" if echoed else unusable(said, question, longest, known)
    if problem:
        note(step, problem)
    return None if problem else said


def note(step: Step, problem: str) -> None:
    step.notes.append(f"the model's text was not used ({problem}); the query stays as it was")


def unusable(said: str, question: str, longest: int, known: str = "") -> str | None:
    """Why a text cannot stand for a question, or None."""
    if not terms(said) and terms(question):
        return "it holds no words"
    if len(said) > max(longest, len(question)):
        return "it is too long"
    if said[0:1] in ("{", "[", "<") and question[0:1] != said[0:1]:
        return "it is not plain text"
    if len(words := said.split()) > 8 and len(set(words)) < len(words) / 3:
        return "it repeats itself"
    return "it is in another language" if _foreign(said, question, known) else None


def strays(said: str, question: str, known: str) -> str | None:
    """Why a query no longer asks what the question asks, or None. `known` is all that it may be made of."""
    if lost := figures(question) - figures(said):
        return f"it lost {', '.join(sorted(lost))}"
    if added := _added_figures(said, question, known) or _names(said) - _words(known):
        return f"it adds {', '.join(sorted(added))}"
    if _STATEMENT.search(said) and not (_STATEMENT.search(question) or _REQUEST.search(said)):
        return "it answers instead of asking"
    if _NEGATION.search(question) and not _NEGATION.search(said):
        return "it lost the negation"
    found = set(terms(said))
    if len(found & set(terms(known))) < _LEAST_SHARED * len(found):
        return "it is about something else"
    return None


def _added_figures(said: str, question: str, known: str) -> set[str]:
    """The figures that nobody said, but for the period that a question points at: 'three months later'."""
    added = figures(said) - figures(known)
    return {each for each in added if each[0].isdigit()} if pointed_at(question) else added


def _names(text: str) -> set[str]:
    """Words written with a capital letter inside a sentence."""
    return {name.casefold() for name in _NAME.findall(text) if not name.isupper()}


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z][\w&.'’-]*[\w]", text.casefold()))


def _plain(said: str) -> str:
    """The text without a model's quotes, label and remarks before it."""
    lines = [line.strip() for line in normalize(said).splitlines()]
    kept = [line for line in lines if line and not line.startswith("```")]
    if len(kept) > 1 and kept[0].endswith((":", "：")):
        kept = kept[1:]
    return _LABEL.sub("", " ".join(kept).strip(_QUOTES)).strip(_QUOTES + " ")


def _fixed_lines(template: str) -> list[str]:
    return [line for line in template.splitlines() if len(line) > 20 and "{" not in line]


def _foreign(said: str, question: str, known: str) -> bool:
    """Whether a text is in another language or script; names and numbers of the question are in none."""
    scripts = {_script(letter) for letter in question + known if letter.isalpha()}
    letters = [letter for letter in said if letter.isalpha()]
    if sum(_script(letter) not in scripts for letter in letters) > len(letters) / 2:
        return True
    return language(said) != language(question) and not set(terms(said)) <= set(terms(question + known))


def _script(letter: str) -> str:
    return unicodedata.name(letter, "?").split()[0]
