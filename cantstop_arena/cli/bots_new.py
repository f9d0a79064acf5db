"""`arena bots new`: a file to start a bot from."""

import re
from importlib import resources
from pathlib import Path

import click

from cantstop_arena.cli.playing import bots_option
from cantstop_arena.errors import ArenaError, UsageError

_LONGEST = 60


@click.command()
@click.argument("name")
@click.option("--compiled", is_flag=True, help="For the compiled lane.")
@bots_option
def new(name: str, compiled: bool, bots_folder: Path) -> None:
    """Write a bot called NAME to start from: a file that plays, with comments."""
    _check_name(name)
    path = bots_folder / f"{name}.py"
    _write(path, _template(compiled).replace("NAME", name))
    click.echo(f"{path} is a bot now. What to do next:\n")
    folder = "" if bots_folder == Path("bots") else f" --bots {bots_folder}"
    for line in (
        f"arena bots check {path}",
        f"arena bench {name}{folder}",
        f"a tournament file, say mine.yaml, with the line  bots: [{name}, rule28, cautious]",
        f"arena run mine.yaml{folder}",
    ):
        click.echo(f"  {line}")


def _check_name(name: str) -> None:
    from cantstop_arena.plugins import is_built_in

    if len(name) > _LONGEST or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
        told = "letters, digits, - and _, the first a letter or a digit"
        raise UsageError(f"{name!r:.{_LONGEST}} is no name for a bot; it may have {told}")
    if is_built_in(name):
        raise UsageError(f"the name {name} is taken by a built-in bot")


def _template(compiled: bool) -> str:
    file = "compiled.py.txt" if compiled else "plain.py.txt"
    return resources.files(__package__).joinpath("templates", file).read_text("utf-8")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise ArenaError(f"{path} is there already; it is left as it is") from None
