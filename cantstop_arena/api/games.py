"""Single games of a tournament: who won, and, played again, what happened."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from cantstop_arena.errors import ArenaError
from cantstop_arena.export.ledger_games import LedgerGame, LedgerGames, ledger_games
from cantstop_arena.game_api.game import Event
from cantstop_arena.games.registry import game_called
from cantstop_arena.views.game_view import view_of

Replay = Callable[[Sequence[str], int], Sequence[Event]]
"""Plays a game of bots, in seat order, in a deal again; no events where it comes to no end."""


@dataclass(frozen=True)
class PlayedGame:
    """A game that was played; `seats` are the bots in seat order, `winners` those that won.

    All of them are winners where nobody won.
    """

    deal: int
    seats: tuple[str, ...]
    winners: tuple[str, ...]
    replay: Replay

    @property
    def winner(self) -> str | None:
        """The bot that won, if it is one alone."""
        return self.winners[0] if len(self.winners) == 1 else None

    @cached_property
    def events(self) -> Sequence[Event]:
        """What happened, as in a recorded game. Raises ArenaError where it cannot be found."""
        if events := self.replay(self.seats, self.deal):
            return events
        seated = ", ".join(self.seats)
        raise ArenaError(f"deal {self.deal} of {seated} comes to no end when it is played again")

    @property
    def text(self) -> str:
        """The game, told move by move."""
        opening, *others = self.events
        view = view_of(game_called(opening["game"]))
        return "\n".join(view.tell(chain([opening], others), False)) + "\n"

    def show(self) -> None:
        """Print what happened."""
        print(self.text, end="")

    def __repr__(self) -> str:
        won = f"won by {' and '.join(self.winners)}"
        return f"<deal {self.deal}: {', '.join(self.seats)}; {won}>"


def played_games(
    folder: Path, replay: Replay, bots: Sequence[str] | None = None
) -> Iterator[PlayedGame]:
    """The games in a folder's ledger, those of some bots if they are named."""
    found = ledger_games(folder, bots)
    return (_game(found, game, replay) for game in found.games())


def _game(found: LedgerGames, game: LedgerGame, replay: Replay) -> PlayedGame:
    seats = tuple(found.names[bot] for bot in game.bots)
    return PlayedGame(game.deal, seats, tuple(seats[seat] for seat in game.winners), replay)
