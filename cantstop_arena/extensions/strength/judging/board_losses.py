"""What the decisions of the built-in bots lose on a solved board, by its exact values."""

from contextlib import suppress
from pathlib import Path

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.errors import BotError
from cantstop_arena.extensions.strength.exact.board_judge import judge_on_board
from cantstop_arena.extensions.strength.exact.regret import Judgement
from cantstop_arena.extensions.strength.exact.solved_tables import SolvedEvaluator
from cantstop_arena.extensions.strength.judging.judge_plan import PERFECT
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference
from cantstop_arena.tournaments.table_spec import entrant_start
from cantstop_arena.tournaments.tournament import FaultPolicy


def losses_on_board(evaluator: SolvedEvaluator) -> dict[str, Judgement]:
    """The judgements of the built-in bots in games against perfect play, the best first.

    Bots that cannot play under these rules are left out, and so is perfect play itself.
    """
    folder = Path("bots")
    catalogue, loader = Catalogue(folder), Loader(folder)
    judgements: dict[str, Judgement] = {}
    for name in GAME.bots:
        if name == PERFECT:
            continue
        entrant = entrant_from_reference(name, catalogue)
        with suppress(BotError):
            bot = seat_bot(entrant_start(entrant, catalogue, FaultPolicy()), loader, as_plain=True)
            judgements[name] = judge_on_board(evaluator, bot)
    return dict(sorted(judgements.items(), key=lambda item: item[1].lost().mean))
