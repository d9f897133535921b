"""Query transforms that no stage has. `HyDE` is that of Gao et al. 2022, arXiv 2212.10496."""

import re
import unicodedata
from dataclasses import dataclass

from llama_index.core.prompts import PromptTemplate

from lessons.rag.types import Query, Resources
from lessons.search.transforms import ask_for_query, tidy
from lessons.text import language, normalize
from lessons.trace import Step

MAX_PASSAGE_CHARS = 2_000  # of a hypothetical passage
HYDE = {
    "en": """\
Write a short passage, at most five sentences, as it could stand in a document that answers the question. It is only
used to search for real passages like it. Write it in English, without a heading and without a remark about it.

Question: {question}""",
    "ko": """\
질문에 답하는 문서에 있을 법한 짧은 글을 다섯 문장 이내로 쓰십시오. 비슷한 실제 글을 찾는 데만 쓰입니다. 제목이나
설명 없이 한국어로 쓰십시오.

질문: {question}""",
}


def hyde_prompt(question: str) -> PromptTemplate:
    """Build the prompt for a passage in the language of the question."""
    return PromptTemplate(HYDE[language(question)], metadata={"task": "hyde", "max_tokens": 400})


@dataclass(frozen=True)
class Passthrough:
    """Leaves the queries as they are."""

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]:
        return queries


@dataclass(frozen=True)
class Normalize:
    """Unicode NFKC, lower case, one space between words, no punctuation at the ends."""

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]:
        return tidy([normalized(text) for text in queries], query.text)


def normalized(text: str) -> str:
    """Fold spellings of the same query into one form; a text without words stays."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", normalize(text)).casefold())
    folded = re.sub(r"\s+", " ", folded)
    ends = {letter for letter in folded if unicodedata.category(letter).startswith("P")} - {"#", "%"}  # C#, 5%
    return folded.strip("".join([" ", *ends])) or text


@dataclass(frozen=True)
class HyDE:
    """Adds a passage for the first query. A model invents it, so it only searches and is never quoted."""

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]:
        queries = tidy(queries, query.text)
        passage = ask_for_query(hyde_prompt(queries[0]), queries[0], resources, step, MAX_PASSAGE_CHARS)
        return tidy([*queries, passage], query.text) if passage else queries
