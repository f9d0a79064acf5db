"""The evaluator with shipped nets: turns are solved exactly, and nets value the end positions."""

from collections.abc import Mapping
from functools import cache, cached_property

from cantstop_arena.extensions.strength.exact.evaluator import Choice, Evaluator
from cantstop_arena.extensions.strength.exact.three_runner_turn import (
    enter,
    look_up,
    position_value,
    stop_value,
)
from cantstop_arena.extensions.strength.exact.turn_board import board_for
from cantstop_arena.extensions.strength.exact.workspace import new_workspace
from cantstop_arena.extensions.strength.nets.net_files import Nets, shipped_nets
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Turn


class NetEvaluator(Evaluator):
    """An `Evaluator` that solves turns exactly with a net's values of the end positions."""

    def __init__(self, nets: Nets) -> None:
        super().__init__("grandmaster", nets.rules, nets.players)
        self._exact_turn = board_for(nets.rules)[0], nets.ends[0], new_workspace()[0]

    @cached_property
    def value(self) -> float:
        self._enter_start()
        value = float(position_value(*self._exact_turn))
        return 1 - value if self.players == 1 else value

    def warm_up(self) -> None:
        self._enter_start()
        first_step = {self.rules.columns[0]: 1}
        self._value(first_step)
        self._choice(first_step)

    def _enter_start(self) -> None:
        *_, workspace = self._exact_turn
        workspace.markers[:] = 0
        enter(*self._exact_turn)

    def _enter(self, turn: Turn) -> None:
        *_, workspace = self._exact_turn
        columns = len(turn.rules.columns)
        for seat, markers in enumerate((turn.markers, *turn.rivals)):
            workspace.markers[seat, :columns] = markers[2:]
        enter(*self._exact_turn)

    def _value(self, climbs: Mapping[int, int]) -> float:
        self._place_runners(climbs)
        return float(look_up(*self._exact_turn)[0])

    def _choice(self, climbs: Mapping[int, int]) -> Choice:
        self._place_runners(climbs)
        rolling = float(look_up(*self._exact_turn)[1])
        return Choice(rolling, float(stop_value(*self._exact_turn)))

    def _place_runners(self, climbs: Mapping[int, int]) -> None:
        *_, workspace = self._exact_turn
        workspace.climbs[:] = 0
        for column, spaces in climbs.items():
            workspace.climbs[column - 2] = spaces


@cache
def evaluator_for(rules: RuleSet, players: int) -> NetEvaluator | None:
    """The evaluator for these rules and this number of seats; None if no shipped net fits."""
    trained = next((nets for nets in shipped_nets() if nets.are_for(rules, players)), None)
    return NetEvaluator(trained) if trained else None
