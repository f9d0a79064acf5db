"""Three divers."""

from cantstop_arena import Bot, hookimpl
from salvage.game import Bid, Sea

game = "salvage"


class Careful:
    """Bids half of what a wreck is worth, and challenges nobody."""

    def __init__(self, share: float = 0.5) -> None:
        self.share = share

    def bid(self, view: Sea) -> Bid:
        return Bid(min(view.coins[view.seat], int(view.wreck * self.share)))

    def overboard(self, view: Sea, moves: tuple[int, ...]) -> int:
        return moves.index(min(moves))


class Pirate(Careful):
    """Bids little, and challenges whoever has won much."""

    def __init__(self, share: float = 0.3) -> None:
        super().__init__(share)

    def challenge(self, view: Sea) -> bool:
        return view.bid < view.wreck - 1


class Drunk:
    """Does anything."""

    def bid(self, view: Sea) -> Bid:
        return Bid(int(view.random() * (view.coins[view.seat] + 1)))

    def challenge(self, view: Sea) -> bool:
        return view.random() < 0.5

    def overboard(self, view: Sea, moves: tuple[int, ...]) -> int:
        return int(view.random() * len(moves))


@hookimpl
def register_bots() -> list[Bot]:
    """The divers."""
    return [Bot("careful", Careful), Bot("pirate", Pirate), Bot("drunk", Drunk)]
