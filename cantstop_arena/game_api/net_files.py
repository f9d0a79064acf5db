"""Files of nets: the rules they were trained for, the command of the training, and the weights."""

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import asdict

from cantstop_arena.errors import RulesError, UsageError
from cantstop_arena.game_api.bot_options import MAX_QUOTE_LENGTH
from cantstop_arena.game_api.rulebook import RuleBook

SUFFIX = ".nets"
_FORMAT = 1
_MAX_LENGTH = 1 << 20  # bytes

Nets = TypeVar("Nets")


class WeightsFile(msgspec.Struct, frozen=True):
    """The content of a file; `numbers` are the weights, as bytes."""

    rules: Any
    players: int
    command: str
    numbers: bytes


class _WeightsHead(msgspec.Struct, frozen=True):
    """The line of JSON with which a file of nets begins."""

    format: int
    rules: Mapping[str, Any]
    players: int
    command: str
    sha256: str


def as_bytes(file: WeightsFile, book: RuleBook[Any]) -> bytes:
    """The content of a file: a line of JSON, then the compressed weights."""
    packed = zlib.compress(file.numbers, 9)
    rules, digest = book.as_dict(file.rules), hashlib.sha256(packed).hexdigest()
    head = _WeightsHead(_FORMAT, rules, file.players, file.command, digest)
    return json.dumps(asdict(head)).encode() + b"\n" + packed


def net_file_in(data: bytes, book: RuleBook[Any], size: int) -> WeightsFile:
    """The file in its bytes, with weights of `size` bytes. Raises what `read_nets` reports."""
    line, _, packed = data.partition(b"\n")
    head = msgspec.json.decode(line, type=_WeightsHead)
    if head.format != _FORMAT or hashlib.sha256(packed).hexdigest() != head.sha256:
        raise ValueError("damaged")
    numbers = zlib.decompressobj().decompress(packed, size)
    if len(numbers) != size:
        raise ValueError("nets of another kind")
    return WeightsFile(book.from_dict(head.rules), head.players, head.command, numbers)


def read_nets(path: Path, nets_in: Callable[[bytes], Nets]) -> Nets:
    """What `nets_in` finds in a file.

    Raises UsageError when the file cannot be read, or `nets_in` fails.
    """
    try:
        with path.open("rb") as file:
            return nets_in(file.read(_MAX_LENGTH))
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"nets {str(path)!r:.{MAX_QUOTE_LENGTH}} cannot be read: {reason}"
        ) from error
    except (ValueError, KeyError, TypeError, zlib.error, RulesError) as error:
        raise UsageError(
            f"nets {str(path)!r:.{MAX_QUOTE_LENGTH}} cannot be used: not a file of nets for this"
            " game, or it is damaged. Train them again, or copy the file again."
        ) from error
