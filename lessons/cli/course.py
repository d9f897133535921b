"""The commands of the course: `lessons learn`, `lessons progress`."""

from typing import Annotated

import typer

commands = typer.Typer()


@commands.command()
def learn(
    port: Annotated[int, typer.Option(help="Port of the address; the next free one if it is taken.")] = 8888,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
    solutions: Annotated[
        bool, typer.Option("--with-solutions/--without-solutions", help="The notebooks as a class gets them.")
    ] = True,
) -> None:
    """Open the notebooks in JupyterLab, at the first one. It listens on this machine only."""
    from lessons.course.learn import learn as open_notebooks

    open_notebooks(solutions, port, browser)


@commands.command()
def progress(notebook: Annotated[str | None, typer.Argument(help="Number of a notebook, such as 04.")] = None) -> None:
    """Show which exercises of the notebooks are done."""
    from lessons.exercises import progress as done

    typer.echo(str(done(notebook)))
