"""`arena bots new`: a template for a new bot."""

import json
import shlex
from dataclasses import fields, is_dataclass
from importlib import resources
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import click

from cantstop_arena import bots
from cantstop_arena.cli.options import bots_option, game_option
from cantstop_arena.errors import UsageError
from cantstop_arena.processes.system import short_path

if TYPE_CHECKING:
    from cantstop_arena.game_api.decisions import Decision
    from cantstop_arena.game_api.game import Game


@click.command(short_help="Create a new bot from a template.")
@click.argument("name")
@click.option("--compiled", is_flag=True, help="Create a compiled bot.")
@click.option("--batched", is_flag=True, help="Create a bot that decides for many games at once.")
@game_option
@bots_option
def new(name: str, compiled: bool, batched: bool, game_name: str, bots_folder: Path) -> None:
    """Create the bot NAME from a template: a working bot file with comments."""
    from cantstop_arena.games.registry import game_named

    game = game_named(game_name)
    _check_name(name, game)
    if compiled and batched:
        raise UsageError("a bot is either compiled or batched: leave out one of the options")
    template = _batched_template(game) if batched else _template(game, compiled)
    path = bots_folder / f"{name}.py"
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')  # for a docstring
    write_new(path, template.replace("NAME", escaped))
    click.echo(f"Created the bot {path}. Next steps:\n")
    plain = name.replace("-", "").replace("_", "").isalnum()
    quoted_name = name if plain else json.dumps(name, ensure_ascii=False)
    rivals = ", ".join([quoted_name, *_rivals(game, bots_folder, name)])
    folder = "" if bots_folder == Path("bots") else f" --bots {shlex.quote(str(bots_folder))}"
    for line in (
        f"arena bots check {shlex.quote(str(path))}",
        f"arena bench {shlex.quote(name)}{folder}",
        f"a tournament file, say mine.yaml, with {_file_keys(game)}bots: [{rivals}]",
        f"arena run mine.yaml{folder}",
    ):
        click.echo(f"  {line}")


def _check_name(name: str, game: "Game") -> None:
    from cantstop_arena.bots.known_bot import A_NAME, MAX_NAME_LENGTH, is_printed_well
    from cantstop_arena.bots.loader import is_built_in

    if not is_printed_well(name):
        raise UsageError(f"invalid bot name {name!r:.{MAX_NAME_LENGTH}}: it {A_NAME}")
    if name[0] in "._" or Path(name).name != name:
        rule = "the file of a bot has no / in its name, and does not begin with _ or a dot"
        raise UsageError(f"invalid bot name {name!r}: {rule}")
    if is_built_in(name, game):
        raise UsageError(f"the name {name} is taken by a built-in bot; choose another")


def _file_keys(game: "Game") -> str:
    """The keys of a tournament file that come before its bots."""
    from cantstop_arena.games.registry import DEFAULT

    if game.name == DEFAULT:
        return "the line  "
    seats = "" if 2 in game.players else f", players: {game.players[0]}"
    return f"the lines  game: {game.name}{seats}  and  "


def _rivals(game: "Game", bots_folder: Path, name: str) -> list[str]:
    """Opponents for the new bot: two, or more when the game needs more seats."""
    from cantstop_arena.bots.catalogue import Catalogue

    if game.usual_bots:
        return [*game.usual_bots[:1], *game.usual_bots[-1:]]
    descriptions = Catalogue(bots_folder, game).everything()[0]
    return [bot.name for bot in descriptions if bot.name != name][: max(2, game.players[0] - 1)]


def _template(game: "Game", compiled: bool) -> str:
    template = game.bot_template(compiled)
    if template is not None:
        return template
    if compiled:
        raise UsageError(f"bots that play {game.title} cannot be compiled")
    head = f'"""NAME: plays {game.title}."""\n\nfrom cantstop_arena import hookimpl\n'
    decisions = game.decisions.values()
    imports = "".join(dict.fromkeys(_import(decision.answer) for decision in decisions))
    functions = map(_function, decisions)
    return "\n\n".join([f'{head}{imports}\ngame = "{game.name}"\n', *functions])


def _batched_template(game: "Game") -> str:
    """The template of a bot with `decide(batch)`. Raises UsageError if the game has no batches."""
    from cantstop_arena.game_api.batches import encoding_or_error

    encoding = encoding_or_error(game, game.rules.default, max(2, game.players[0]))
    text = resources.files(bots).joinpath("templates", "batched.py.txt").read_text("utf-8")
    sizes = {"GAME": game.name, "NUMBERS": str(encoding.size), "ACTIONS": str(encoding.actions)}
    for word, value in sizes.items():
        text = text.replace(word, value)
    return text


def _function(decision: "Decision") -> str:
    """The source of a decision's function, for a game without a template of its own."""
    answer = "0" if decision.has_moves else _smallest_answer(decision.answer)
    body = f"return {answer}" if answer else 'raise NotImplementedError("what do you answer?")'
    parameters = ", ".join(decision.parameters)
    docstring = f'"""{decision.summary}"""'
    return f"@hookimpl\ndef {decision.name}({parameters}):\n    {docstring}\n    {body}\n"


_MIN = {int: "0", bool: "False", float: "0.0", str: '""', NoneType: "None"}


def _smallest_answer(kind: Any) -> str | None:
    """The source of a minimal value of an answer's type; None for an unknown type."""
    if NoneType in get_args(kind):
        return "None"
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        parts = [_smallest_answer(hints[field.name]) for field in fields(kind)]
        return f"{kind.__name__}({', '.join(map(str, parts))})" if all(parts) else None
    return "()" if get_origin(kind) is tuple else _MIN.get(kind)


def _import(kind: Any) -> str:
    """The line that imports an answer's class; empty when the template does not use a class."""
    if is_dataclass(kind) and isinstance(kind, type) and _smallest_answer(kind):
        return f"from {kind.__module__} import {kind.__name__}\n"
    return ""


def write_new(path: Path, text: str) -> None:
    """Write a new file. Raises UsageError when it exists or cannot be written."""
    from cantstop_arena.atomic_files import check_output_folder

    check_output_folder(path.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{short_path(str(path))} exists already; it was not changed") from None
