"""A file that an option names belongs to the bot: results are those of what it said."""

from pathlib import Path
from typing import Annotated

import pytest
from helpers.arena import Arena

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.bot_options import FilePath, Option, files_among, options_of
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.table_spec import bot_start

READER = '''"""Stops after as many rolls as its file says."""
from pathlib import Path
from typing import Annotated

from cantstop_arena import Bot, Player, hookimpl
from cantstop_arena.game_api.bot_options import FilePath


def reader(rolls: Annotated[str, FilePath()] = "") -> Player:
    most = int(Path(rolls).read_text()) if rolls else 3
    return Player(lambda turn, moves: 0, lambda turn: turn.rolls < most)


@hookimpl
def register_bots():
    return [Bot("reader", reader)]
'''
MINE = "games: 4\nseed: 1\nbots: [{bot: reader, rolls: rolls.txt}, reader, cautious]\n"


@pytest.fixture
def played(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run with a bot whose file says 4."""
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    Path("bots/reader.py").write_text(READER)
    Path("mine.yaml").write_text(MINE.replace(", reader,", ", {bot: reader, as: usual},"))
    Path("rolls.txt").write_text("4")
    arena("run", "mine.yaml", "--quiet")
    return tmp_path


@pytest.mark.slow
def test_games_with_another_file_are_others(arena: Arena, played: Path) -> None:
    arena("run", "mine.yaml", "--quiet")
    Path("rolls.txt").write_text("5")
    assert arena("run", "mine.yaml").output.splitlines()[:2] == [
        "Since the last run: reader has changed (rolls.txt, rolls).",
        "mine: 1 of 3 pairings are in the ledger; playing 2 (8 games).",
    ]
    arena("run", "mine.yaml", "--quiet", "--fresh")


@pytest.mark.slow
def test_a_file_that_changes_while_bots_are_started_is_refused(played: Path) -> None:
    bot = Catalogue(Path("bots")).find("reader")
    start = bot_start("reader", bot, {"rolls": "rolls.txt"})
    assert seat_bot(start, Loader(Path("bots"))).name == "reader"
    Path("rolls.txt").write_text("5")
    with pytest.raises(BotError, match=r"rolls 'rolls.txt' has changed since the run started"):
        seat_bot(start, Loader(Path("bots")))


def own_reader(nets: Annotated[str, FilePath()] = "") -> None:
    """Has no usual files."""


def test_only_files_that_are_there_count(tmp_path: Path) -> None:
    bot_options = options_of(own_reader)
    assert bot_options == {"nets": Option("nets", "", is_file=True)}
    (tmp_path / "x.nets").write_bytes(b"")
    assert [*files_among(bot_options, {"nets": str(tmp_path / "x.nets")})] == ["nets"]
    for path in ("", str(tmp_path / "y.nets"), "\0"):
        assert files_among(bot_options, {"nets": path}) == {}


def test_a_text_is_no_file_unless_it_says_so() -> None:
    def build(word: str = "", path: "str" = "") -> None:
        """Says nothing of files."""

    assert not any(option.is_file for option in options_of(build).values())
