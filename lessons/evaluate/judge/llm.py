"""A language model as a second judge, through LlamaIndex's evaluators, to be compared with the deterministic one."""

from collections.abc import Iterable
from dataclasses import dataclass

from llama_index.core.evaluation import CorrectnessEvaluator, EvaluationResult, FaithfulnessEvaluator
from llama_index.core.evaluation.eval_utils import default_parser
from llama_index.core.llms import LLM

from lessons.errors import ModelError
from lessons.evaluate.judge.agreement import LABELS, Agreement, agreement
from lessons.evaluate.judge.judge import Verdict
from lessons.evaluate.judge.question import Question
from lessons.models.offline.llm import OfflineLLM
from lessons.models.server import explain
from lessons.rag.answer import Answer

RIGHT, PARTLY = 4.0, 3.0  # of 5 points: LlamaIndex's own threshold, and its 'relevant but contains mistakes'


@dataclass(frozen=True)
class Opinion:
    """`correctness` as in a Verdict; `faithful` is None when there was no context; `reason` in the model's words."""

    correctness: float
    faithful: bool | None
    reason: str


def llm_judge(llm: LLM, golden: Question, answer: Answer) -> Opinion:
    """What the model thinks of an answer; one or two calls, and more for contexts that do not fit into one.

    ModelError without a generative model, when it cannot be reached, and when it gives no score.
    """
    if isinstance(llm, OfflineLLM):
        raise ModelError(
            "The keyless model cannot judge answers; set OPENAI_API_KEY or OPENAI_BASE_URL, or use the key facts alone."
        )
    contexts = [document.content for document in answer.context.documents]
    try:
        scored = CorrectnessEvaluator(llm, parser_function=_points).evaluate(
            query=golden.question, response=answer.text, reference=golden.answer
        )
        faithful = FaithfulnessEvaluator(llm).evaluate(response=answer.text, contexts=contexts) if contexts else None
    except Exception as error:
        raise explain(error, llm.metadata.model_name, getattr(llm, "api_base", None)) from error
    return Opinion(_correctness(scored), faithful.passing if faithful else None, scored.feedback or "")


def judges_agreement(judged: Iterable[tuple[Verdict, Opinion]]) -> Agreement:
    """How the deterministic judge and the model agree on correctness, over answers that the former can judge."""
    pairs = ((verdict.correctness, opinion.correctness) for verdict, opinion in judged)
    return agreement((LABELS[one], LABELS[other]) for one, other in pairs if one in LABELS)


def _points(said: str) -> tuple[float | None, str | None]:
    """LlamaIndex's parser needs a second line, which some models leave out."""
    return default_parser(said.strip() + "\n")


def _correctness(scored: EvaluationResult) -> float:
    if scored.score is None:
        raise ModelError(f"The model gave no score but said {scored.feedback!r}; judge with a more capable model.")
    return 1.0 if scored.score >= RIGHT else 0.5 if scored.score >= PARTLY else 0.0
