"""The commands that measure: `lessons evaluate`, `gate`, `gates` and `record`."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import rich
import typer

from lessons.cli.shared import AsJson, User, bars, chosen_stages, note, print_json, say, stopping
from lessons.errors import LessonsError
from lessons.language import _

if TYPE_CHECKING:
    from lessons.context.wrapper import Answering
    from lessons.rag.pipeline import Stage

commands = typer.Typer()
StageNames = Annotated[list[str] | None, typer.Option("--stage", help="Name of a stage, or all; may be repeated.")]
Wrapper = Annotated[
    Literal["compression", "refine", "manager", "intent"] | None,
    typer.Option(help="Ask each stage again with this around it."),
]
Split = Annotated[Literal["dev", "test"], typer.Option(help="dev is for tuning, test for reporting.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Ask this many of the questions.")]
SampleSeed = Annotated[int, typer.Option(help="Another seed draws other questions.")]
Questions = Annotated[
    Path | None, typer.Option(help="Your own questions, asked on your own documents: CSV, JSON or one a line.")
]


@commands.command()
def evaluate(
    stage: StageNames = None,
    more: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    wrapper: Wrapper = None,
    split: Split | None = None,
    data: Annotated[Path | None, typer.Option(help="A folder in BEIR layout instead of the golden set.")] = None,
    questions: Annotated[
        str, typer.Option(help="golden, multihop or bilingual; or a file of your own questions, for your documents.")
    ] = "golden",
    user: User = "",
    limit: Limit = None,
    sample_seed: SampleSeed = 0,
    csv: Annotated[Path | None, typer.Option(help="Write every answer to this file, too.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure stages on questions with known answers, and say what each gains over the one before."""
    from lessons.evaluate import gates, golden, question_sets, run, runs
    from lessons.rag.workspace import workspace
    from lessons.settings import settings

    file = None if questions in golden.SETS else Path(questions)
    if file and not (file.suffix or file.exists()):
        text = f"there is no question set {questions!r}; choose from {', '.join(golden.SETS)}, or name a file"
        raise typer.BadParameter(text, param_hint="--questions")
    if data and questions != "golden":
        raise typer.BadParameter("these questions are asked on other documents; leave it out", param_hint="--data")
    stages = with_wrapper(chosen_stages([*(stage or []), *(more or [])]), wrapper)
    owner, ignored = user or settings().user, list[str]()
    own_questions = question_sets.read_question_file(file, owner, ignored.append) if file else []
    for line in ignored:
        note(line)
    name = "golden" if file else questions
    with stopping() as stop:
        with bars() as watch:
            progress = stop(watch)
            measured = run.evaluate(
                stages, split, data, limit, sample_seed, progress, None, own_questions, tell=say, questions=name
            )
        result = replace(measured, notes=(*ignored, *measured.notes))
        number = runs.save(result, workspace().engine, owner if own_questions else None)
        if as_json:
            print_json(result.as_dict())
            for line in measured.notes:
                note(line)
        else:
            rich.print(gates.report(result), "\n" + _(f"Stored as run {number}."))
        if csv:
            runs.export_csv(result, csv)


@commands.command()
def gate(
    baseline: Annotated[Path, typer.Argument(help="The run to compare with, a file that --update writes.")],
    stage: Annotated[str, typer.Option(help="Name of the stage that is asked.")] = "smart",
    questions: Questions = None,
    user: User = "",
    margin: Annotated[
        float | None, typer.Option(min=0, help="Fail, too, unless a loss larger than this is excluded.")
    ] = None,
    update: Annotated[bool, typer.Option("--update", help="Write this run as the new baseline.")] = False,
) -> None:
    """Ask a stage your questions, and fail if it is worse than a baseline: a check for your own repository.

    Exit code 0: no loss is shown. 1: a loss is shown, or --margin is not kept. 2: nothing was compared.
    """
    from lessons.evaluate import choose, question_sets, run, runs
    from lessons.settings import settings

    answering = chosen_stage(stage)
    try:
        if update:
            _check_writable(baseline)
        previous = None if update else runs.read_run(baseline)
        owner = user or settings().user
        own_questions = question_sets.read_question_file(questions, owner, note) if questions else []
        with bars() as watch:
            today = run.evaluate([answering], watch=watch, own_questions=own_questions, tell=say)
        result = choose.against_baseline(previous, today, margin) if previous else None
        if result is None:
            runs.ship(today, baseline)
    except LessonsError as error:
        say(_("Nothing was compared: {error}", error=_(str(error))), "red")
        raise typer.Exit(2) from error
    for line in (*(choose.changed_settings(previous, today) if previous else ()), *today.notes):
        note(line)
    typer.echo(result or _(f"{baseline.name} is the new baseline: {stage}, {len(today.records)} questions."))
    if result and result.failed:
        raise typer.Exit(1)


@commands.command()
def gates(
    output: Annotated[Path, typer.Option(help="Write the report to this file.")] = Path("gates-report.md"),
    limit: Limit = None,
    yes: Annotated[bool, typer.Option("--yes", help="Ask a model that costs money without asking you first.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an earlier report.")] = False,
) -> None:
    """Measure every stage on the test questions with your model, and write a report on its gates to share."""
    from lessons.evaluate import gates, run, runs
    from lessons.rag.workspace import workspace
    from lessons.stages import stages

    if output.exists() and not force:
        raise LessonsError(f"{output} is there already; add --force to overwrite it, or name another file.")
    _check_writable(output)
    _confirm_cost([*stages()], limit, yes)
    reports = list[Any]()
    with stopping() as stop:
        for name in gates.MEASURED:
            with bars() as watch:
                progress = stop(watch)
                measured = run.evaluate(
                    [*stages().values()], gates.SPLIT, None, limit, watch=progress, tell=say, questions=name
                )
            reports.append(measured)
            say(f"Stored as run {runs.save(measured, workspace().engine)}.")
            output.write_text(gates.as_markdown(reports), encoding="utf-8")
    typer.echo(_(f"The report is in {output}."))


def _check_writable(file: Path) -> None:
    if not os.access(file.resolve().parent, os.W_OK):
        raise LessonsError(f"The folder of {file} is missing or closed; choose another file.")


def _confirm_cost(stages: Sequence[str], limit: int | None, yes: bool) -> None:
    """Say what the gates are expected to cost, and go on if that is nothing or the reader agrees."""
    from lessons.evaluate.gates import estimate
    from lessons.evaluate.run import is_served
    from lessons.models.llm import describe
    from lessons.rag.workspace import workspace

    llm, (answers, tokens, cost) = workspace().llm, estimate(stages, limit)
    if not is_served(llm):
        say(f"This measures the {describe(llm)}: {answers:,} answers, free of charge.", "")
        return
    say(
        f"{describe(llm)} will give {answers:,} answers. An estimate of what that takes: {tokens:,} tokens, "
        f"US$ {cost:.2f} at the prices of the settings.",
        "",
    )
    if not yes and not sys.stdin.isatty():
        raise LessonsError("Nothing was asked, because nobody can agree to that here; add --yes.")
    try:
        if not yes and not typer.confirm(_("Go on?"), err=True):
            raise typer.Exit(1)
    except typer.Abort as error:
        raise typer.Exit(1) from error


@commands.command()
def record(
    stage: StageNames = None,
    wrapper: Wrapper = None,
    split: Split = "dev",
    limit: Limit = None,
    sample_seed: SampleSeed = 0,
    check: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Check instead that this model's record is whole and current.")
    ] = None,
) -> None:
    """Keep the replies of the served model, so that LESSONS_RECORDED gives them where no model is served.

    Stopped at any moment, it goes on where it was when the same command is given again.
    """
    from lessons.doctor import check_record
    from lessons.evaluate.recording import record_questions
    from lessons.settings import settings

    if check:
        typer.echo(_(check_record(check, settings())))
        return
    stages = with_wrapper(chosen_stages(stage or []), wrapper)
    with bars() as watch:
        record_questions(stages, split, limit, sample_seed, watch, say)


def chosen_stage(name: str) -> "Stage":
    """Return the stage with this name; BadParameter for a name that is none, and for several."""
    first, *further = chosen_stages([name])
    if further:
        raise typer.BadParameter("name one stage", param_hint="--stage")
    return first


def with_wrapper(stages: "Sequence[Stage]", wrapper: Wrapper) -> "list[Answering]":
    """Return each stage, and after it the same with the wrapper around it, if one is named."""
    if not wrapper:
        return [*stages]
    from lessons.context.active import WRAPPERS

    return [
        variant for stage in stages for variant in (stage, WRAPPERS[wrapper](stage).but(f"{stage.name} + {wrapper}"))
    ]
