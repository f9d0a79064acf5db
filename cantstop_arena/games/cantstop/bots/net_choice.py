"""What bots with nets share: which nets they play with, and where these hold."""

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
    """Nets for one rule set: `places[players]` says which are for how many seats, -1 for none.

    `seats` are the numbers of seats that they are for, `rolling_seats` those with nets that know
    what rolling on is worth. `sizes` are sides, runners and columns to win; `must_place_all` is 1
    where stopping has to wait.
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
    """The nets in a file, or those that came with the project where no file is named.

    Raises BotError where the file cannot be used.
    """
    try:
        nets = (read_nets(Path(path)),) if path else shipped_nets()
    except UsageError as error:
        raise BotError(str(error)) from error
    return _net_set(nets)


def nets_note(path: str, rules: RuleSet, players: int, rolling: bool) -> str:
    """What to say where the nets of a file, or those that came with the project, are not for these
    rules and seats; those of `rolling` on are wanted, or not. Empty where they are."""
    try:
        nets = (read_nets(Path(path)),) if path else shipped_nets()
    except UsageError:
        return ""
    if any(item.are_for(rules, players) and (item.know_rolls or not rolling) for item in nets):
        return ""
    seats = f"with {players} seats" if players > 1 else "alone"
    return f"has no nets for these rules {seats}, and plays as tuned"


def _net_set(nets: tuple[Nets, ...]) -> NetSet:
    rules = nets[0].rules
    positions = np.full(MAX_SEATS + 1, -1)
    for index, item in enumerate(nets):
        positions[item.players] = index
    return NetSet(
        boards=board_for(rules),
        ends=np.concatenate([item.ends for item in nets]).view(np.recarray),
        rolls=np.concatenate([item.rolls for item in nets]).view(np.recarray),
        indexes=positions,
        seats=[item.players for item in nets],
        rolling_seats=[item.players for item in nets if item.know_rolls],
        sizes=np.array([rules.sides, rules.runners, rules.columns_to_win]),
        lengths=np.array(rules.lengths),
        stops_after_all_runners=int(rules.stop == "after-all-runners"),
    )


def has_nets_for(net_set: NetSet, seats: Sequence[int]) -> Any:
    """A compiled function of a turn: whether the nets are for its rules and number of seats.

    `seats` are the numbers of seats among those of the shelf that count.
    """
    sizes, lengths, must_position_all = (
        net_set.sizes,
        net_set.lengths,
        net_set.stops_after_all_runners,
    )
    counts = np.isin(np.arange(MAX_SEATS + 1), seats)

    @compiled(boundscheck=False)
    def is_known(turn):
        rules = turn.rules
        if not counts[turn.players] or rules.sides != sizes[0] or rules.runners != sizes[1]:
            return False
        if rules.columns_to_win != sizes[2] or rules.landing != "share":
            return False
        equal = (rules.stop == "after-all-runners") == must_position_all
        for column in rules.columns:
            equal = equal and rules.lengths[column] == lengths[column]
        return equal

    return is_known


@compiled(boundscheck=False)
def place_markers(turn, workspace):
    """Lay the markers of all seats out, from the player on turn; see DESK."""
    for column in turn.rules.columns:
        workspace.markers[0, column - 2] = turn.markers[column]
    for rival in range(len(turn.rivals)):
        for column in turn.rules.columns:
            workspace.markers[rival + 1, column - 2] = turn.rivals[rival][column]


@compiled(boundscheck=False)
def place_runners(turn, workspace):
    """Lay out how far the runners have advanced."""
    for column in turn.rules.columns:
        climbed = turn.runners[column] - turn.markers[column]
        workspace.climbs[column - 2] = climbed if turn.runners[column] else 0
