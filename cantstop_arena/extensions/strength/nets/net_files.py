"""The nets in files of `arena train`, and those that come with the project."""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.extensions.strength.exact.turn_board import objection
from cantstop_arena.extensions.strength.nets.net import NET, ROLLING_NET
from cantstop_arena.game_api import net_files
from cantstop_arena.game_api.net_files import SUFFIX, WeightsFile
from cantstop_arena.games.cantstop.rules import PLAYERS, RULES, RuleSet

SHIPPED = tuple(sorted(Path(__file__).with_name("shipped").glob(f"*{SUFFIX}")))
"""The files of nets that come with the project."""


class Nets(msgspec.Struct, frozen=True):
    """Nets for one rule set and number of seats, each a record array of length 1.

    `ends` gives the values of positions in which a turn ends, `rolls` the values of rolling on.
    """

    rules: RuleSet
    players: int
    command: str
    ends: Any
    rolls: Any

    @property
    def know_rolls(self) -> bool:
        """Whether the net of rolling on has been trained."""
        return bool(self.rolls[0].players)

    def are_for(self, rules: RuleSet, players: int) -> bool:
        """Whether the nets were trained for these rules, apart from their name and turn limit, and
        for this number of players."""
        own_rules = self.rules._replace(name=rules.name, turn_limit=rules.turn_limit)
        return (own_rules, self.players) == (rules, players)


def as_bytes(nets: Nets) -> bytes:
    """The content of a file of nets."""
    numbers = nets.ends.tobytes() + nets.rolls.tobytes()
    return net_files.as_bytes(WeightsFile(nets.rules, nets.players, nets.command, numbers), RULES)


def read_nets(path: Path) -> Nets:
    """The nets in a file. Raises UsageError when it cannot be read or is not a file of nets."""
    return net_files.read_nets(path, _nets_in)


def _nets_in(data: bytes) -> Nets:
    file = net_files.net_file_in(data, RULES, NET.itemsize + ROLLING_NET.itemsize)
    if file.players not in PLAYERS or objection(file.rules, file.players):
        raise ValueError("for rules that nets do not support")
    ends = np.frombuffer(file.numbers, NET, 1).view(np.recarray)
    rolls = np.frombuffer(file.numbers, ROLLING_NET, 1, NET.itemsize).view(np.recarray)
    return Nets(file.rules, file.players, file.command, ends, rolls)


@cache
def shipped_nets() -> tuple[Nets, ...]:
    """The nets in the files of `SHIPPED`, in their order."""
    return tuple(_nets_in(file.read_bytes()) for file in SHIPPED)
