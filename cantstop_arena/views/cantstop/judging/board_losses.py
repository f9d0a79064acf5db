"""What the decisions of the built-in bots lose on a solved board, by its exact values."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.exact.regret import Judgement, judge
from cantstop_arena.games.cantstop.exact.solved_tables import SolvedEvaluator
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference
from cantstop_arena.tournaments.table_spec import entrant_start
from cantstop_arena.tournaments.tournament import FaultPolicy
from cantstop_arena.views.cantstop.judging.judge_plan import PERFECT

DEALS, SEED = 100, 1


def losses_on_board(evaluator: SolvedEvaluator) -> dict[str, Judgement]:
    """The judgements of the built-in bots in games against perfect play, the best first.

    Bots that cannot play under these rules are left out, and so is perfect play itself.
    """
    folder = Path("bots")
    catalogue, loader = Catalogue(folder), Loader(folder)
    perfect = SeatedBot("perfect play", _perfect(evaluator), "perfect play")
    judgements: dict[str, Judgement] = {}
    for name in GAME.bots:
        if name == PERFECT:
            continue
        entrant = entrant_from_reference(name, catalogue)
        with suppress(BotError):
            bot = seat_bot(entrant_start(entrant, catalogue, FaultPolicy()), loader, as_plain=True)
            judgements[name] = judge(evaluator, bot, perfect, range(DEALS), SEED)
    return dict(sorted(judgements.items(), key=lambda item: item[1].lost().mean))


def _perfect(evaluator: SolvedEvaluator) -> Player:
    """A player that takes the best option by the values of the board."""

    def choose_move(turn: Turn, moves: Sequence[Sequence[int]]) -> int:
        values = evaluator.values(turn, [tuple(move) for move in moves])
        return values.index(max(values))

    def roll_again(turn: Turn) -> bool:
        choice = evaluator.choice(turn)
        return choice.rolling > choice.stopping

    return Player(choose_move, roll_again)
