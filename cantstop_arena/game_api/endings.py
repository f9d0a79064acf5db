"""How a game ended, as bots are told of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GameOver:
    """The end of a game, for the bot in one `seat`.

    `winners` are seats, none where nobody won; `points` are by seat, if the game has any.
    """

    seat: int
    players: int
    winners: tuple[int, ...]
    points: tuple[int, ...] = ()

    @property
    def share(self) -> float:
        """The bot's share of the win: 1 for the only winner, 0 for a loser."""
        if not self.winners:
            return 1 / self.players
        return 1 / len(self.winners) if self.seat in self.winners else 0.0
