"""Fingerprints of games in which nothing was drawn: equal ones are one game, played again."""

import random
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cantstop_arena.game_api.state import Deal, Opening, Result


def fingerprint_of(opening: Opening, answers: Sequence[Mapping[int, Any]], result: Result) -> int:
    """The fingerprint of a game: of all its answers and its outcome; not 0."""
    outcome = opening, answers, *map(tuple, (result.winners or (), result.points, result.payoffs))
    return zlib.crc32(repr(outcome).encode()) or 1


def draws_from_streams(deal: Deal) -> bool:
    """Whether the game, or a bot from its view, has drawn from the streams of a deal."""
    return deal.has_streams or any(stream.is_used for stream in deal.bot_streams)


class ModuleNumbers:
    """Notices bots that draw from `random` or NumPy: the next numbers are not the first ones."""

    def __init__(self, seed: Callable[[int], None]) -> None:
        """`seed` seeds both for a deal."""
        self._seed = seed
        self._deal = -1
        self._first = 0.0, 0.0

    def are_used(self, deal: int) -> bool:
        """Whether numbers have been drawn since both were seeded for a deal; draws some."""
        numbers = _next_numbers()
        if deal != self._deal:
            self._seed(deal)
            self._deal, self._first = deal, _next_numbers()
        return numbers != self._first


def _next_numbers() -> tuple[float, float]:
    return random.random(), float(np.random.random_sample())
