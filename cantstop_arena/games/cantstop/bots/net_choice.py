"""The nets of champion and grandmaster: which they play with, and for which rules and seats."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.games.cantstop.engine.game_array import MAX_SEATS
from cantstop_arena.games.cantstop.exact.turn_board import board_for
from cantstop_arena.games.cantstop.nets.net_files import Nets, read_nets, shipped_nets
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.hookspecs import compiled


class NetSet(NamedTuple):
    """Nets for one rule set: `indexes[players]` is the index of those for these seats, -1 if none.

    `seats` are the numbers of seats with nets, `rolling_seats` those with nets for rolling on, too.
    `sizes` are sides, runners and columns to win; `stops_after_all_runners` is 1 if stopping is
    legal only when all runners are placed, else 0.
    """

    boards: Any
    ends: Any
    rolls: Any
    indexes: Any
    seats: Sequence[int]
    rolling_seats: Sequence[int]
    sizes: Any
    lengths: Any
    stops_after_all_runners: int


def net_set_of(path: str) -> NetSet:
    """The nets in a file, or those that come with the project if `path` is empty.

    Raises BotError when the file cannot be used.
    """
    try:
        all_nets = (read_nets(Path(path)),) if path else shipped_nets()
    except UsageError as error:
        raise BotError(str(error)) from error
    return _net_set(all_nets)


def nets_note(path: str, rules: RuleSet, players: int, rolling: bool) -> str:
    """The note that a bot has no nets for these rules and seats; empty if it has.

    The nets are those of `net_set_of(path)`. With `rolling`, nets for rolling on are needed too.
    """
    try:
        all_nets = (read_nets(Path(path)),) if path else shipped_nets()
    except UsageError:
        return ""
    if any(nets.are_for(rules, players) and (nets.know_rolls or not rolling) for nets in all_nets):
        return ""
    seats = f"with {players} seats" if players > 1 else "alone"
    return f"has no nets for these rules {seats}, and plays as tuned"


def _net_set(all_nets: tuple[Nets, ...]) -> NetSet:
    rules = all_nets[0].rules
    indexes = np.full(MAX_SEATS + 1, -1)
    for index, nets in enumerate(all_nets):
        indexes[nets.players] = index
    return NetSet(
        boards=board_for(rules),
        ends=np.concatenate([nets.ends for nets in all_nets]).view(np.recarray),
        rolls=np.concatenate([nets.rolls for nets in all_nets]).view(np.recarray),
        indexes=indexes,
        seats=[nets.players for nets in all_nets],
        rolling_seats=[nets.players for nets in all_nets if nets.know_rolls],
        sizes=np.array([rules.sides, rules.runners, rules.columns_to_win]),
        lengths=np.array(rules.lengths),
        stops_after_all_runners=int(rules.stop == "after-all-runners"),
    )


def has_nets_for(net_set: NetSet, seats: Sequence[int]) -> Any:
    """A compiled function of a turn: whether the nets are for its rules and number of seats.

    `seats` are those of the set's numbers of seats that count as having nets.
    """
    sizes, lengths, stops_after_all_runners = (
        net_set.sizes,
        net_set.lengths,
        net_set.stops_after_all_runners,
    )
    has_seats = np.isin(np.arange(MAX_SEATS + 1), seats)

    @compiled(boundscheck=False)
    def has_nets(turn):
        rules = turn.rules
        if not has_seats[turn.players] or rules.sides != sizes[0] or rules.runners != sizes[1]:
            return False
        if rules.columns_to_win != sizes[2] or rules.landing != "share":
            return False
        is_same = (rules.stop == "after-all-runners") == stops_after_all_runners
        for column in rules.columns:
            is_same = is_same and rules.lengths[column] == lengths[column]
        return is_same

    return has_nets


@compiled(boundscheck=False)
def place_markers(turn, workspace):
    """Copy the markers of all seats into `workspace.markers`, the player on turn first."""
    for column in turn.rules.columns:
        workspace.markers[0, column - 2] = turn.markers[column]
    for rival in range(len(turn.rivals)):
        for column in turn.rules.columns:
            workspace.markers[rival + 1, column - 2] = turn.rivals[rival][column]


@compiled(boundscheck=False)
def place_runners(turn, workspace):
    """Set `workspace.climbs` to the spaces climbed this turn, 0 in columns without a runner."""
    for column in turn.rules.columns:
        climbed = turn.runners[column] - turn.markers[column]
        workspace.climbs[column - 2] = climbed if turn.runners[column] else 0
