"""The command that answers a question: `lessons ask`."""

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lessons.cli.shared import AsJson, User, bars, chosen_stages, note, print_json, say, waiting
from lessons.language import _
from lessons.tables import counted

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
    from lessons.library import check_fields, ensure_corpus
    from lessons.memory.manager import Conversation
    from lessons.memory.messages import message_store
    from lessons.memory.types import NoMemory, Window
    from lessons.rag.stages import stages
    from lessons.rag.types import Scope
    from lessons.search.filter_text import parse_filter
    from lessons.workspace import workspace

    chosen = chosen_stages([stage or list(stages())[-1]])
    filters = parse_filter(filter_text) if filter_text else None
    place = workspace()
    owner = user or place.settings.user
    with bars(hidden=as_json) as watch:
        ensure_corpus(place, owner, partial(watch, "Loading the shipped documents"))
    if filters:
        check_fields(place, filters, Scope(owner))
    memory = Window(message_store().get_or_create(Scope(owner), session)) if session else NoMemory()
    scope: dict[str, Any] = {"user": owner, "filters": filters, "source_file": source_file}
    answers = []
    for each in chosen:
        if len(chosen) > 1 and not as_json:
            typer.echo(f"{each.name}:")
        remember = each is chosen[-1]
        stream = Conversation(memory).stream(with_cache(each, cache), question, remember=remember, **scope)
        answers.append(_ask(stream, as_json))
    if as_json:
        print_json([answer.as_dict() for answer in answers])
    elif not any(answer.found for answer in answers) and all(answer.searched for answer in answers):
        known = len(place.store(chosen[-1].index).documents(Scope(owner)))
        say(f"Asked as {owner} ({counted(known, 'document')}). Another owner? --user NAME")
    if not all(answer.searched for answer in answers):
        raise typer.Exit(1)


def _ask(stream: "AnswerStream", quiet: bool) -> "Answer":
    from lessons.agent import telling

    answer = stream.answer
    with closing(stream), waiting(answer.trace, answer.stage) as answering:
        for event in stream.events():
            if isinstance(event, str):
                answering()
                typer.echo("" if quiet else event, nl=False)
            elif not quiet:
                say(telling(event))
    if not quiet:
        typer.echo("\n" + "\n".join(f"  {citation}" for citation in answer.citations))
        for warning in answer.warnings:
            note(warning)
        say(f"{answer.stage} · {_(answer.answered_by)} · {answer.trace.ms:.0f} ms")
    return answer
