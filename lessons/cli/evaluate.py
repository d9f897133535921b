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
from lessons.errors import LessonsError, ModelError
from lessons.language import _

if TYPE_CHECKING:
    from lessons.evaluate.evaluation import Evaluation

commands = typer.Typer()
StageNames = Annotated[list[str] | None, typer.Option("--stage", help="Name of a stage, or all; may be repeated.")]
Split = Annotated[Literal["dev", "test"], typer.Option(help="dev is for tuning, test for reporting.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Ask this many of the questions.")]
Questions = Annotated[
    Path | None, typer.Option(help="Your own questions, asked on your own documents: CSV, JSON or one a line.")
]


@commands.command()
def evaluate(
    stage: StageNames = None,
    more: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    split: Split | None = None,
    data: Annotated[Path | None, typer.Option(help="A folder in BEIR layout instead of the golden set.")] = None,
    questions: Annotated[
        str, typer.Option(help="golden, multihop or bilingual; or a file of your own questions, for your documents.")
    ] = "golden",
    user: User = "",
    limit: Limit = None,
    sample_seed: Annotated[int, typer.Option(help="Another seed draws other questions.")] = 0,
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
    stages = chosen_stages([*(stage or []), *(more or [])])
    owner, ignored = user or settings().user, list[str]()
    own_questions = question_sets.read_question_file(file, owner, ignored.append) if file else []
    for line in ignored:
        note(line)
    name = "golden" if file else questions
    with bars() as bar, stopping(bar) as watch:
        measured = run.evaluate(
            stages, split, data, limit, sample_seed, watch, own_questions=own_questions, tell=say, questions=name
        )
    result = replace(measured, notes=(*ignored, *measured.notes))
    number = runs.save(result, workspace().engine, owner if own_questions else None)
    if as_json:
        print_json(result.as_dict())
        for line in measured.notes:
            note(line)
    else:
        rich.print(gates.report(result), "\n" + _(f"Stored as run {number}."))
    _end_if_stopped(result)


@commands.command()
def scoreboard(
    sets: Annotated[list[str] | None, typer.Argument(help="Sets to fetch and measure.", show_default="none")] = None,
    stage: StageNames = None,
    output: Annotated[Path | None, typer.Option(help="Add the results to this JSON file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure stages on public sets that anybody can check, and show them beside published results.

    Without a set, show what was measured before. A set is downloaded once, to the data folder.
    """
    from lessons.evaluate import gates, public

    declared, results = public.public_sets(), public.read_results()
    if wrong := [name for name in sets or [] if name not in declared]:
        text = f"there is no public set {wrong[0]!r}; choose from {', '.join(declared)}"
        raise typer.BadParameter(text, param_hint="SETS")
    if output:
        _check_writable(output)
    stages, console = chosen_stages(stage or []), rich.console.Console(stderr=as_json)
    for name in sets or []:
        with bars() as bar, stopping(bar) as watch:
            run = public.measure(name, stages, watch, say)
        console.print(gates.report(run))
        _end_if_stopped(run)
        results[name] = public.as_result(run)
        if output:
            public.write_results(output, {name: results[name]})
    shown = {name: results.get(name) for name in sets or declared}
    if as_json:
        print_json({name: {"measured": shown[name], "published": declared[name].published} for name in shown})
    else:
        rich.print(*(gates.in_terminal(public.board(name, results)) for name in shown))


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

    answering, *further = chosen_stages([stage])
    if further:
        raise typer.BadParameter("name one stage", param_hint="--stage")
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
    for name in gates.MEASURED:
        with bars() as bar, stopping(bar) as watch:
            measured = run.evaluate(
                [*stages().values()], gates.SPLIT, limit=limit, watch=watch, tell=say, questions=name
            )
        reports.append(measured)
        say(f"Stored as run {runs.save(measured, workspace().engine)}.")
        output.write_text(gates.as_markdown(reports), encoding="utf-8")
        _end_if_stopped(measured)
    typer.echo(_(f"The report is in {output}."))


def _end_if_stopped(run: "Evaluation") -> None:
    if run.is_stopped:
        raise KeyboardInterrupt


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
    split: Split = "dev",
    limit: Limit = None,
    check: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Check instead that this model's record is whole and current.")
    ] = None,
) -> None:
    """Keep the replies of the served model, so that LESSONS_RECORDED gives them where no model is served.

    Stopped at any moment, it goes on where it was when the same command is given again.
    """
    from lessons.doctor import check_record
    from lessons.evaluate import gates, run
    from lessons.models.llm import language_model
    from lessons.models.recorded import record_path, recorded_so_far, recording_to
    from lessons.models.served import probe
    from lessons.rag.workspace import Workspace
    from lessons.settings import settings
    from lessons.stages import stages

    current = settings()
    if check:
        typer.echo(_(check_record(check, current)))
        return
    chosen = chosen_stages(stage or [])
    if not current.is_served:
        raise ModelError(
            "No model is served that could be recorded; set OPENAI_BASE_URL or OPENAI_API_KEY, and LESSONS_LLM_MODEL."
        )
    llm: Any = language_model(current.model_copy(update={"recording": False}))
    probe(llm)
    path = record_path(llm.model, current.recorded_dir)
    answers, tokens, cost = gates.estimate(
        [each.name for each in chosen if each.name in stages()], limit, {"golden": 1}, split
    )
    with bars() as watch, recording_to(path, llm.model, llm.metadata.context_window):
        say(f"{llm.model}: {len(recorded_so_far(path)):,} replies are on record and are not asked again.")
        say(
            f"An estimate of what {answers:,} answers take: {tokens:,} tokens, US$ {cost:.2f} at the prices of the "
            "settings. What is on record already costs nothing; Ctrl-C stops it, and nothing is lost."
        )
        try:
            workspace = Workspace.open(current.model_copy(update={"recording": True}))
            run.evaluate(chosen, split, limit=limit, watch=watch, workspace=workspace, tell=say)
        finally:
            say(f"{len(recorded_so_far(path)):,} replies are on record in {path.name}.")
