"""`arena games new`: the package of a new game."""

import shlex
from pathlib import Path

import click

from cantstop_arena.cli.commands.bots_new import write_new
from cantstop_arena.errors import UsageError


@click.command(short_help="Create the package of a new game.")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=Path(),
    help="Folder of the package (default: this one).",
)
def new(name: str, folder: Path) -> None:
    """Create a package for the game NAME: a complete small game, with bots and tests.

    Change it into your own game; docs/how-to/new-game.md describes how.
    """
    from cantstop_arena.check.new_game import package_files

    files = {folder / path: text for path, text in package_files(name).items()}
    if existing := [str(path) for path in files if path.exists()]:
        raise UsageError(f"{existing[0]} exists already; nothing was written")
    for path, text in files.items():
        write_new(path, text)
    click.echo(f"Created the game {name}: {', '.join(map(str, files))}. Next steps:\n")
    here = "" if folder == Path() else f"cd {shlex.quote(str(folder))}\n  "
    for line in (
        f'{here}pip install -e ".[test]"',
        f"arena games check {name}",
        f"arena run {name}.yaml",
        "pytest",
    ):
        click.echo(f"  {line}")
