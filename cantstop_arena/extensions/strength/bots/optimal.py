"""Perfect play on solved boards."""

from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, hookimpl


def optimal() -> Player:
    """Plays perfectly, on boards that `arena solve` has solved for this number of players.

    Very small boards are solved when they are first played; on others without a table, and with
    more than two players, it cannot decide and loses by a fault.
    """
    from cantstop_arena.extensions.strength.exact.solved_tables import adviser_for
    from cantstop_arena.extensions.strength.exact.tables_folder import tables_folder

    folder = tables_folder()

    def choose_move(turn, moves):
        adviser = adviser_for(turn.rules, turn.players, folder)
        values = adviser.values(turn, moves)
        return values.index(max(values))

    def roll_again(turn):
        choice = adviser_for(turn.rules, turn.players, folder).choice(turn)
        return choice.rolling > choice.stopping

    return Player(choose_move, roll_again)


@hookimpl
def register_bots() -> list[Bot]:
    """The bot that cannot be beaten in the long run."""
    return [Bot("optimal", optimal)]
