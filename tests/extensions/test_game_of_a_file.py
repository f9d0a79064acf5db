"""A file of the arena names its game once: its bots, which name none, play it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.comparisons import comparison_file
from cantstop_arena.errors import BotError
from cantstop_arena.extensions.design import design_file
from cantstop_arena.extensions.league import league_file
from cantstop_arena.extensions.league.submissions import submitted_file
from cantstop_arena.games.registry import game_named
from cantstop_arena.tournaments.file import tournament_file

CUBUS = game_named("cubus")
FUNCTIONS = "def build(view):\n    return view.choose()\n"
BOTS = {
    "functions": FUNCTIONS,
    "functions in other words": FUNCTIONS + "def roll_again(turn):\n    return False\n",
    "a family": (
        "from cantstop_arena import Bot\n"
        "class Passer:\n    def build(self, view):\n        return None\n"
        "def register_bots():\n    return [Bot('mine', Passer)]\n"
    ),
}
CANT_STOP = "def choose_move(turn, moves):\n    return 0\ndef roll_again(turn):\n    return False\n"
FILES: dict[str, tuple[Callable[..., Any], str]] = {
    "tournament": (tournament_file.read, "game: cubus\nbots: [mine, random]\n"),
    "tournament, by path": (tournament_file.read, "game: cubus\nbots: [bots/mine.py, random]\n"),
    "tournament, by pattern": (tournament_file.read, "game: cubus\nbots: [bots/*.py, random]\n"),
    "tournament, all": (tournament_file.read, "game: cubus\nbots: [all, random]\n"),
    "comparison": (
        comparison_file.read,
        "game: cubus\nbots: [mine, random]\ncompare: [leaflet, strict]\n",
    ),
    "design": (
        design_file.read,
        "game: cubus\nbots: [mine, random]\nvary: {swap: [place, free]}\n"
        "targets: {first_seat: [45%, 55%]}\n",
    ),
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    Path("bots/rolls.py").write_text(CANT_STOP)


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("file", FILES)
def test_bots_play_the_game_of_their_file(file: str, bot: str) -> None:
    Path("bots/mine.py").write_text(BOTS[bot])
    read, text = FILES[file]
    Path("file.yaml").write_text(text)
    entrants = {
        each.name: each for each in read(Path("file.yaml"), Catalogue(Path("bots"))).entrants
    }
    assert "rolls" not in entrants
    assert entrants["mine"].bot.game == CUBUS.name
    assert Loader(Path("bots")).open(entrants["mine"].bot.address).game == CUBUS.name


def test_submissions_play_the_game_of_their_league() -> None:
    Path("participants/ann").mkdir(parents=True)
    Path("participants/ann/bot.py").write_text(FUNCTIONS)
    Path("league.yaml").write_text("game: cubus\nparticipants: participants\nstaff: [random]\n")
    catalogue = Catalogue(Path("bots"))
    league = league_file.read(Path("league.yaml"), catalogue)
    path = submitted_file(league, league.participants[0])
    assert catalogue.playing(league.game).load_file(path).game == CUBUS.name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CANT_STOP, "plays cantstop, not cubus"),
        ("game = 'cantstop'\n" + FUNCTIONS, "lacks choose_move"),
        ("def knock(view):\n    return None\n", "lacks build"),
        ("game = 'chess'\n" + FUNCTIONS, "chess"),
    ],
)
def test_what_a_bot_says_of_itself_counts_more(text: str, message: str) -> None:
    path = Path("bots/mine.py")
    path.write_text(text)
    with pytest.raises(BotError, match=message):
        Catalogue(Path("bots"), CUBUS).load_file(path)


def test_one_file_can_play_two_games() -> None:
    path = Path("bots/mine.py")
    path.write_text(CANT_STOP + FUNCTIONS)
    catalogue = Catalogue(Path("bots"))
    games = (catalogue.game, CUBUS, catalogue.game)
    assert [catalogue.playing(g).load_file(path).game for g in games] == [g.name for g in games]
