"""Games that ended early, by a fault or because somebody left."""

from collections.abc import Iterator
from pathlib import Path

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import FAULT, LEFT, Event
from cantstop_arena.games.registry import all_games, game_named
from cantstop_arena.table.recording import early_end, record
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference
from cantstop_arena.tournaments.table_spec import entrant_start
from cantstop_arena.tournaments.tournament import FaultPolicy
from helpers.game_packages import install_example, on_path

EXAMPLES = {"four-in-a-row": "watchful", "kuhn-poker": "honest"}
BOTS = {**{game.name: [*game.bots][1] for game in all_games()}, **EXAMPLES}
ENDS = (early_end(2, [1], FAULT), early_end(0, (), LEFT))


def cut_off_games(name: str, folder: Path) -> Iterator[tuple[Game, list[Event]]]:
    """A game and its records; packages of examples are installed into an empty folder."""
    for example in EXAMPLES:
        install_example(folder, example.replace("-", "_"))
    with on_path(folder):
        game = game_named(name)
        catalogue = Catalogue(folder / "bots").playing(game)
        entrant = entrant_from_reference(BOTS[name], catalogue)
        bot = seat_bot(entrant_start(entrant, catalogue, FaultPolicy()), Loader(catalogue.folder))
        players = max(2, game.players[0])
        table = game.table(game.rules.default, [bot] * players, players, 4)
        events = [*record(table, tuple(range(players)), 0)]
        for end in ENDS:
            for stop in (1, 2, len(events) - 1):
                yield game, [*events[:stop], end]
