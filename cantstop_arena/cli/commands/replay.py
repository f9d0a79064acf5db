"""`arena replay`: a game of a tournament, or a recorded game, move by move."""

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cantstop_arena.cli.game_source import STANDARD, GameSource, echo_to_stderr, game_options
from cantstop_arena.views.command_options import file_option

if TYPE_CHECKING:
    from cantstop_arena.game_api.state import Event


@click.command(short_help="Replay a game, move by move.")
@game_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON Lines, one event per line.")
@click.option("--step", is_flag=True, help="Step through the game with keys, on a terminal.")
@click.option("--judge", is_flag=True, help="Rate each decision against the judge's.")
@click.option("--seat", metavar="LETTER", help="Only what this seat sees: A, B, …")
@click.option(
    "--bot", metavar="BOT", help="With --judge: only this bot's decisions, the worst first."
)
@file_option(
    "--html", "Write an HTML page that plays the game to this file; - is the standard output."
)
def replay(
    as_json: bool, step: bool, judge: bool, bot: str | None, html: Path | None, **game: Any
) -> None:
    """Replay one game of the tournament FILE, with the BOTs in seat order.

    FILE is a tournament file or a results folder, and a BOT is a bot of the tournament, or any bot
    that `arena bots` lists. Without a BOT, FILE is a game recorded by `arena play` or
    `arena replay --json`; - is the standard input.

    \b
    arena replay results/league rule28 steady --deal 3
    arena replay results/league --lost steady                    the first game that it lost
    arena replay results/league --lost steady --judge --bot steady    its worst decisions

    The judge uses the table of a solved board, or else the grandmaster's nets.
    """
    from cantstop_arena.cli.terminal.tty import coloured

    source = GameSource(**game, judge=judge)
    if bot is not None:
        if not judge or html is not None or as_json or step:
            raise click.UsageError("--bot needs --judge, and neither --html, --json nor --step.")
        for line in source.worst_decisions(bot, echo_to_stderr()):
            click.echo(line)
        return
    if html is not None:
        if as_json or step:
            raise click.UsageError("--html cannot be combined with --json or --step.")
        _write_page(source, html)
        return
    if step:
        from cantstop_arena.cli.terminal.stepper import step_through

        step_through(source)
        return
    events = source.events(echo_to_stderr())
    for line in map(json.dumps, events) if as_json else _game_lines(events, coloured(), judge):
        click.echo(line, color=True)


def _game_lines(events: "Iterator[Event]", in_colours: bool, judged: bool) -> "Iterator[str]":
    """The lines of the game, while it is played."""
    from cantstop_arena.games.registry import game_named
    from cantstop_arena.views.default_view import view_of

    opening = next(events)
    view = view_of(game_named(opening["game"]))
    header = [view.judge_text(opening), ""] if judged else []
    return chain(header, view.lines(chain([opening], events), in_colours))


def _write_page(source: GameSource, path: Path) -> None:
    from cantstop_arena.atomic_files import write_atomically
    from cantstop_arena.reports.write_page import replay_page

    source.check_target(path)
    page = replay_page(source.events(echo_to_stderr()))
    if path == STANDARD:
        click.echo(page, nl=False)
    else:
        write_atomically(path, page)
        click.echo(f"Written to {path}.")
