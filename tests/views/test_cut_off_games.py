"""Records that end early: the process of a replay was ended, or the game's own code has failed."""

from pathlib import Path

import pytest
from helpers.cut_off_games import BOTS, cut_off_games
from helpers.parameters import slow_but

from cantstop_arena.reports.write_page import replay_page
from cantstop_arena.views.default_view import view_of


@pytest.mark.parametrize("name", slow_but([0, len(BOTS) - 1], BOTS))
def test_every_view_shows_a_game_that_was_cut_off(name: str, tmp_path: Path) -> None:
    for game, cut in cut_off_games(name, tmp_path):
        view = view_of(game)
        assert "<html" in replay_page(cut)
        scenes = view.scenes(cut)
        texts = [view.step_text(scenes, index) for index in range(len(scenes))]
        assert all(texts) and [*view.lines(cut)]
