"""`arena bench`: how fast bots play here."""

from contextlib import closing
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import bots_option, catalogue_for, game_option, isolate_option
from cantstop_arena.cli.terminal.progress_screen import ProgressScreen
from cantstop_arena.views.command_options import TableOutput, format_options, print_plain_tables

if TYPE_CHECKING:
    from cantstop_arena.bots.bot_start import Isolation


def _checked_seconds(context: click.Context, parameter: click.Parameter, seconds: float) -> float:
    """The number of seconds; nan, which click accepts in every range, is refused."""
    if isnan(seconds):
        raise click.BadParameter("nan is not a number of seconds")
    return seconds


@click.command(short_help="Measure the speed of bots in games per second.")
@click.argument("names", nargs=-1, metavar="[BOT]...", shell_complete=shell_complete.bots)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 600),
    callback=_checked_seconds,
    default=1.0,
    show_default=True,
    help="Seconds to play for each bot.",
)
@game_option
@isolate_option
@bots_option
@format_options
def bench(
    names: tuple[str, ...],
    seconds: float,
    game_name: str,
    isolate: "Isolation",
    bots_folder: Path,
    output: TableOutput,
) -> None:
    """Measure how many games per second each BOT plays against itself on one core.

    Without a BOT, all bots are measured.
    """
    from cantstop_arena.bots.known_bot import PRINTED_BACKENDS
    from cantstop_arena.check.compiled_version import compile_hint
    from cantstop_arena.errors import BotError
    from cantstop_arena.tables.column import Column, Table, Value, number
    from cantstop_arena.tournaments.file.bot_references import (
        entrant_from_reference,
        suggesting_game,
    )
    from cantstop_arena.tournaments.speed import measure_isolated

    catalogue = catalogue_for(bots_folder, game_name, isolation=isolate)
    bot_names = names or [bot.name for bot in catalogue.everything()[0]]
    rows, hints = list[list[Value]](), list[str]()
    with closing(ProgressScreen("Measuring speeds", "bots")) as screen:
        screen.on_start(0, len(bot_names))
        for name in bot_names:
            try:
                with suggesting_game(bot_names, catalogue):
                    bot = entrant_from_reference(name, catalogue)
                speed = measure_isolated(catalogue, bot, seconds, screen)
                hints += [f"{name}: {speed.fault}"] if speed.fault else []
                hints += [f"{name}: {hint}"] if (hint := compile_hint(catalogue, bot.bot)) else []
            except BotError as error:
                if names:
                    raise
                screen.on_notice(f"{name}: {error}")
                continue
            finally:
                screen.on_progress(1)
            backend = PRINTED_BACKENDS[speed.backend]
            rows.append([name, backend, speed.games_per_second, speed.nanoseconds])
    paced = catalogue.game.counts.pace.removesuffix("s")
    columns = [
        Column("bot", "bot"),
        Column("backend", "backend"),
        number("games_per_second", "games/s"),
        *([number("nanoseconds", f"ns/{paced}")] if paced else []),
    ]
    table = Table("speeds", "", columns, [row[: len(columns)] for row in rows], hints)
    print_plain_tables([table], output)
