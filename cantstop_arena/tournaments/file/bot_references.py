"""References to bots on the command line: `rule28`, `bots/mine.py`, `patient@previous:risk=2`."""

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cantstop_arena.bots.bot_paths import is_bot_name
from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import BotError, OtherGameError
from cantstop_arena.game_api.bot_options import with_options
from cantstop_arena.texts import listed
from cantstop_arena.tournaments.file.entrants import (
    Entrant,
    command_of,
    find_bot,
    foreign_isolated,
    is_program,
    program_spec,
    usual_name,
)
from cantstop_arena.tournaments.file.yaml_reader import converted_losslessly, plain_value


def entrant_from_reference(reference: str, catalogue: Catalogue) -> Entrant:
    """The entrant of a reference: a name or a path from the working directory, a version, options.

    Options follow a colon, `NAME:OPTION=VALUE,OPTION=VALUE`, and are part of the entrant's name. A
    program in any language is the path of its file, or a command in words. A foreign bot is
    isolated as the catalogue says. Raises BotError.
    """
    if command := command_in(reference, catalogue):
        bot = program_spec(command, catalogue.game.name)
        entrant = Entrant(bot.name, bot, {}, isolate=Isolation.SANDBOX_IF_ANY, command=command)
        return foreign_isolated(entrant, catalogue.isolation)
    base, options = _split(reference)
    values = {key: plain_value(text) for key, text in options.items()}
    return entrant_with(base, values, catalogue, reference)


@contextmanager
def suggesting_game(references: Sequence[object], catalogue: Catalogue) -> Iterator[None]:
    """Add advice to the error about a bot of another game: to play that, if all bots can.

    Else the advice names the bots that cannot. Bots that are no references play any game.
    """
    try:
        yield
    except OtherGameError as error:
        names = [name for name in references if isinstance(name, str)]
        advice = _advice_on_game(error.games[0], names, catalogue)
        raise OtherGameError(f"{error}; {advice}", error.games) from error


def _advice_on_game(game: str, references: Sequence[str], catalogue: Catalogue) -> str:
    others = (other for other in catalogue.of_all_games() if other.game.name == game)
    other = next(others, None)
    if other is None:
        return f"the game {game} is not installed"
    strangers = [name for name in dict.fromkeys(references) if not _is_playable(name, other)]
    if strangers:
        verb = "does" if len(strangers) == 1 else "do"
        return f"{listed(strangers)} {verb} not play {game}"
    return f"choose that game with --game {game}"


def _is_playable(reference: str, catalogue: Catalogue) -> bool:
    """Whether the game of the catalogue has a bot of this reference, whatever its options."""
    try:
        return bool(command_in(reference, catalogue)) or bool(
            find_bot(_split(reference)[0], Path(), catalogue)
        )
    except BotError:
        return False


def command_in(reference: str, catalogue: Catalogue) -> tuple[str, ...]:
    """The command in a reference like `./steps.sh` or `python3 steps.py`; empty if it is a bot's.

    Files are absolute paths. Raises BotError for a command that cannot be started.
    """
    if not is_bot_name(reference) and os.path.isfile(reference):
        return command_of([reference], Path()) if is_program(Path(reference)) else ()
    arguments = _arguments(reference)
    if len(arguments) < 2 or catalogue.has(reference) or catalogue.file_of(reference):
        return ()
    command = command_of(arguments, Path())
    if shutil.which(command[0]):
        return command
    if os.path.isfile(command[0]):
        raise BotError(
            f"{arguments[0]} cannot be executed; make it a program: chmod +x {arguments[0]}"
        )
    return ()


def _arguments(reference: str) -> list[str]:
    """The words of a command line; none if it has unclosed quotes."""
    try:
        return shlex.split(reference)
    except ValueError:
        return []


def entrant_with(
    base: str, options: Mapping[str, Any], catalogue: Catalogue, reference: str = ""
) -> Entrant:
    """The entrant of a name or a path, with options; both are part of its name.

    A foreign bot is isolated as the catalogue says.
    Raises BotError, whose message names the `reference`.
    """
    bot = find_bot(base, Path(), catalogue)
    given = {
        key: converted_losslessly(value, bot.defaults.get(key)) for key, value in options.items()
    }
    if faults := bot.check_options(given):
        raise BotError("; ".join(f"{reference or base}: {message}" for _, message in faults))
    name = with_options(usual_name(base, bot), given)
    entrant = Entrant(name, bot, {**bot.defaults, **given})
    return foreign_isolated(entrant, catalogue.isolation)


def _split(reference: str) -> tuple[str, dict[str, str]]:
    """The part of a reference before the colon, and the options after it. Raises BotError."""
    base, colon, option_text = reference.rpartition(":")
    if not colon or "=" not in option_text:
        return reference, {}
    options: dict[str, str] = {}
    for word in option_text.split(","):
        key, equals, value = word.partition("=")
        if not (key and equals) or key in options:
            raise BotError(f"{reference}: write options as NAME:OPTION=VALUE,OPTION=VALUE")
        options[key] = value
    return base, options


def reference_to(base: str, entrant: Entrant) -> str:
    """The reference to a bot with the options of an entrant; lists are left out."""
    changed = {
        key: value
        for key, value in entrant.options.items()
        if value != entrant.bot.defaults.get(key) and not isinstance(value, (list, tuple))
    }
    return with_options(base, changed)
