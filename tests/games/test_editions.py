"""Built-in bots whose games change need another edition, or ledgers would mix old and new games.

After a change that is meant: raise the bot's number in `editions` of its game, then
`python tests/games/test_editions.py` writes tests/data/editions.json anew.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import Block
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import built_in, game_named
from cantstop_arena.tournaments.file.tournament_file import usual_players
from cantstop_arena.tournaments.table_spec import TableSpec, bot_start

FILE = Path(__file__).parents[1] / "data" / "editions.json"
DEALS = 128
SMALL = {"sides": 2, "column_lengths": (2, 4, 2), "columns_to_win": 2, "runners": 2}
SLOW = ("champion", "grandmaster", "policy-net", "frugal")  # to compile


def rules_for(game: Game, bot: str) -> Any:
    """The default rules, or where the bot cannot play by them, those of a small board."""
    rules = game.rules.default
    if not game.refusal(bot, rules, usual_players(game)):
        return rules
    return game.rules.derive(rules, SMALL)


def games_of(game: Game, bot: str) -> str:
    """A digest of deals in which a bot meets itself: winners, and all that is counted."""
    loader, players = Loader(Path("no such folder")), usual_players(game)
    loaded = loader.built_in_bot(bot, game)
    seats = tuple(bot_start(f"{bot} {n}", loaded, loaded.defaults) for n in range(players))
    spec = TableSpec(game.name, rules_for(game, bot), seats, players, 1, loader.folder)
    result = spec.table().play(Block(tuple(range(players)), 0, DEALS))
    text = f"{result.masks().tolist()} {result.tallies}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def edition_of(game: Game, bot: str) -> str:
    """The editions of the game and of the bot, and the digest of its games."""
    return f"{game.edition}.{game.editions.get(bot, 1)}: {games_of(game, bot)}"


@pytest.mark.parametrize(
    ("game", "bot"),
    [
        pytest.param(game, bot, marks=[pytest.mark.slow] * (bot in SLOW))
        for game in built_in()
        for bot in game_named(game).bots
    ],
)
def test_a_bot_with_other_games_has_another_edition(game: str, bot: str) -> None:
    stored = json.loads(FILE.read_text())[game][bot]
    assert edition_of(game_named(game), bot) == stored, __doc__


def test_every_edition_is_of_a_bot() -> None:
    for game in map(game_named, built_in()):
        assert game.editions.keys() <= game.bots.keys()


if __name__ == "__main__":
    content = {
        game: {bot: edition_of(game_named(game), bot) for bot in game_named(game).bots}
        for game in built_in()
    }
    FILE.write_text(json.dumps(content, indent=1) + "\n")
