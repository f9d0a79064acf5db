"""What a bot's decisions lose on a solved board, in games against perfect play."""

from collections.abc import Sequence

from cantstop_arena.extensions.strength.exact.evaluator import Evaluator
from cantstop_arena.extensions.strength.exact.regret import Judgement, judge
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.table.seated_bot import SeatedBot

DEALS, SEED = 100, 1


def judge_on_board(evaluator: Evaluator, bot: SeatedBot) -> Judgement:
    """Judge a bot's decisions by the values of a solved board, always on the same deals.

    Raises BotError when the bot commits a fault.
    """
    perfect = SeatedBot("perfect play", _perfect(evaluator), "perfect play")
    return judge(evaluator, bot, perfect, range(DEALS), SEED)


def _perfect(evaluator: Evaluator) -> Player:
    """A player that takes the best option by the values of the board."""

    def choose_move(turn: Turn, moves: Sequence[Sequence[int]]) -> int:
        values = evaluator.values(turn, [tuple(move) for move in moves])
        return values.index(max(values))

    def roll_again(turn: Turn) -> bool:
        choice = evaluator.choice(turn)
        return choice.rolling > choice.stopping

    return Player(choose_move, roll_again)
