"""The game that `arena replay` and `arena draw` show: of a tournament, its results, or a record."""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cantstop_arena.bots.bot_paths import RESULTS
from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import bots_option, seed_option
from cantstop_arena.errors import UsageError

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.game_api.state import Event
    from cantstop_arena.tournaments.tournament import Tournament
    from cantstop_arena.views.default_view import GameView

LAST_DEAL = 2**63 - 1  # the largest deal number that the engine can represent
STANDARD = Path("-")

_OPTIONS = (
    click.argument("file", type=click.Path(path_type=Path)),
    click.argument("bots", nargs=-1, metavar="[BOT]...", shell_complete=shell_complete.bots),
    click.option(
        "--deal", type=click.IntRange(0, LAST_DEAL), help="Deal number, from 0. Default: 0."
    ),
    click.option("--lost", metavar="BOT", help="The first game of the results that BOT lost."),
    seed_option("Default: the seed of the file or of its results."),
    bots_option,
)


class GameSource(NamedTuple):
    """The user's arguments that select a game."""

    file: Path
    bots: Sequence[str]
    deal: int | None
    seed: "Seed | None"
    bots_folder: Path
    lost: str | None = None
    judge: bool = False
    seat: str | None = None  # a letter: only what this seat sees

    def check_target(self, path: Path) -> None:
        """Raise UsageError for a path that cannot be written, or that of the game's own file."""
        from cantstop_arena.atomic_files import check_output_file

        if not path.name:
            raise UsageError("the path of the output file is empty; give it a name")
        if path != STANDARD and path.exists() and self.file.exists() and path.samefile(self.file):
            raise UsageError(f"{path} is the file of the game itself; write to another file")
        if path != STANDARD:
            check_output_file(path)

    def events(self, complain: Callable[[str], None]) -> Iterator["Event"]:
        """The events of the game; `complain` is called with a message for each fault of a bot."""
        of_tournament = self.bots or self.lost or self.file.is_dir()
        events = self._played(complain) if of_tournament else self._recorded()
        events = _judged(events) if self.judge else events
        return events if self.seat is None else _visible_to(self.seat, events)

    def _played(self, complain: Callable[[str], None]) -> Iterator["Event"]:
        from cantstop_arena.bots.catalogue import Catalogue
        from cantstop_arena.tournaments.replay_game import replay_game

        results = self.file.parent if self.file.is_dir() else RESULTS
        catalogue = Catalogue(self.bots_folder, results=results)
        tournament = self._tournament(catalogue)
        bots, deal = self._game_of(tournament, complain)
        return replay_game(tournament, catalogue, bots, deal, complain)

    def _game_of(
        self, tournament: "Tournament", complain: Callable[[str], None]
    ) -> "tuple[Sequence[str], int]":
        """The bots in seat order and the deal, with a message where the user left them open."""
        names = [entrant.name for entrant in tournament.entrants]
        if self.lost is not None:
            seated, deal = self._first_lost(names, self._folder(tournament))
            complain(f"Deal {deal}: {', '.join(seated)}.")
            return seated, deal
        if not self.bots:
            raise click.UsageError(
                f"Missing argument 'BOT...': name {tournament.lineup_size} of"
                f" {', '.join(names[:20])}, or --lost BOT."
            )
        if self.deal is None:
            complain(f"Deal 0; --deal chooses another, 0 to {tournament.deals - 1:,}.")
        elif self.deal >= tournament.deals:
            complain(
                f"Deal {self.deal} is not one of the tournament, 0 to {tournament.deals - 1:,}:"
                " it is played now, from the same seed."
            )
        return self.bots, self.deal or 0

    def _folder(self, tournament: "Tournament") -> Path:
        return self.file if self.file.is_dir() else RESULTS / tournament.name

    def _first_lost(self, names: Sequence[str], folder: Path) -> tuple[list[str], int]:
        """The bots by seat and the deal of the first game that a bot lost, of those requested."""
        from cantstop_arena.export.ledger_games import ledger_games
        from cantstop_arena.tournaments.file.yaml_reader import unknown_word

        assert self.lost is not None
        if self.deal is not None:
            raise click.UsageError("--lost cannot be combined with --deal.")
        requested = dict.fromkeys([self.lost, *self.bots])
        for name in requested:
            if name not in names:
                raise UsageError(unknown_word("bot", name, names))
        ledger = ledger_games(folder, [*requested])
        loser = ledger.names.index(self.lost)
        for game in ledger.games():
            if game.bots.index(loser) not in game.sharing:
                return [ledger.names[bot] for bot in game.bots], game.deal
        with_whom = f" with {', '.join(self.bots)}" if self.bots else ""
        raise UsageError(f"{self.lost} lost no game{with_whom} in {folder}")

    def _tournament(self, catalogue: "Catalogue") -> "Tournament":
        """The tournament of the file; its seed is that of the results when the file has none."""
        if self.file.is_dir():
            from cantstop_arena.tournaments.stored_tournament import load_tournament

            if self.seed is not None:
                raise UsageError(f"{self.file} has results with a seed of their own; drop --seed")
            return load_tournament(self.file, catalogue)
        return self._tournament_in_file(catalogue)

    def _tournament_in_file(self, catalogue: "Catalogue") -> "Tournament":
        from msgspec.structs import replace

        from cantstop_arena.tournaments.file import tournament_file
        from cantstop_arena.tournaments.ledger.ledger import LEDGER
        from cantstop_arena.tournaments.ledger.read_ledger import read_ledger
        from cantstop_arena.tournaments.tournament import RESOLVED, Overrides

        tournament = tournament_file.read(self.file, catalogue, Overrides(seed=self.seed))
        if not tournament.has_random_seed:
            return tournament
        folder = RESULTS / tournament.name
        if not (folder / LEDGER).is_file():
            raise UsageError(
                f"{self.file} names no seed, and {folder} has no results with the random seed that"
                f" was used. Give the {RESOLVED} of a results folder, or a --seed"
            )
        return replace(tournament, seed=read_ledger(folder, lambda totals: totals.seed))

    def view_and_events(self, complain: Callable[[str], None]) -> "tuple[GameView, list[Event]]":
        """The view of the game and all its events. Raises ArenaError."""
        from cantstop_arena.games.registry import game_named
        from cantstop_arena.views.default_view import view_of

        events = list(self.events(complain))
        return view_of(game_named(events[0]["game"])), events

    def worst_decisions(self, bot: str, complain: Callable[[str], None]) -> Iterator[str]:
        """The verdicts on a bot's decisions as lines, the worst first. Raises UsageError."""
        view, events = self._replace(judge=False).view_and_events(complain)
        seats = events[0]["seats"]
        if bot not in seats:
            raise UsageError(f"--bot: {bot} did not play this game; {' and '.join(seats)} did")
        return view.worst_decisions(events, seats.index(bot))

    def _recorded(self) -> Iterator["Event"]:
        from cantstop_arena.views.default_view import read_record

        if self.deal is not None or self.seed is not None:
            raise click.UsageError("Missing argument 'BOT...': the bots that play this deal.")
        name = "standard input" if self.file == STANDARD else str(self.file)
        return read_record(_lines(self.file, name), name)


def _visible_to(letter: str, events: Iterator["Event"]) -> Iterator["Event"]:
    """The events that a seat sees. Raises UsageError when the game has no such seat."""
    from cantstop_arena.game_api.state import event_of
    from cantstop_arena.views.default_view import SEAT_NAMES

    opening = next(events)
    seats = SEAT_NAMES[: len(opening["seats"])]
    if letter.upper() not in seats or len(letter) != 1:
        raise UsageError(f"--seat must be one of {', '.join(seats)}, not {letter!r:.40}")
    visible = (event_of(seats.index(letter.upper()), event) for event in events)
    return chain([opening], (event for event in visible if event is not None))


def _judged(events: Iterator["Event"]) -> Iterator["Event"]:
    """The events with verdicts on the decisions."""
    from cantstop_arena.games.registry import game_named
    from cantstop_arena.views.default_view import view_of

    opening = next(events)
    return view_of(game_named(opening["game"])).judged(chain([opening], events))


def game_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the arguments and options that select a game to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def echo_to_stderr() -> Callable[[str], None]:
    """A function that prints to the standard error."""
    return partial(click.echo, err=True)


def _lines(file: Path, name: str) -> list[str]:
    try:
        data = sys.stdin.buffer.read() if file == STANDARD else file.read_bytes()
        return data.decode().splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"{name}: this file is not UTF-8 text") from None
    except OSError as error:
        raise UsageError(f"{name}: this file cannot be read: {error.strerror}") from error
