"""Files of nets: the rules they were trained for, the command of the training, and the weights."""

import hashlib
import json
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import asdict

from cantstop_arena.errors import RulesError, UsageError
from cantstop_arena.game_api.bot_options import MAX_QUOTE_LENGTH
from cantstop_arena.games.cantstop.exact.turn_board import objection
from cantstop_arena.games.cantstop.nets.net import NET, ROLLING_NET
from cantstop_arena.games.cantstop.rules import PLAYERS, RULES, RuleSet

SUFFIX = ".nets"
SHIPPED = tuple(sorted(Path(__file__).with_name("shipped").glob(f"*{SUFFIX}")))
"""The files of nets that come with the project."""
_FORMAT = 1
_MAX_LENGTH = 1 << 20  # bytes


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


class _NetsHead(msgspec.Struct, frozen=True):
    """The line of JSON with which a file of nets begins."""

    format: int
    rules: Mapping[str, Any]
    players: int
    command: str
    sha256: str


def as_bytes(nets: Nets) -> bytes:
    """The content of a file: a line of JSON, then the compressed weights."""
    packed = zlib.compress(nets.ends.tobytes() + nets.rolls.tobytes(), 9)
    rules, digest = RULES.as_dict(nets.rules), hashlib.sha256(packed).hexdigest()
    head = _NetsHead(_FORMAT, rules, nets.players, nets.command, digest)
    return json.dumps(asdict(head)).encode() + b"\n" + packed


def read_nets(path: Path) -> Nets:
    """The nets in a file. Raises UsageError when it cannot be read or is not a file of nets."""
    try:
        with path.open("rb") as file:
            return _nets_in(file.read(_MAX_LENGTH))
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"nets {str(path)!r:.{MAX_QUOTE_LENGTH}} cannot be read: {reason}"
        ) from error
    except (ValueError, KeyError, TypeError, zlib.error, RulesError) as error:
        raise UsageError(
            f"nets {str(path)!r:.{MAX_QUOTE_LENGTH}} cannot be used: not a file of arena train, or"
            " it is damaged. Train them again, or copy the file again."
        ) from error


def _nets_in(data: bytes) -> Nets:
    line, _, packed = data.partition(b"\n")
    head = msgspec.json.decode(line, type=_NetsHead)
    if head.format != _FORMAT or hashlib.sha256(packed).hexdigest() != head.sha256:
        raise ValueError("damaged")
    rules, players = RULES.from_dict(head.rules), head.players
    if players not in PLAYERS or objection(rules, players):
        raise ValueError("for rules that nets do not support")
    numbers = zlib.decompressobj().decompress(packed, NET.itemsize + ROLLING_NET.itemsize)
    ends = np.frombuffer(numbers, NET, 1).view(np.recarray)
    rolls = np.frombuffer(numbers, ROLLING_NET, 1, NET.itemsize).view(np.recarray)
    return Nets(rules, players, head.command, ends, rolls)


@cache
def shipped_nets() -> tuple[Nets, ...]:
    """The nets that come with the project, fewest seats first."""
    nets_of_files = (_nets_in(file.read_bytes()) for file in SHIPPED)
    return tuple(sorted(nets_of_files, key=lambda nets: nets.players))
