"""Whether a bot with `decide(batch)` answers row by row, from what a row has and nothing else."""

import random
from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from cantstop_arena.check.findings import OK, WRONG
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.batches import (
    Batch,
    answer_array,
    empty_batch,
    encoding_or_error,
)
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.table.bot_faults import bot_exception_line

_BATCHES = 3


def check_rows(bot: BatchedBot, rules: Any, players: int) -> tuple[str, str]:
    """The mark and the text of the finding about a bot's answers to some batches."""
    try:
        return _compare(bot, list(_batches(bot, rules, players)))
    except IllegalAnswer as error:
        return WRONG, str(error)
    except Exception as error:
        return WRONG, f"cannot decide for a batch: {bot_exception_line(error)}"


def _compare(bot: BatchedBot, batches: list[Batch]) -> tuple[str, str]:
    moved = False
    for batch in batches:
        rows = sorted({0, min(1, bot.rows - 1), bot.rows // 2, bot.rows - 1})
        together = _answer(bot, batch)
        if together.tobytes() != _answer(bot, batch).tobytes():
            return WRONG, (
                "gives other answers when the same batch comes again: is dropout left on, is a"
                " batch normalised in training mode, or are random numbers its own, in place of"
                " batch.random?"
            )
        for row in rows:
            if together[row].tobytes() != _answer(bot, batch.only(row))[row].tobytes():
                return WRONG, (
                    "the answer in a row depends on the other rows: is a batch normalised in"
                    " training mode, or a number scaled by all of them?"
                )
            moved |= together[row].tobytes() != _answer(bot, _moved(batch, row))[0].tobytes()
    row_text = "matters here, so a game always has the same" if moved else "does not matter here"
    return OK, f"the same bytes alone and among others; the row {row_text}"


def _answer(bot: BatchedBot, batch: Batch) -> NDArray[Any]:
    """A copy of the answer. Raises IllegalAnswer where it has no row for each of the batch."""
    array = answer_array(bot.decide(batch))
    if len(array) != batch.rows:
        raise IllegalAnswer(f"decide: {len(array)} rows for a batch of {batch.rows}")
    return array.copy()


def _moved(batch: Batch, row: int) -> Batch:
    """The batch with this row exchanged with the first one."""
    moved = batch.only(row)
    for name in ("observations", "legal", "live", "seats", "random"):
        old, new = getattr(batch, name), getattr(moved, name)
        new[:] = old
        new[[0, row]] = old[[row, 0]]
    return moved


def _batches(bot: BatchedBot, rules: Any, players: int) -> Iterator[Batch]:
    """Batches of positions from games with random actions."""
    encoding = encoding_or_error(bot.game, rules, players)
    positions, chance = _positions(bot.game, rules, players), random.Random(1)
    for _ in range(_BATCHES):
        batch = empty_batch(bot.rows, encoding, rules, players)
        for row in range(bot.rows):
            position = next(positions)
            observation = position.observation(position.seat)
            batch.observations[row], batch.legal[row] = observation
            batch.live[row], batch.seats[row] = True, position.seat
            batch.random[row] = chance.random()
        yield batch


def _positions(game: Any, rules: Any, players: int) -> Iterator[Any]:
    """The positions of one game after the other, at each decision."""
    chance, deal = random.Random(2), 0
    while True:
        position = game.position(rules, players, 1980, deal)
        while not position.is_over:
            yield position
            position.step(chance.choice(position.legal))
        deal += 1
