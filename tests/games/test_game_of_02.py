"""Games in the form of release 0.2 play on."""

from importlib import import_module

import pytest
from helpers.game_packages import on_path
from helpers.paths import TESTS

from cantstop_arena.testing import check_game


@pytest.mark.slow
def test_pig_of_release_02_plays_on() -> None:
    with on_path(TESTS / "pig_game"):
        check_game(import_module("pig.game").PigGame(), seconds=0.3)
