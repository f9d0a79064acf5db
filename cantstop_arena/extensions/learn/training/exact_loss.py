"""What nets in training lose on a solved board, by its exact values."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from cantstop_arena.errors import BotError
from cantstop_arena.extensions.strength.bots.champion import champion
from cantstop_arena.extensions.strength.bots.grandmaster import grandmaster
from cantstop_arena.extensions.strength.exact.board_judge import judge_on_board
from cantstop_arena.extensions.strength.exact.evaluator import Evaluator
from cantstop_arena.extensions.strength.exact.regret import Judgement
from cantstop_arena.extensions.strength.exact.solved_tables import adviser_for
from cantstop_arena.extensions.strength.exact.tables_folder import tables_folder
from cantstop_arena.extensions.strength.nets.net_files import Nets, as_bytes
from cantstop_arena.game_api.net_files import SUFFIX
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.hookspecs import memory_of
from cantstop_arena.table.seated_bot import GameStart, SeatedBot


def solved_board(rules: RuleSet, players: int) -> Evaluator | None:
    """The exact values of a board that has been solved, or is solved at once; None for others."""
    try:
        return adviser_for(rules, players, tables_folder())
    except BotError:
        return None


def loss_of_nets(nets: Nets, evaluator: Evaluator, looks_ahead: bool) -> Judgement:
    """Judge the decisions of the bot that plays with nets: champion if it `looks_ahead` one roll,
    else grandmaster."""
    make = champion if looks_ahead else grandmaster
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"training{SUFFIX}"
        path.write_bytes(as_bytes(nets))
        player = make(str(path))
    bot = SeatedBot("nets", player, "nets in training", lambda start: _new_game(player, start))
    return judge_on_board(evaluator, bot)


def _new_game(player: Player, start: GameStart) -> Player:
    """The compiled player as plain Python, with the memory of one game."""
    memory = np.zeros(memory_of([player.choose_move, player.roll_again]))

    def choose_move(turn: Turn, moves: Sequence[Sequence[int]]) -> int:
        return player.choose_move(turn._replace(memory=memory), moves)

    def roll_again(turn: Turn) -> bool:
        return player.roll_again(turn._replace(memory=memory))

    return Player(choose_move, roll_again)
