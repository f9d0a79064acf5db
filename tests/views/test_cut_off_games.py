"""Records that end early: the process of a replay was ended, or the game's own code has failed."""

from pathlib import Path

import pytest
from helpers.game_packages import install_example, on_path
from helpers.parameters import slow_but

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.game_api.state import FAULT, LEFT
from cantstop_arena.games.registry import all_games, game_named
from cantstop_arena.reports.write_page import replay_page
from cantstop_arena.table.recording import early_end, record
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference
from cantstop_arena.tournaments.table_spec import entrant_start
from cantstop_arena.tournaments.tournament import FaultPolicy
from cantstop_arena.views.default_view import view_of

EXAMPLES = {"four-in-a-row": "watchful", "kuhn-poker": "honest"}
BOTS = {**{game.name: [*game.bots][1] for game in all_games()}, **EXAMPLES}
ENDS = (early_end(2, [1], FAULT), early_end(0, (), LEFT))


@pytest.mark.parametrize("name", slow_but([0, len(BOTS) - 1], BOTS))
def test_every_view_shows_a_game_that_was_cut_off(name: str, tmp_path: Path) -> None:
    for example in EXAMPLES:
        install_example(tmp_path, example.replace("-", "_"))
    with on_path(tmp_path):
        game = game_named(name)
        catalogue = Catalogue(tmp_path / "bots").playing(game)
        entrant = entrant_from_reference(BOTS[name], catalogue)
        bot = seat_bot(entrant_start(entrant, catalogue, FaultPolicy()), Loader(catalogue.folder))
        players = max(2, game.players[0])
        table = game.table(game.rules.default, [bot] * players, players, 4)
        events = [*record(table, tuple(range(players)), 0)]
        view = view_of(game)
        for end in ENDS:
            for stop in (1, 2, len(events) - 1):
                cut = [*events[:stop], end]
                assert "<html" in replay_page(cut)
                scenes = view.scenes(cut)
                texts = [view.step_text(scenes, index) for index in range(len(scenes))]
                assert all(texts) and [*view.lines(cut)]
