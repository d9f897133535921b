"""How the keyless model tells what an utterance wants: no document, one fact, an explanation, or many places.

Ridge regression from the vector and the shape of an utterance, fitted to labelled examples; penalty, scales and margin
were chosen by cross-validation. Likewise for open questions, of what is worrying or striking in a document as a whole.
"""

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding

from lessons.keyless import task
from lessons.keyless.conversation import NOT_TOLD, asks_back, courtesy, recalled, reply_to
from lessons.keyless.facts import states_only
from lessons.keyless.words import INTERROGATIVE
from lessons.models.embedding_cache import QUESTIONS, key, read_vectors
from lessons.settings import ROOT
from lessons.text import language, normalize

Label = Literal["chat", "simple", "moderate", "complex"]
INTENTS: tuple[Label, ...] = ("chat", "simple", "moderate", "complex")  # the more chunks are fetched, the later
EXAMPLES = ROOT / "data" / "context" / "utterances.jsonl"
OPEN_EXAMPLES = EXAMPLES.with_name("open_questions.jsonl")
OPEN = ("other", "open", "whole")  # whole: a summary of a document
OPEN_FROM = 0.4  # in cross-validation, of the open questions 83 % score as much, of summaries 46 %, of others 2 %

PENALTY = 2.0
SMALL_TALK = 0.25  # by which chat must lead where nothing is asked; short noun phrases ('영업이익') lead by up to 0.22
DOUBT = 0.05  # scores closer than this to the best are as good
_CLAUSE = re.compile(r"[,;]|[?？.]\s|\b(?:and|or|than|versus|vs)\b|(?<=[가-힣])(?:랑|와|과|고|며)\s|그리고|보다")


class Utterance(NamedTuple):
    """What somebody typed, and what it wants: one of `INTENTS`, or of `OPEN`."""

    text: str
    language: str
    intent: str


@cache
def utterances(path: Path = EXAMPLES) -> tuple[Utterance, ...]:
    return tuple(Utterance(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())


@cache
def open_questions() -> tuple[Utterance, ...]:
    """Read the questions about a document as a whole, and the other labelled utterances."""
    rows = map(json.loads, OPEN_EXAMPLES.read_text(encoding="utf-8").splitlines())
    questions = {row["text"]: Utterance(**{"intent": "open", **row}) for row in rows}
    utterances_ = (u._replace(intent="other") for u in utterances() if u.text not in questions)
    return (*questions.values(), *utterances_)


class Classifier:
    """Scores the labels, about 0 to 1 each, from the vectors of an embedding model."""

    def __init__(
        self, embedding: BaseEmbedding, examples: Sequence[Utterance], labels: Sequence[str] = INTENTS
    ) -> None:
        self.embedding = embedding
        texts = [example.text for example in examples]
        vectors, shapes = self._vectors(texts), np.array([_shape(text) for text in texts])
        spread = np.sqrt(vectors.var(axis=0).sum()) or 1.0
        units = np.repeat([spread, 1.0], [vectors.shape[1], shapes.shape[1]])
        rows = np.hstack([vectors, shapes]) / units
        targets = np.array([[example.intent == label for label in labels] for example in examples], dtype=float)
        centred = rows - rows.mean(axis=0)
        kernel = centred @ centred.T + PENALTY * np.eye(len(rows))
        fitted = centred.T @ np.linalg.solve(kernel, targets - targets.mean(axis=0))
        self.bias = targets.mean(axis=0) - rows.mean(axis=0) @ fitted
        self.weights = fitted / units[:, None]

    def scores(self, text: str) -> np.ndarray:
        """Score how well each label fits, (labels,)."""
        return np.concatenate([self.embedding.get_query_embedding(text), _shape(text)]) @ self.weights + self.bias

    def intent(self, text: str) -> Label:
        """Return the best of the intents: of close ones the one that fetches more; chat has to be clearly better."""
        scores = self.scores(text)
        best = scores[1:].max()
        if scores[0] > best + DOUBT:
            return "chat"
        return INTENTS[1 + np.flatnonzero(scores[1:] >= best - DOUBT)[-1]]

    def _vectors(self, texts: list[str]) -> np.ndarray:
        """Read the shipped vectors, or have another model embed the texts once, as passages."""
        shipped = read_vectors(self.embedding.model_name, QUESTIONS)
        keys = [key("query", normalize(text)) for text in texts]
        if shipped.keys() >= set(keys):
            return np.array([shipped[k] for k in keys], dtype=float)
        return np.array(self.embedding.get_text_embedding_batch(texts))


@task("intent")
def intent(llm: Any, question: str, **_: Any) -> dict[str, Label]:
    """Call it chat if only the conversation answers it, or mere signs; leave an empty question to the search.

    Without an embedding model any question fetches as much as a complex one.
    """
    if not any(sign.isalnum() for sign in question):
        return {"intent": "chat" if question.strip() else "simple"}
    if asks_back(question) or states_only(question) or courtesy(question):
        return {"intent": "chat"}
    return {"intent": llm.classifier.intent(question) if llm.embedding else "complex"}


def is_small_talk(llm: Any, text: str) -> bool:
    """Tell whether an utterance asks nothing and reads like thanks or a greeting, which are not searched for."""
    if llm.embedding is None or "?" in text or INTERROGATIVE.search(text) or not any(map(str.isalnum, text)):
        return False
    scores = llm.classifier.scores(text)
    return bool(scores[0] - scores[1:].max() > SMALL_TALK)


def _shape(text: str) -> list[float]:
    """Return the length in bytes (a Korean syllable says as much as three letters), clauses and digits; scaled."""
    clauses = len(_CLAUSE.findall(text))
    return [min(len(text.encode()), 200) / 90, min(clauses, 4) / 3, 0.5 * any(sign.isdigit() for sign in text)]


@task("small_talk")
def small_talk(llm: Any, question: str, memory: str = "", **_: Any) -> str:
    """Return what the conversation answers, or the reply that fits."""
    if (reply := recalled(question, memory)) or asks_back(question):
        return reply or NOT_TOLD[language(question)]
    return reply_to(question)
