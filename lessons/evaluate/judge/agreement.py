"""Judging the judge: how far beyond chance it agrees with hand labels (data/README.md), and a model as second judge."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from llama_index.core.evaluation import CorrectnessEvaluator
from llama_index.core.evaluation.eval_utils import default_parser
from llama_index.core.llms import LLM
from pydantic import TypeAdapter

from lessons.errors import ModelError
from lessons.evaluate.golden import Golden, json_lines
from lessons.evaluate.judge.judge import judge_text
from lessons.models.keyless import OfflineLLM
from lessons.models.server import explain
from lessons.rag.answer import Answer
from lessons.settings import ROOT

JUDGED = ROOT / "data" / "judged"
LABELS = {0.0: "wrong", 0.5: "partly", 1.0: "right"}
RIGHT, PARTLY = 4.0, 3.0  # of 5 points: LlamaIndex's own threshold, and its 'relevant but contains mistakes'


@dataclass(frozen=True)
class Labelled(Golden):
    """A question with its reference, an answer to it (`candidate`), and the label that a rater gave: `verdict`."""

    candidate: str = ""
    verdict: str = ""


@dataclass(frozen=True)
class Agreement:
    """Cohen's kappa (1 = always the same, 0 = as often as chance would), over `n` pairs; `confusion` counts them."""

    kappa: float
    n: int
    confusion: dict[tuple[str, str], int]

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % percentile bootstrap interval of kappa (Efron & Tibshirani, 1993, chapter 13); seeded."""
        pairs, random = list(Counter(self.confusion).elements()), Random(0)
        drawn = sorted(agreement(random.choices(pairs, k=self.n)).kappa for _ in range(2_000))
        return drawn[50], drawn[1_950]

    def errors(self) -> dict[str, int]:
        """Count the verdicts that were better than the label, and those that were worse."""
        rank = [*LABELS.values()].index
        steps = [rank(verdict) - rank(label) for label, verdict in Counter(self.confusion).elements()]
        return {"too generous": sum(step > 0 for step in steps), "too strict": sum(step < 0 for step in steps)}


def agreement(pairs: Iterable[tuple[str, str]]) -> Agreement:
    """Compare two raters of the same things (Cohen 1960). ValueError without pairs."""
    first, second = map(Counter, zip(*(pairs := list(pairs)), strict=True))
    n = len(pairs)
    observed, chance = sum(a == b for a, b in pairs) / n, sum(first[label] * second[label] for label in first) / n**2
    return Agreement(1.0 if chance == 1 else (observed - chance) / (1 - chance), n, dict(Counter(pairs)))


def labelled(split: str) -> list[Labelled]:
    """The hand-labelled answers of a split: 'dev', 'test', 'hard', or 'outputs_…' for a file of that name."""
    rows = json_lines(JUDGED / (f"{split}.jsonl" if split.startswith("outputs") else "pairs.jsonl"))
    pairs = (row | {"answer": row["reference"], "candidate": row["answer"], "history": ()} for row in rows)
    return TypeAdapter(list[Labelled]).validate_python([each for each in pairs if each.get("split", split) == split])


def validate(split: str = "outputs_second_frozen", judged: Callable[[Labelled], float] | None = None) -> Agreement:
    """How the judge agrees with the labels: (label, verdict). `judged` may be another judge's correctness."""
    rate = judged or (lambda pair: judge_text(pair, pair.candidate)[0])
    return agreement((pair.verdict, LABELS[rate(pair)]) for pair in labelled(split))


def llm_judge(llm: LLM, golden: Golden, answer: Answer) -> float:
    """Ask a model for correctness, by LlamaIndex's evaluator; ModelError without a model, or without a score."""
    if isinstance(llm, OfflineLLM):
        raise ModelError(
            "The keyless model cannot judge answers; set OPENAI_API_KEY or OPENAI_BASE_URL, or use the key facts alone."
        )
    try:
        # LlamaIndex's parser needs a second line, which some models leave out.
        evaluator = CorrectnessEvaluator(llm, parser_function=lambda reply: default_parser(reply.strip() + "\n"))
        result = evaluator.evaluate(query=golden.question, response=answer.text, reference=golden.answer)
    except Exception as error:
        raise explain(error, llm.metadata.model_name, getattr(llm, "api_base", None)) from error
    if result.score is None:
        raise ModelError(f"The model gave no score but said {result.feedback!r}; judge with a more capable model.")
    return 1.0 if result.score >= RIGHT else 0.5 if result.score >= PARTLY else 0.0
