"""`arena games check` and `check_game`: games with one defect each, and games without."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.bad_games import DEFECTS, RaisesGame, TrickGame
from helpers.game_packages import described, install_example, on_path
from helpers.parameters import slow_but
from helpers.paths import TESTS

from cantstop_arena.check import game_check
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import built_in, game_named
from cantstop_arena.testing import check_game


@pytest.fixture(scope="module", autouse=True)
def importable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The modules of the games, for other processes, too; the examples with their bots."""
    folder = tmp_path_factory.mktemp("packages")
    for name in ("kuhn_poker", "four_in_a_row"):
        install_example(folder, name)
    with on_path(folder, TESTS, TESTS / "salvage_game"):
        yield


@pytest.mark.slow
def test_a_game_without_defects_has_no_findings() -> None:
    check_game(TrickGame(), seconds=2)


@pytest.mark.parametrize("kind", slow_but((9,), DEFECTS), ids=lambda kind: kind.__name__)
def test_every_defect_is_found(kind: type[Game]) -> None:
    with pytest.raises(AssertionError) as caught:
        check_game(kind(), seconds=2)
    assert re.search(DEFECTS[kind], str(caught.value)), caught.value


@pytest.mark.slow
def test_games_of_examples_and_of_release_02_have_no_findings() -> None:
    check_game(import_module("kuhn_poker.game").KuhnPoker())
    check_game(import_module("four_in_a_row.game").FourInARow(), seconds=1)
    check_game(import_module("salvage.game").SalvageGame(), seconds=1)


BOTS = """
from cantstop_arena import Bot, Player
game = "mine"
def fine():
    return Player(lambda turn, moves: 0, lambda turn: False)
def fails():
    raise ValueError("no weights")
def register_bots():
    return [Bot("fine", fine), Bot("fifth", FIFTH)]
"""
MINE = """
from cantstop_arena import hookimpl
from cantstop_arena.games.cantstop.game import CantStop
class Mine(CantStop):
    name = "mine"
    bots = {}
@hookimpl
def register_games():
    return [Mine()]
"""


@pytest.mark.parametrize(
    ("fifth", "reason"),
    [
        ("fails", "fifth: bot fifth cannot be built: ValueError: no weights"),
        ("lambda: 3", "fifth: bot fifth has no choose_move and no roll_again"),
        ("nobody", "mine: register_bots of mine fails: NameError: name 'nobody' is not defined"),
    ],
)
def test_a_bot_of_the_package_that_cannot_be_built_is_found(
    arena: Arena, tmp_path: Path, fifth: str, reason: str
) -> None:
    (tmp_path / "mine").mkdir()
    for name, text in {"__init__": "", "game": MINE, "bots": BOTS.replace("FIFTH", fifth)}.items():
        (tmp_path / "mine" / f"{name}.py").write_text(text)
    points = "[cantstop_arena]\nmine = mine.bots\n[cantstop_arena.games]\nmine = mine.game\n"
    described(tmp_path, "mine", points)
    described(tmp_path, "another", "[cantstop_arena\n")  # malformed, and none of the game's
    with on_path(tmp_path):
        printed = arena("games check mine", code=1).text
    assert f"WRONG  the bots that come with it: {reason}" in printed


@pytest.mark.slow
def test_kernel_that_plays_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def difference(game: Game, rules: Any, players: int, games: int) -> str | None:
        return None if players == 2 else "step 3: legal() has [1], the state [2]"

    monkeypatch.setattr(game_check, "kernel_difference", difference)
    monkeypatch.setattr(TrickGame, "kernel", lambda self, rules, players: object())
    with pytest.raises(AssertionError, match=r"legal\(\) has \[1\], the state \[2\] \(standard, 3"):
        check_game(TrickGame(), seconds=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("name", built_in())
def test_built_in_games_have_no_findings(name: str) -> None:
    check_game(game_named(name), seconds=0.5)


@pytest.mark.slow
def test_command_prints_a_line_for_each_test(arena: Arena) -> None:
    printed = arena("games", "check", "kuhn-poker").output.splitlines()
    assert printed[0] == "Kuhn poker (kuhn-poker): 1 setting: 1 rule set, 2 seats"
    assert [line[:9] for line in printed[1:-1]] == ["  ok     "] * 11
    assert "pairs of states)" in printed[7]
    assert printed[9].startswith("  ok     the bots that come with it: 2 games of balanced")
    assert printed[-1] == "no findings"


@pytest.mark.slow
def test_command_prints_tables(arena: Arena) -> None:
    printed = arena("games", "check", "cantstop", "--format", "csv").output
    assert printed.startswith("mark,test,text\nnote,states,")
    assert "unknown game" in arena("games", "check", "nothing", code=2).output


def test_command_fails_where_there_are_findings(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cantstop_arena.games.registry.game_named", lambda name: RaisesGame())
    printed = arena("games", "check", "tricks", code=1).output
    assert "  WRONG  ends, and pays what it declares: answer() fails: KeyError" in printed
    assert printed.endswith("\n1 finding\n")
