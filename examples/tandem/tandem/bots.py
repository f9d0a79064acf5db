"""Three players of Tandem: by chance, by a rule, and by what lies on the table."""

from cantstop_arena import Bot, hookimpl
from tandem.game import SEATS, Hand

game = "tandem"


class Anything:
    """Plays any card."""

    def play(self, view: Hand, moves: tuple[int, ...]) -> int:
        return int(view.random() * len(moves))


class Saver:
    """Saves the high cards for the late rounds, in which more is to win."""

    def play(self, view: Hand, moves: tuple[int, ...]) -> int:
        return 0


class Closer:
    """Plays last as low as wins, and gives up what cannot be won; else saves its high cards."""

    def play(self, view: Hand, moves: tuple[int, ...]) -> int:
        if 0 in (view.card_of(distance) for distance in range(1, SEATS)):
            return 0
        needed = view.card_of(1) + view.card_of(3) - view.card_of(2)
        return next((index for index, card in enumerate(moves) if card > needed), 0)


@hookimpl
def register_bots() -> list[Bot]:
    """The players."""
    return [Bot("closer", Closer), Bot("saver", Saver), Bot("anything", Anything)]
