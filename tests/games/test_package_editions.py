"""A package's game has its distribution as edition, unless its author sets one."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import on_path
from helpers.paths import TESTS

from cantstop_arena.games.registry import broken_games, game_named

POINTS = "[cantstop_arena.games]\nsalvage = {module}\n\n[cantstop_arena]\nbots = salvage.bots\n"
HOME = TESTS / "salvage_game"


@contextmanager
def installed(folder: Path, about: str, module: str = "salvage.game") -> Iterator[None]:
    """A context with the game, with metadata in a folder of this name."""
    metadata = folder / about
    metadata.mkdir(parents=True)
    (metadata / "entry_points.txt").write_text(POINTS.format(module=module))
    with on_path(folder, HOME):
        yield


@pytest.mark.parametrize(
    ("about", "edition"),
    [
        ("salvage_game-1.0.dist-info", "salvage-game 1.0"),
        ("Salvage.Game-2.1.post3+local.dist-info", "salvage-game 2.1.post3+local"),
        ("salvage_game-0.3-py3.11.egg-info", "salvage-game 0.3"),
        ("salvage_game.egg-info", "1"),
    ],
)
def test_the_edition_is_the_distribution(tmp_path: Path, about: str, edition: str) -> None:
    with installed(tmp_path, about):
        assert game_named("salvage").edition == edition
    assert game_named("cantstop").edition == "1"


OWN = """
from salvage.game import *
from salvage import game
class Own(type(game.register_games()[0])):
    edition = {edition}
@hookimpl
def register_games():
    return [Own()]
"""


def own(folder: Path, edition: str) -> None:
    """Write a module with the game, and an edition of its author's."""
    text = OWN.format(edition=edition)
    (folder / "own_salvage.py").write_text(f"from cantstop_arena import hookimpl\n{text}")


def test_an_author_s_edition_stays(tmp_path: Path) -> None:
    own(tmp_path, "'1'")
    with installed(tmp_path, "salvage_game-1.0.dist-info", "own_salvage"):
        assert game_named("salvage").edition == "1"


def test_an_edition_that_is_no_text_is_refused(tmp_path: Path) -> None:
    own(tmp_path, "2")
    with installed(tmp_path, "salvage_game-1.0.dist-info", "own_salvage"):
        assert broken_games() == {"salvage": "TypeError: edition must be a text, not 2"}


@pytest.mark.slow
def test_games_of_another_version_are_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arena: Arena
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "game: salvage\ngames: 12\nseed: 5\nbots: [careful, pirate]\n"
    words = ("run", "dive.yaml", "--no-page")
    for version, what in (("1", "playing 1"), ("2", "playing 1"), ("1.0", "playing 1")):
        with installed(tmp_path / version, f"salvage_game-{version}.dist-info"):
            assert what in arena(*words, yaml=text).output
            assert "nothing to play" in arena(*words, yaml=text).output
    with closing(sqlite3.connect("results/dive/ledger.sqlite")) as ledger:
        (settings,) = ledger.execute("SELECT COUNT(*) FROM settings").fetchone()
    assert settings == 3
