"""A report of the gates to share: what `lessons gates` is expected to cost, and the Markdown that it writes."""

from collections.abc import Iterable, Iterator, Sequence

from lessons.evaluate.compare import RULE, Gain
from lessons.evaluate.evaluation import WITH_EVIDENCE, Evaluation, cells, mean
from lessons.evaluate.gates import gate_report
from lessons.evaluate.golden import SETS, golden_questions, sample
from lessons.evaluate.report import HEADLINE
from lessons.evaluate.run import known
from lessons.evaluate.runs import SHIPPED, read_run
from lessons.language import _
from lessons.models.llm import price
from lessons.settings import settings
from lessons.tables import markdown_table, plain_line

# On the first the gates are judged, on the second the gains in `ACROSS`. A question of the second takes more tokens:
# as many times those of one of the first, counted with the keyless model.
MEASURED = {"golden": 1.0, "multihop": 1.3}
SPLIT = "test"
ACROSS = "all@10"
REFERENCE = SHIPPED / "keyless-test.jsonl.gz"  # a run of every stage on all questions, with tokens counted as charged


def estimate(stages: Sequence[str], limit: int | None = None) -> tuple[int, int, float]:
    """Answers, tokens and US dollars that the stages take on the sets `MEASURED`, by the means of a shipped run."""
    run, answers, tokens, cost = read_run(REFERENCE), 0, 0.0, 0.0
    for name, weight in MEASURED.items():
        asked = sample(golden_questions(SPLIT, SETS[name]), limit)
        for stage, count in (dict.fromkeys(stages, len(asked)) | {WITH_EVIDENCE: len(known(asked))}).items():
            answers += count
            tokens += weight * count * mean(run.of(stage), "tokens")
            cost += weight * count * mean(run.of(stage), "cost")
    per_in, per_out = (run.settings[f"price_per_million_{kind}_tokens"] for kind in ("input", "output"))
    written = (1_000_000 * cost - per_in * tokens) / (per_out - per_in)
    return answers, round(tokens), price(tokens - written, written)


def as_markdown(runs: Sequence[Evaluation]) -> str:
    """The report of runs on the sets `MEASURED`, or on the first of them alone, in the language of the reader."""
    return "\n\n".join(_paragraphs(*runs)) + "\n"


def _paragraphs(golden: Evaluation, *others: Evaluation) -> Iterator[str]:
    runs = (golden, *others)
    yield f"# {_('Gates of the stages')}"
    about = {_("Model"): golden.settings["answers"], _("Embedding"): golden.settings["embedding"]}
    about |= {_("Date"): f"{golden.at:%Y-%m-%d}"}
    about |= {f"{run.data}, {run.split}": _(f"{run.questions} questions") for run in runs}
    yield _list(f"{name}: {_(str(value))}" for name, value in about.items())
    yield f"## {_(f'Gates on {golden.data}, {golden.split}')}"
    head = _("promise"), _("measured"), _("status"), _("what confirms or refutes it")
    gates = gate_report(golden)
    yield markdown_table(head, [[_(g.promise), _(g.number), _(g.status), _(g.decided_by)] for g in gates])
    yield plain_line(_(f"A gate of fewer than {settings().gate_questions} questions is measured, not judged."))
    for run in runs:
        yield f"## {_(f'Means on {run.data}, {run.split}, with 95 % intervals')}"
        columns, metrics = run.columns(), (*HEADLINE, "groundedness")
        rows = [[_(run.label(metric)), *cells(columns, metric)] for metric in metrics]
        yield markdown_table(["", *map(_, columns)], rows)
    for run in others:
        yield f"## {_(f'Gains on {run.data}, {run.split}: {ACROSS}')}"
        yield plain_line(
            _("The share of the questions for which all passages of the evidence are among the first ten.")
        )
        names = "", _("means"), _("difference"), "p", _("questions moved"), _("verdict")
        yield markdown_table(names, [_gain(gain) for gain in run.gains([ACROSS]) if gain.n])
        yield plain_line(_(RULE))
    yield f"## {_('Notes')}"
    yield _list(map(_, dict.fromkeys(remark for run in runs for remark in run.remarks)))


def _gain(gain: Gain) -> list[str]:
    means, moved = f"{gain.mean_before:.3f} → {gain.mean_after:.3f}", f"{gain.moved} / {gain.n}"
    return [f"{gain.before} → {gain.after}", means, gain.with_interval, f"{gain.p:.3f}", moved, gain.outcome]


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {plain_line(line)}" for line in lines)
