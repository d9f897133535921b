"""Judging the judge: answers labelled by hand, how far beyond chance the judge agrees with them, and a second judge.

Report `outputs_second_frozen`: labelled before the judge ran on it by a rater who had not read the judge, which was
tuned on the other half, `outputs_second_dev`, afterwards. `outputs_frozen` and `outputs_dev` are an earlier draw.
`outputs_recorded_…` have two raters (`verdict`, `second`); *other* holds answers to questions of neither half. The
judge's author labelled `dev` and `test`, which flatter it, and `hard`, which is meant to break it. It sees who did what
only where two facts have changed places: it accepts 'opened 18 stores' where 18 were closed, and another entity's
figure unless an English name that the question does not mention gives it away. It rejects free paraphrase, and a change
that must be worked out from two figures.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from llama_index.core.evaluation import CorrectnessEvaluator, FaithfulnessEvaluator
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
REDRAWS = 2_000
_RANK = list(LABELS.values())
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
        drawn = sorted(agreement(random.choices(pairs, k=self.n)).kappa for _ in range(REDRAWS))
        return drawn[int(0.025 * REDRAWS)], drawn[int(0.975 * REDRAWS)]

    def errors(self) -> dict[str, int]:
        """How many verdicts were better than the label, and how many worse."""
        steps = [_RANK.index(verdict) - _RANK.index(label) for label, verdict in Counter(self.confusion).elements()]
        return {"too generous": sum(step > 0 for step in steps), "too strict": sum(step < 0 for step in steps)}


def agreement(pairs: Iterable[tuple[str, str]]) -> Agreement:
    """How two raters agree on the same things (Cohen 1960). ValueError without pairs."""
    ours, theirs = zip(*(pairs := list(pairs)), strict=True)
    n, first, second = len(pairs), Counter(ours), Counter(theirs)
    observed = sum(one == other for one, other in pairs) / n
    chance = sum(first[label] * second[label] for label in first) / n**2
    return Agreement(1.0 if chance == 1 else (observed - chance) / (1 - chance), n, dict(Counter(pairs)))


def labelled(split: str) -> list[Labelled]:
    """The hand-labelled answers of a split: 'dev', 'test', 'hard', or 'outputs_…' for a file of that name."""
    rows = json_lines(JUDGED / (f"{split}.jsonl" if split.startswith("outputs") else "pairs.jsonl"))
    chosen = [row for row in rows if row.get("split", split) == split]
    told = [row | {"answer": row["reference"], "candidate": row["answer"], "history": ()} for row in chosen]
    return TypeAdapter(list[Labelled]).validate_python(told)


def validate(split: str = "outputs_second_frozen", judged: Callable[[Labelled], float] | None = None) -> Agreement:
    """How the judge agrees with the labels: (label, verdict). `judged` may be another judge's correctness."""
    rate = judged or (lambda pair: judge_text(pair, pair.candidate)[0])
    return agreement((pair.verdict, LABELS[rate(pair)]) for pair in labelled(split))


@dataclass(frozen=True)
class Opinion:
    """`correctness` as in a Verdict; `faithful` is None when there was no context; `reason` in the model's words."""

    correctness: float
    faithful: bool | None
    reason: str


def llm_judge(llm: LLM, golden: Golden, answer: Answer) -> Opinion:
    """What a model thinks of an answer, by LlamaIndex's evaluators; ModelError without a model, or without a score."""
    if isinstance(llm, OfflineLLM):
        raise ModelError(
            "The keyless model cannot judge answers; set OPENAI_API_KEY or OPENAI_BASE_URL, or use the key facts alone."
        )
    contexts = [document.content for document in answer.context.documents]
    try:
        # LlamaIndex's parser needs a second line, which some models leave out.
        points = CorrectnessEvaluator(llm, parser_function=lambda said: default_parser(said.strip() + "\n"))
        scored = points.evaluate(query=golden.question, response=answer.text, reference=golden.answer)
        faithful = FaithfulnessEvaluator(llm).evaluate(response=answer.text, contexts=contexts) if contexts else None
    except Exception as error:
        raise explain(error, llm.metadata.model_name, getattr(llm, "api_base", None)) from error
    if scored.score is None:
        raise ModelError(f"The model gave no score but said {scored.feedback!r}; judge with a more capable model.")
    correctness = 1.0 if scored.score >= RIGHT else 0.5 if scored.score >= PARTLY else 0.0
    return Opinion(correctness, faithful.passing if faithful else None, scored.feedback or "")
