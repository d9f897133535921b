"""How the keyless model answers: sentences taken from the given documents, each with its citation."""

import re
from typing import Any

from lessons.models.offline_tasks import task
from lessons.text import language, sentences, terms

NOT_FOUND = {
    "en": "The documents do not answer this question.",
    "ko": "문서에서 이 질문에 대한 답을 찾을 수 없습니다.",
}
_HEADER = re.compile(r"(?:\A|\n\n---\n\n)\[Source: (\d+) \| ([^\n]*)\]\n")


@task("answer")
def answer(llm: Any, question: str, context: str = "", **_: Any) -> str:
    """The sentence that covers most of the question's terms, or NOT_FOUND in the question's language."""
    wanted = set(terms(question))
    parts = _HEADER.split(context)
    best, best_score = "", 0.0
    for number, source, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        for sentence in sentences(text):
            score = len(wanted & set(terms(sentence))) + 0.5 * len(wanted & set(terms(source)))
            if score > best_score:
                best, best_score = f"{sentence.rstrip('.')} [{number}].", score
    return best if best_score >= 0.5 * len(wanted) > 0 else NOT_FOUND[language(question)]
