"""The nets of champion and grandmaster, and which of them are for a turn's rules and seats."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.extensions.strength.exact.turn_board import MAX_COLUMNS, board_for
from cantstop_arena.extensions.strength.nets.net_files import Nets, read_nets, shipped_nets
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.hookspecs import compiled


class NetSet(NamedTuple):
    """Nets for some rules and numbers of seats; `all_nets[index]` has `ends[index]`,
    `rolls[index]` and the board `boards[board_indexes[index]]`."""

    all_nets: Sequence[Nets]
    boards: Any
    board_indexes: Any
    ends: Any
    rolls: Any


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


def _net_set(all_nets: Sequence[Nets]) -> NetSet:
    all_rules = [*dict.fromkeys(nets.rules for nets in all_nets)]
    return NetSet(
        all_nets=all_nets,
        boards=_joined([board_for(rules) for rules in all_rules]),
        board_indexes=np.array([all_rules.index(nets.rules) for nets in all_nets]),
        ends=_joined([nets.ends for nets in all_nets]),
        rolls=_joined([nets.rolls for nets in all_nets]),
    )


def _joined(arrays: Sequence[Any]) -> Any:
    joined = np.concatenate(arrays).view(np.recarray)
    joined.flags.writeable = False
    return joined


def net_index_in(net_set: NetSet, *, rolling: bool = False) -> Any:
    """A compiled function of a turn: the index of the nets for its rules and number of seats.

    It returns -1 where there are none. With `rolling`, nets count only if they know the values of
    rolling on.
    """
    seats = np.array(
        [nets.players if nets.know_rolls or not rolling else 0 for nets in net_set.all_nets]
    )
    all_rules = [nets.rules for nets in net_set.all_nets]
    sizes = np.array([(rules.sides, rules.runners, rules.columns_to_win) for rules in all_rules])
    lengths = np.zeros((len(all_rules), MAX_COLUMNS + 2), int)
    for index, rules in enumerate(all_rules):
        lengths[index, : len(rules.lengths)] = rules.lengths
    stops_after_all_runners = np.array([rules.stop == "after-all-runners" for rules in all_rules])

    @compiled(boundscheck=False)
    def net_index(turn):
        rules = turn.rules
        if rules.landing != "share":
            return -1
        stops_late = rules.stop == "after-all-runners"
        for index in range(len(seats)):
            if (
                turn.players == seats[index]
                and rules.sides == sizes[index, 0]
                and rules.runners == sizes[index, 1]
                and rules.columns_to_win == sizes[index, 2]
                and stops_late == stops_after_all_runners[index]
            ):
                is_same = True
                for column in rules.columns:
                    is_same = is_same and rules.lengths[column] == lengths[index, column]
                if is_same:
                    return index
        return -1

    return net_index


@compiled(boundscheck=False)
def place_markers(turn, workspace):
    """Copy the markers of all seats into `workspace.markers`, the player on turn first."""
    for column in turn.rules.columns:
        workspace.markers[0, column - 2] = turn.markers[column]
    for rival in range(len(turn.rivals)):
        for column in turn.rules.columns:
            workspace.markers[rival + 1, column - 2] = turn.rivals[rival][column]


@compiled(boundscheck=False)
def markers_have_moved(turn, workspace):
    """Whether the markers of any seat differ from those in `workspace.markers`."""
    has_moved = False
    for column in turn.rules.columns:
        has_moved = has_moved or workspace.markers[0, column - 2] != turn.markers[column]
    for rival in range(len(turn.rivals)):
        for column in turn.rules.columns:
            space = turn.rivals[rival][column]
            has_moved = has_moved or workspace.markers[rival + 1, column - 2] != space
    return has_moved


@compiled(boundscheck=False)
def place_runners(turn, workspace):
    """Set `workspace.climbs` to the spaces climbed this turn, 0 in columns without a runner."""
    for column in turn.rules.columns:
        climbed = turn.runners[column] - turn.markers[column]
        workspace.climbs[column - 2] = climbed if turn.runners[column] else 0
