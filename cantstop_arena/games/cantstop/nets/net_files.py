"""Files of nets: what they were trained for, the command that made them, and their numbers."""

import hashlib
import json
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.errors import RulesError, UsageError
from cantstop_arena.game_api.bot_options import MAX_QUOTE_LENGTH
from cantstop_arena.games.cantstop.exact.turn_board import objection
from cantstop_arena.games.cantstop.nets.net import NET, ROLLING_NET
from cantstop_arena.games.cantstop.rules import PLAYERS, RuleSet

SUFFIX = ".nets"
SHIPPED = tuple(sorted(Path(__file__).with_name("shipped").glob(f"*{SUFFIX}")))
"""The files that came with the project."""
_FORMAT = 1
_MAX_LENGTH = 1 << 20  # bytes


class Nets(msgspec.Struct, frozen=True):
    """Nets for one rule set and number of seats, each a record array of length 1.

    `ends` knows what positions are worth in which a turn ends, `rolls` what rolling on is worth.
    """

    rules: RuleSet
    players: int
    command: str
    ends: Any
    rolls: Any

    @property
    def know_rolls(self) -> bool:
        """Whether it was trained what rolling on is worth."""
        return bool(self.rolls[0].players)

    def are_for(self, rules: RuleSet, players: int) -> bool:
        """Whether they hold for rules that are played like theirs: neither the name nor the limit
        of turns counts."""
        rival = self.rules._replace(name=rules.name, turn_limit=rules.turn_limit)
        return (rival, self.players) == (rules, players)


def as_bytes(nets: Nets) -> bytes:
    """The file: a line that says what it is, then the numbers, packed."""
    packed = zlib.compress(nets.ends.tobytes() + nets.rolls.tobytes(), 9)
    head = {
        "format": _FORMAT,
        "rules": nets.rules.as_dict(),
        "players": nets.players,
        "command": nets.command,
        "sha256": hashlib.sha256(packed).hexdigest(),
    }
    return json.dumps(head).encode() + b"\n" + packed


def read_nets(path: Path) -> Nets:
    """The nets of a file. Raises UsageError where it cannot be read, or is none."""
    try:
        with path.open("rb") as file:
            return _nets_in(file.read(_MAX_LENGTH))
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"nets {str(path)!r:.{MAX_QUOTE_LENGTH}} cannot be read: {reason}"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, zlib.error, RulesError) as error:
        raise UsageError(
            f"nets {str(path)!r:.{MAX_QUOTE_LENGTH}} cannot be used: this is no file of arena"
            " train, or it is damaged. Train them again, or copy the file again."
        ) from error


def _nets_in(data: bytes) -> Nets:
    line, _, packed = data.partition(b"\n")
    head = json.loads(line)
    if head["format"] != _FORMAT or hashlib.sha256(packed).hexdigest() != head["sha256"]:
        raise ValueError("damaged")
    rules, players = _rules_in(head["rules"]), head["players"]
    if players not in PLAYERS or objection(rules, players):
        raise ValueError("for rules that nets cannot know")
    numbers = zlib.decompressobj().decompress(packed, NET.itemsize + ROLLING_NET.itemsize)
    ends = np.frombuffer(numbers, NET, 1).view(np.recarray)
    rolls = np.frombuffer(numbers, ROLLING_NET, 1, NET.itemsize).view(np.recarray)
    return Nets(rules, players, str(head["command"]), ends, rolls)


def _rules_in(data: Mapping[str, Any]) -> RuleSet:
    return RuleSet(**{**data, "column_lengths": tuple(data["column_lengths"])})


@cache
def shipped_nets() -> tuple[Nets, ...]:
    """The nets that came with the project, fewest seats first."""
    matches = (_nets_in(file.read_bytes()) for file in SHIPPED)
    return tuple(sorted(matches, key=lambda nets: nets.players))
