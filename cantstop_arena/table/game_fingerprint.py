"""Fingerprints of games in which nothing was drawn: equal ones are one game, played again."""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from cantstop_arena.game_api.state import Deal, Opening, Result


def fingerprint_of(opening: Opening, answers: Sequence[Mapping[int, Any]], result: Result) -> int:
    """The fingerprint of a game: of all its answers and its outcome; not 0."""
    outcome = opening, answers, *map(tuple, (result.winners or (), result.points, result.payoffs))
    return zlib.crc32(repr(outcome).encode()) or 1


def draws_from_streams(deal: Deal) -> bool:
    """Whether the game, or a bot from its view, has drawn from the streams of a deal.

    What bots draw elsewhere is unknown: from `random`, from NumPy, in other processes. Their games
    are taken for one where enough of them are alike.
    """
    return deal.has_streams or any(stream.is_used for stream in deal.bot_streams)
