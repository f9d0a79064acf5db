"""Three players of Kuhn poker."""

from cantstop_arena import Bot, hookimpl
from kuhn_poker.game import Hand

game = "kuhn-poker"


class Balanced:
    """An equilibrium (Kuhn, 1950): bluffs with the lowest card, in a third of all cases."""

    def bet(self, view: Hand) -> bool:
        highest, lowest = view.card == view.rules.cards, view.card == 1
        faces_bet = bool(view.actions) and view.actions[-1]
        if highest:
            return bool(view.actions)
        if lowest:
            return len(view.actions) == 1 and not faces_bet and view.random() < 1 / 3
        return faces_bet and view.random() < 1 / 3


class Honest:
    """Bets with the highest card only."""

    def bet(self, view: Hand) -> bool:
        return view.card == view.rules.cards


class Caller:
    """Bets and calls always."""

    def bet(self, view: Hand) -> bool:
        return True


@hookimpl
def register_bots() -> list[Bot]:
    """The players."""
    return [Bot("balanced", Balanced), Bot("honest", Honest), Bot("caller", Caller)]
