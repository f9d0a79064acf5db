"""The first look at a machine tells what differs there, and needs nothing of the arena."""

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.game_packages import on_path

from cantstop_arena.bots.bot_start import BotStart, Isolation
from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.bots.origins import Origin
from cantstop_arena.extensions.cluster.cluster_messages import FirstLook
from cantstop_arena.extensions.cluster.first_look import differences, first_look
from cantstop_arena.extensions.cluster.machine_versions import digest_of
from cantstop_arena.processes import sandbox
from cantstop_arena.tournaments.table_spec import TableSpec

HERE = {"cantstop-arena": "0.2.0", "its code": "9a2c", "Python": "3.11", "game hexes": "11aa"}


@pytest.mark.parametrize(
    "there, told",
    [
        (HERE, ""),
        ({"cantstop-arena": "none"}, "cantstop-arena is not installed there"),
        ({**HERE, "its code": "31f0"}, "its code is 31f0 there and 9a2c here"),
        (
            {**HERE, "Python": "2.7", "game hexes": "none", "numba": "1.0"},
            "Python is 2.7 there and 3.11 here; game hexes is not installed there;"
            " numba is 1.0 there and none here",
        ),
        (
            {**HERE, "sandbox": "bubblewrap (bwrap) is not installed"},
            "bot patient is isolated, and there is no sandbox there:"
            " bubblewrap (bwrap) is not installed",
        ),
        (OSError("no route"), "it cannot say what is installed there: OSError"),
        (None, "it cannot say what is installed there: NoneType"),
    ],
)
def test_differences_are_named(there: object, told: str) -> None:
    assert differences(there, FirstLook("", HERE, "patient")) == told


def table_of(game: str, isolation: Isolation = Isolation.NONE) -> TableSpec:
    bot = BotAddress("patient", game, Origin.FILE, "1f")
    mine = BotStart(name="mine", bot=bot)
    seats = (mine, BotStart(name="patient", bot=bot, isolation=isolation))
    return TableSpec(game, None, seats, 2, 1, Path())


def test_a_machine_like_this_one_fits() -> None:
    look = first_look(table_of("cantstop", Isolation.PROCESSES))
    assert list(look.facts)[:3] == ["cantstop-arena", "its code", "Python"]
    assert differences(eval(look.question), look) == ""
    assert not look.isolated


def test_a_machine_is_asked_for_a_sandbox_if_a_bot_plays_in_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sandbox.Sandbox, "here", lambda: None)
    look = first_look(table_of("cantstop", Isolation.SANDBOX))
    assert differences(eval(look.question), look) == ""

    def no_sandbox() -> None:
        raise sandbox.NoSandbox("bubblewrap (bwrap) is not installed")

    monkeypatch.setattr(sandbox.Sandbox, "here", no_sandbox)
    told = "bot patient is isolated, and there is no sandbox there: bubblewrap (bwrap) is not"
    assert differences(eval(look.question), look).startswith(told)


def test_python_without_the_arena_answers() -> None:
    """And so without all that the arena needs."""
    look = first_look(table_of("cantstop"))
    bare = [sys.executable, "-I", "-S", "-c", f"print(eval({look.question!r}))"]
    answer = subprocess.run(bare, capture_output=True, text=True, check=True).stdout
    assert answer == "{'cantstop-arena': 'none'}\n"


def test_the_digest_of_a_package_is_that_of_its_files(tmp_path: Path) -> None:
    """Whatever the cache of each machine holds; a module is its file, a plain folder nothing."""
    package = tmp_path / "hexes"
    (package / "__pycache__").mkdir(parents=True)
    (tmp_path / "hex.py").write_text("")
    (tmp_path / "plain").mkdir()
    (package / "__init__.py").write_text("")
    (package / "board.json").write_text("{}")
    with on_path(tmp_path):
        first = digest_of("hexes")
        (package / "__pycache__" / "board.nbi").write_text("cached")
        assert digest_of("hexes") == first
        (package / "board.json").write_text("[]")
        assert digest_of("hexes") not in (first, "none")
        assert digest_of("hex") not in (first, "none")
        assert digest_of("plain") == digest_of("nowhere") == "none"
