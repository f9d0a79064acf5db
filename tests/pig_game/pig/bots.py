"""Two pigs."""

from cantstop_arena import Bot, hookimpl
from pig.game import PigView

game = "pig"


class HoldAt:
    """Rolls until a turn has enough points."""

    def __init__(self, enough: int = 20) -> None:
        self.enough = enough

    def roll(self, view: PigView) -> bool:
        return view.turn_points < self.enough


class Coin:
    """Tosses a coin."""

    def roll(self, view: PigView) -> bool:
        return view.random() < 0.5


@hookimpl
def register_bots() -> list[Bot]:
    """The pigs."""
    return [Bot("hold-at", HoldAt), Bot("coin", Coin)]
