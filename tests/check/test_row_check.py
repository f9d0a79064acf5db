"""The check of bots with `decide(batch)`: what depends on other rows, or changes, is found."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cantstop_arena.check.row_check import check_rows
from cantstop_arena.game_api.batches import Batch
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.table.batched_bot import BatchedBot

GENERATOR = np.random.default_rng(1)
WEIGHTS = GENERATOR.standard_normal((58, 79)).astype(np.float32)


def net(batch: Batch) -> Any:
    return np.stack([row @ WEIGHTS for row in batch.observations])


def by_position(batch: Batch) -> Any:
    return net(batch) + 1e-6 * np.arange(batch.rows)[:, None]


def normalised(batch: Batch) -> Any:
    return net(batch) - net(batch).mean(axis=0)


def with_dropout(batch: Batch) -> Any:
    return net(batch) * (GENERATOR.random(79) < 0.9)


def with_its_numbers(batch: Batch) -> Any:
    return np.where(batch.random < 0.5, batch.legal.argmax(axis=1), 78)


def a_row_less(batch: Batch) -> Any:
    return net(batch)[:-1]


def failing(batch: Batch) -> Any:
    raise ValueError("no such layer")


@pytest.mark.parametrize(
    ("decide", "mark", "text"),
    [
        (net, "ok", "the row does not matter here"),
        (with_its_numbers, "ok", "the row does not matter here"),
        (by_position, "ok", "the row matters here, so a game always has the same"),
        (normalised, "WRONG", "depends on the other rows"),
        (with_dropout, "WRONG", "is dropout left on"),
        (a_row_less, "WRONG", "7 rows for a batch of 8"),
        (failing, "WRONG", "cannot decide for a batch: ValueError: no such layer"),
    ],
)
def test_answers_row_by_row_are_told_from_others(
    decide: Callable[[Batch], Any], mark: str, text: str
) -> None:
    found = check_rows(BatchedBot(GAME, decide, 8), CLASSIC, 2)
    assert found[0].lower() == mark.lower()
    assert text in found[1]
