"""A name that several bots, games or rule sets have: none of them plays by it, and all say so."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import described, on_path
from helpers.parameters import slow_but

import cantstop_arena as ca
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import ArenaError, BotError

PLAIN = "def choose_move(turn, moves):\n    return 0\ndef roll_again(turn):\n    return False\n"
FAMILY = """
from cantstop_arena import Bot, Player
def quiet():
    return Player(lambda turn, moves: 0, lambda turn: False)
def register_bots():
    return [Bot({name}, quiet)]
"""
CONFLICT = (
    r"'random' is the name of a built-in bot and of (\S*bots/random\.py);"
    r" for that one write \1, or rename it"
)
FILES = ("random", "fifty_percent")
COMMANDS = [
    "match random:greedy=1 rule28",
    "match random@previous rule28",
    "match bots/random.py random",
    "bots compile random",
    "bots diff random rule28",
    "bench random",
    "plan random rule28 --difference 0.1",
    "tune random",
    "run all.yaml",
    "run versions.yaml",
    "compare wide.yaml",
]


@pytest.mark.parametrize("command", slow_but([0], COMMANDS))
def test_a_file_named_as_a_built_in_bot_is_never_passed_over_in_silence(
    arena: Arena, command: str
) -> None:
    files = {
        "all.yaml": "bots: all\n",
        "versions.yaml": "bots: [random@previous, rule28]\n",
        "wide.yaml": "bots: [random, rule28]\nrules: [classic, jump]\n",
    }
    error = arena(command, bots={"random": PLAIN}, files=files, code=2).error
    assert re.search(CONFLICT, error)


def test_its_path_and_other_names_play_as_before(arena: Arena) -> None:
    arena("match bots/random.py fifty_percent --games 2", bots=dict.fromkeys(FILES, PLAIN))
    with pytest.raises(ArenaError, match=CONFLICT):
        ca.match("random", "rule28", games=2)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"twin/__init__": PLAIN, "twin": PLAIN}, "both .* are a bot 'twin'; rename one of them"),
        (
            {"twin": PLAIN, "family": FAMILY.format(name="'twin'")},
            "'twin' is the name of .*family.py and of .*twin.py; for that one write .*twin.py",
        ),
        (
            {"a": FAMILY.format(name="'tw' + 'in'"), "b": FAMILY.format(name="'tw' + 'in'")},
            "'twin' is the name of .*a.py and of .*b.py; rename that one",
        ),
    ],
)
def test_two_files_with_one_name(tmp_path: Path, files: dict[str, str], message: str) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.py").write_text(text)
    catalogue = Catalogue(tmp_path)
    with pytest.raises(BotError, match=message):
        catalogue.find("twin")
    usable, broken = catalogue.everything()
    assert "twin" not in {bot.name for bot in usable}
    assert "twin" in {bot.name for bot in broken}


# --- Packages -------------------------------------------------------------------------------------

OFFER = """
from cantstop_arena import hookimpl
from cantstop_arena.games.cantstop.rules import CLASSIC, derive
@hookimpl
def register_rules():
    return [derive(CLASSIC, {"runners": 2}, "two")]
"""
GAME = """
from cantstop_arena import hookimpl
from cantstop_arena.games.cantstop.game import CantStop
class Mine(CantStop):
    name = "mine"
@hookimpl
def register_games():
    return [Mine()]
"""


@pytest.fixture
def packages(tmp_path: Path) -> Iterator[None]:
    """Two packages with a bot, a rule set and a game of the same names."""
    for package in ("first", "second"):
        module = tmp_path / package
        module.mkdir()
        for name, text in {
            "__init__": "",
            "bots": FAMILY.format(name="'twin'") + OFFER,
            "game": GAME,
        }.items():
            (module / f"{name}.py").write_text(text)
        points = f"[cantstop_arena]\n{package} = {package}.bots\n"
        points += f"[cantstop_arena.games]\n{package} = {package}.game\n"
        described(tmp_path, package, points)
    with on_path(tmp_path):
        yield


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            "match twin rule28 --games 2",
            "'twin' is the name of a bot of the package first and of a bot of the package second;"
            " uninstall one of the packages",
        ),
        (
            "match cautious rule28 --rules two",
            "'two' is the name of several rule sets; uninstall the packages that bring it",
        ),
        (
            "match cautious rule28 --game mine",
            "game mine cannot be used: several packages offer it: first and second; uninstall all"
            " but one",
        ),
    ],
)
def test_two_packages_with_one_name(
    arena: Arena, packages: None, command: str, message: str
) -> None:
    assert message in arena(command, code=2).error
