"""The values of decisions by the nets that come with the project.

Turns are solved exactly; nets give the values of their ends.
"""

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
    """Chances to win of the player on turn; alone minus the turns that follow this one."""

    def __init__(self, nets: Nets) -> None:
        self._nets = nets
        self._board = board_for(nets.rules)[0]
        self._net = nets.ends[0]
        self._workspace = new_workspace()[0]

    @property
    def name(self) -> str:
        """Whose judgement it is."""
        return "grandmaster"

    @property
    def rules(self) -> RuleSet:
        """The rules that the net was trained for."""
        return self._nets.rules

    @property
    def players(self) -> int:
        """The number of seats that it was trained for."""
        return self._nets.players

    @cached_property
    def value(self) -> float:
        """The chance to win of whoever begins; alone the turns that a game takes."""
        self._begin()
        gain = float(position_value(self._board, self._net, self._workspace))
        return 1 - gain if self.players == 1 else gain

    def warm_up(self) -> None:
        """Look up the first step in the first column."""
        self._begin()
        self._workspace.climbs[:] = 0
        self._workspace.climbs[0] = 1
        look_up(self._board, self._net, self._workspace)
        stop_value(self._board, self._net, self._workspace)

    def values(self, turn: Turn, moves: Sequence[Move]) -> list[float]:
        """What each legal move is worth, with the best play after it."""
        self._fill_workspace(turn)
        return [self._value_after(turn, move) for move in moves]

    def choice(self, turn: Turn) -> Choice:
        """What both answers are worth where stopping is allowed and would not win."""
        self._fill_workspace(turn)
        self._position_runners(turn)
        rolling = float(look_up(self._board, self._net, self._workspace)[1])
        return Choice(rolling, float(stop_value(self._board, self._net, self._workspace)))

    def _begin(self) -> None:
        self._workspace.markers[:] = 0
        enter(self._board, self._net, self._workspace)

    def _fill_workspace(self, turn: Turn) -> None:
        columns = len(turn.rules.columns)
        for seat, markers in enumerate((turn.markers, *turn.rivals)):
            self._workspace.markers[seat, :columns] = markers[2:]
        enter(self._board, self._net, self._workspace)

    def _position_runners(self, turn: Turn) -> None:
        self._workspace.climbs[:] = 0
        for column in turn.placed:
            self._workspace.climbs[column - 2] = turn.runners[column] - turn.markers[column]

    def _value_after(self, turn: Turn, move: Move) -> float:
        self._position_runners(turn)
        for column in move:
            self._workspace.climbs[column - 2] += 1
        return float(look_up(self._board, self._net, self._workspace)[0])


@cache
def evaluator_for(rules: RuleSet, players: int) -> NetEvaluator | None:
    """Who can judge under these rules with so many seats; None where no net was trained."""
    existing_nets = next((nets for nets in shipped_nets() if nets.are_for(rules, players)), None)
    return NetEvaluator(existing_nets) if existing_nets else None
