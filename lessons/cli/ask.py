"""The command that answers a question: `lessons ask`."""

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lessons.cli.shared import AsJson, User, bars, no_stage, note, print_json, say, waiting

if TYPE_CHECKING:
    from lessons.rag.answer import Answer
    from lessons.rag.stages import AnswerStream

commands = typer.Typer()


@commands.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question, in English or Korean.")],
    stage: Annotated[str, typer.Option(help="Name of a stage, or all.")] = "",
    user: User = "",
    source_file: Annotated[str | None, typer.Option(help="Search this file only.")] = None,
    filter_text: Annotated[str | None, typer.Option("--filter", help="For example: page_number >= 2")] = None,
    session: Annotated[str | None, typer.Option(help="Name of a conversation that goes on.")] = None,
    cache: Annotated[
        bool | None,
        typer.Option("--cache/--no-cache", help="Reuse earlier answers.", show_default="LESSONS_RESPONSE_CACHE"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question with citations, streamed as it comes."""
    from lessons.context.cache import with_cache
    from lessons.library import ensure_corpus
    from lessons.memory.manager import Conversation
    from lessons.memory.messages import message_store
    from lessons.memory.types import NoMemory, Window
    from lessons.rag.stages import stage_named, stages
    from lessons.rag.types import Scope
    from lessons.search.filter_text import parse_filter
    from lessons.workspace import workspace

    names = list(stages())
    if stage and stage not in [*names, "all"]:
        raise no_stage(stage, [*names, "all"])
    named = [stage_named(name) for name in (names if stage == "all" else [stage or names[-1]])]
    chosen = [with_cache(each, cache) for each in named]
    filters = parse_filter(filter_text) if filter_text else None
    place = workspace()
    owner = user or place.settings.user
    with bars(hidden=as_json) as watch:
        ensure_corpus(place, owner, partial(watch, "Loading the shipped documents"))
    memory = Window(message_store().get_or_create(Scope(owner), session)) if session else NoMemory()
    scope: dict[str, Any] = {"user": owner, "filters": filters, "source_file": source_file}
    answers = []
    for each in chosen:
        if len(chosen) > 1 and not as_json:
            typer.echo(f"{each.name}:")
        stream = Conversation(memory).stream(each, question, remember=each is chosen[-1], **scope)
        answers.append(_ask(stream, as_json))
    if as_json:
        print_json([answer.as_dict() for answer in answers])
    elif not any(answer.found for answer in answers) and all(answer.searched for answer in answers):
        known = len(place.store(named[-1].index).documents(Scope(owner)))
        say(f"Asked as {owner} ({known:,} {'document' if known == 1 else 'documents'}). Another owner? --user NAME")


def _ask(stream: "AnswerStream", quiet: bool) -> "Answer":
    from lessons.agent import telling

    with closing(stream), waiting(stream.answer.trace, stream.answer.stage) as answering:
        for event in stream.events():
            if isinstance(event, str):
                answering()
                typer.echo("" if quiet else event, nl=False)
            elif not quiet:
                say(telling(event))
    if not quiet:
        answer = stream.answer
        typer.echo("\n" + "\n".join(f"  {citation}" for citation in answer.citations))
        for warning in answer.warnings:
            note(warning)
        say(f"{answer.stage} · {answer.answered_by} · {answer.trace.ms:.0f} ms")
    return stream.answer
