"""The command that keeps a served model's replies: `lessons record`."""

from typing import Annotated

import typer

from lessons.cli.evaluate import Split
from lessons.cli.shared import bars, no_stage, say

commands = typer.Typer()


@commands.command()
def record(
    stage: Annotated[list[str] | None, typer.Option(help="Name of a stage, or all; may be repeated.")] = None,
    split: Split = "dev",
    notebooks: Annotated[bool, typer.Option("--notebooks", help="Run the notebooks instead of questions.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask this many of the questions.")] = None,
    sample_seed: Annotated[int, typer.Option(help="Another seed draws other questions.")] = 0,
) -> None:
    """Keep the replies of the served model, so that LESSONS_RECORDED gives them where no model is served.

    Stopped at any moment, it goes on where it was when the same command is given again.
    """
    from lessons.evaluate.recording import record_notebooks, record_questions
    from lessons.rag.stages import stage_named, stages

    asked = [name for entry in stage or ["all"] for name in entry.split(",") if name]
    if wrong := [name for name in asked if name not in [*stages(), "all"]]:
        raise no_stage(wrong[0], [*stages(), "all"])
    chosen = [stage_named(name) for name in stages() if name in asked or "all" in asked]
    with bars() as watch:
        if notebooks:
            record_notebooks(watch, say)
        else:
            record_questions(chosen, split, limit, sample_seed, watch, say)
