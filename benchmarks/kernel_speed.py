"""The speed of games with a kernel: compiled bots in machine code against the same in plain Python.

Games of examples/orchard in CPU time, both in one process; each figure is the best of five.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.table.table import GameTable

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "orchard"))
DEALS = {"compiled": 20_000, "plain": 200}


def table(functions: Sequence[Any], backend: str) -> GameTable:
    """A table of bots with these functions, compiled or not."""
    from orchard.game import Orchard  # type: ignore[import-not-found]

    game = Orchard()
    bots = [
        SeatedBot(f"bot-{number}", BotFunctions(pick=_as(backend, function)), f"{number}")
        for number, function in enumerate(functions)
    ]
    new: GameTable = game.table(game.rules.default, bots, len(bots), 1)
    new.warm_up()
    return new


def _as(backend: str, function: Any) -> Any:
    return function if backend == "compiled" else lambda view, moves: function(view, moves)


def games_a_second(functions: Sequence[Any], backend: str) -> float:
    """The best of five plays of a block."""
    deals, playing = DEALS[backend], table(functions, backend)
    playing.play(Block((0, 1), 0, 10))
    times = []
    for repetition in range(5):
        start = process_time()
        playing.play(Block((0, 1), repetition * deals, deals))
        times.append(process_time() - start)
    return 2 * deals / min(times)


if __name__ == "__main__":
    from orchard.bots import (  # type: ignore[import-not-found]
        pick_anything,
        pick_carefully,
        pick_exactly,
    )

    for name, functions in (
        ("exact against careful", (pick_exactly, pick_carefully)),
        ("exact against anything, which draws at random", (pick_exactly, pick_anything)),
    ):
        fast, slow = (games_a_second(functions, backend) for backend in DEALS)
        print(
            f"{name}: {fast:,.0f} games a CPU second compiled, {slow:,.0f} plain: {fast / slow:.0f}"
        )
