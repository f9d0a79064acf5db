"""The nets in files of `arena train --game cubus`, and those that come with the project."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.cubus.nets.net_records import CUBUS_NET
from cantstop_arena.extensions.cubus.rules import PLAYERS, RULES, RuleSet
from cantstop_arena.game_api import net_files
from cantstop_arena.game_api.net_files import SUFFIX, WeightsFile

SHIPPED = tuple(sorted(Path(__file__).with_name("shipped").glob(f"*{SUFFIX}")))
"""The files of nets that come with the project."""


class CubusNet(msgspec.Struct, frozen=True):
    """A net for one rule set and number of seats: a record of CUBUS_NET."""

    rules: RuleSet
    players: int
    command: str
    net: Any


def as_bytes(net: CubusNet) -> bytes:
    """The content of a file of a net."""
    file = WeightsFile(net.rules, net.players, net.command, net.net.tobytes())
    return net_files.as_bytes(file, RULES)


def read_net(path: Path) -> CubusNet:
    """The net in a file. Raises UsageError when it cannot be read or is not a file of a net."""
    return net_files.read_nets(path, _net_in)


def _net_in(data: bytes) -> CubusNet:
    file = net_files.net_file_in(data, RULES, CUBUS_NET.itemsize)
    net = np.frombuffer(file.numbers, CUBUS_NET, 1).view(np.recarray)[0]
    if file.players not in PLAYERS or net.players != file.players:
        raise ValueError("for another number of seats")
    return CubusNet(file.rules, file.players, file.command, net)


@cache
def shipped_nets() -> Mapping[int, CubusNet]:
    """The nets that come with the project, by number of seats."""
    nets = (_net_in(file.read_bytes()) for file in SHIPPED)
    return {net.players: net for net in nets}


def nets_with(path: Path | None) -> Mapping[int, CubusNet]:
    """The nets that come with the project by number of seats, one replaced by that of a file.

    Raises UsageError as `read_net` does.
    """
    if path is None:
        return shipped_nets()
    net = read_net(path)
    return {**shipped_nets(), net.players: net}


def net_note(path: str, rules: RuleSet, players: int) -> str:
    """The note that champion's net was trained for other rules, or its file for other seats.

    Empty if there is nothing to say.
    """
    try:
        net = nets_with(Path(path) if path else None)[players]
        file = read_net(Path(path)) if path else net
    except UsageError:
        return ""
    if file.players != players:
        return f"has a net for {file.players} seats in that file, and plays with the usual one"
    if net.rules._replace(name=rules.name, wrong_knock=rules.wrong_knock) != rules:
        return f"plays with a net that was trained for the rules {net.rules.name}"
    return ""
