"""Compiled bots draw from `turn.random()` only: numba's own generators cannot be seeded by deal."""

from pathlib import Path
from typing import Any

import numba
import pytest
from helpers.parameters import slow_but

from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.engine.entry_points import native_player
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import compiled

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

DRAWING = {
    "random": ("import random", "random.random() < 0.5"),
    "random's function": ("from random import randint as among", "among(1, 2) == 1"),
    "NumPy": ("import numpy as np", "np.random.random() < 0.5"),
    "NumPy's module": ("from numpy import random as dice", "dice.randint(2) == 1"),
    "NumPy's function": ("from numpy.random import normal", "normal() < 0"),
    "a module's name inside": ("import numpy as np", "[m.random.rand() for m in (np,)][0] < 0.5"),
    "a function that is called": (
        "import random\ndef drawn():\n    return random.gauss(0, 1)",
        "drawn() > 0",
    ),
    "one compiled elsewhere": (
        "import numba\nimport random\n@numba.njit\ndef drawn():\n    return random.random()",
        "drawn() > 0.5",
    ),
    "a seed": ("import random", "random.seed(1) is None"),
}
INNOCENT = {
    "NumPy and turn.random": ("import numpy as np", "turn.random() < np.sqrt(0.5)"),
    "random, for what is not compiled": (
        "import random\nORDER = random.Random(1).sample(range(5), 5)[0]",
        "turn.random() < 0.5 and turn.rolls < ORDER",
    ),
    "NumPy's random, for what is not compiled": (
        "import numpy as np\nTABLE = np.random.default_rng(1).random(5)",
        "turn.random() < TABLE[0]",
    ),
    "a function that nobody calls": (
        "import random\ndef drawn():\n    return random.random()",
        "turn.random() < 0.5",
    ),
}


def bot(prelude: str, roll: str) -> Player:
    names: dict[str, Any] = {"__name__": "bot"}
    exec(f"{prelude}\ndef roll_again(turn):\n    return {roll}\n", names)
    return Player(compiled(lambda turn, moves: 0), compiled(names["roll_again"]))


@pytest.mark.slow
@pytest.mark.parametrize("how", slow_but((4,), zip(DRAWING.values(), strict=True)), ids=DRAWING)
def test_a_bot_that_draws_from_what_cannot_be_seeded_is_refused(
    how: tuple[str, str], tmp_path: Path
) -> None:
    for _ in range(2):  # the second time, nothing of it may be in the cache
        with pytest.raises(BotError, match=r"roll_again draws from random.*turn\.random\(\)"):
            native_player(bot(*how), "the bot", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("how", slow_but((0,), zip(INNOCENT.values(), strict=True)), ids=INNOCENT)
def test_a_bot_that_only_has_such_names_about_is_not(how: tuple[str, str], tmp_path: Path) -> None:
    assert native_player(bot(*how), "the bot", tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
