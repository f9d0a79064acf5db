"""The evaluator with shipped nets: turns are solved exactly, and nets value the end positions."""

from collections.abc import Sequence
from functools import cache, cached_property

from cantstop_arena.games.cantstop.exact.evaluator import Choice
from cantstop_arena.games.cantstop.exact.three_runner_turn import (
    enter,
    look_up,
    position_value,
    stop_value,
)
from cantstop_arena.games.cantstop.exact.turn_board import board_for
from cantstop_arena.games.cantstop.exact.workspace import new_workspace
from cantstop_arena.games.cantstop.nets.net_files import Nets, shipped_nets
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Move, Turn


class NetEvaluator:
    """An `Evaluator` that solves turns exactly with a net's values of the end positions.

    Values are the probability that the player on turn wins; with one player, minus the number of
    turns after this one.
    """

    def __init__(self, nets: Nets) -> None:
        self._nets = nets
        self._board = board_for(nets.rules)[0]
        self._net = nets.ends[0]
        self._workspace = new_workspace()[0]

    @property
    def name(self) -> str:
        """The name of the bot that plays by these values."""
        return "grandmaster"

    @property
    def rules(self) -> RuleSet:
        """The rules that the net was trained for."""
        return self._nets.rules

    @property
    def players(self) -> int:
        """The number of seats that the net was trained for."""
        return self._nets.players

    @cached_property
    def value(self) -> float:
        """The first player's probability of winning; with one player, the turns of a game."""
        self._enter_start()
        value = float(position_value(self._board, self._net, self._workspace))
        return 1 - value if self.players == 1 else value

    def warm_up(self) -> None:
        """Compile or load the solver: look up the first step in the first column."""
        self._enter_start()
        self._workspace.climbs[:] = 0
        self._workspace.climbs[0] = 1
        look_up(self._board, self._net, self._workspace)
        stop_value(self._board, self._net, self._workspace)

    def values(self, turn: Turn, moves: Sequence[Move]) -> list[float]:
        """The value of each legal move, with the best play after it."""
        self._enter_turn(turn)
        return [self._value_after(turn, move) for move in moves]

    def choice(self, turn: Turn) -> Choice:
        """The values of both answers, if stopping is legal and does not win."""
        self._enter_turn(turn)
        self._copy_runners(turn)
        rolling = float(look_up(self._board, self._net, self._workspace)[1])
        return Choice(rolling, float(stop_value(self._board, self._net, self._workspace)))

    def _enter_start(self) -> None:
        self._workspace.markers[:] = 0
        enter(self._board, self._net, self._workspace)

    def _enter_turn(self, turn: Turn) -> None:
        columns = len(turn.rules.columns)
        for seat, markers in enumerate((turn.markers, *turn.rivals)):
            self._workspace.markers[seat, :columns] = markers[2:]
        enter(self._board, self._net, self._workspace)

    def _copy_runners(self, turn: Turn) -> None:
        self._workspace.climbs[:] = 0
        for column in turn.placed:
            self._workspace.climbs[column - 2] = turn.runners[column] - turn.markers[column]

    def _value_after(self, turn: Turn, move: Move) -> float:
        self._copy_runners(turn)
        for column in move:
            self._workspace.climbs[column - 2] += 1
        return float(look_up(self._board, self._net, self._workspace)[0])


@cache
def evaluator_for(rules: RuleSet, players: int) -> NetEvaluator | None:
    """The evaluator for these rules and this number of seats; None if no shipped net fits."""
    trained = next((nets for nets in shipped_nets() if nets.are_for(rules, players)), None)
    return NetEvaluator(trained) if trained else None
