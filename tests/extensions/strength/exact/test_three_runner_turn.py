"""The exact turn and its nets: held against slow ones, read from files that may be damaged."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import exact_turns
from helpers.paths import ROOT, TESTS

from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.extensions.strength.bots.grandmaster import grandmaster
from cantstop_arena.extensions.strength.exact.turn_board import objection
from cantstop_arena.extensions.strength.nets.net_files import (
    SHIPPED,
    as_bytes,
    read_nets,
    shipped_nets,
)
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED

HERE = TESTS / "helpers"


@pytest.mark.slow
def test_every_state_of_a_turn_is_worth_what_a_slow_solver_says() -> None:
    """Without compiling, on boards of three columns."""
    done = subprocess.run(
        [sys.executable, HERE / "exact_turns.py"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{TESTS}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) > 50


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(exact_turns.SMALL)))
def test_compiled_turns_are_worth_what_a_slow_solver_says(number: int) -> None:
    assert exact_turns.compare(*exact_turns.SMALL[number], number) > 50


def test_rules_that_turns_are_not_solved_for_say_why() -> None:
    assert objection(CLASSIC, 2) is None
    assert objection(NAMED["korean"][0], 4) is None
    for rules, players, why in (
        (NAMED["jump"][0], 2, "landing jump"),
        (CLASSIC._replace(runners=4), 2, "4 runners"),
        (CLASSIC._replace(sides=8, column_lengths=(3,) * 15), 2, "larger than the classic one"),
        (NAMED["long5"][0], 3, "may be full"),
    ):
        assert why in str(objection(rules, players))


def test_shipped_nets_say_which_command_made_them() -> None:
    for file, nets in zip(SHIPPED, shipped_nets(), strict=True):
        name = nets.rules.name
        assert file.name == f"{name}-{nets.players}.nets"
        assert nets.rules == NAMED[name][0]
        assert re.fullmatch(
            rf"arena train {name} --players {nets.players} --seed \d+( --rounds \d+)?", nets.command
        )


def test_nets_are_read_as_they_were_written(tmp_path: Path) -> None:
    (nets, *_), file = shipped_nets(), tmp_path / "again.nets"
    file.write_bytes(as_bytes(nets))
    again = read_nets(file)
    assert (again.rules, again.players, again.command) == (nets.rules, nets.players, nets.command)
    assert again.ends.tobytes() == nets.ends.tobytes()


@pytest.mark.parametrize("place", [0, 5, 200, -1])
def test_damaged_nets_are_refused_with_a_sentence(tmp_path: Path, place: int) -> None:
    whole, file = bytearray(as_bytes(shipped_nets()[0])), tmp_path / "damaged.nets"
    whole[place] ^= 1
    file.write_bytes(whole)
    with pytest.raises(UsageError, match="is damaged"):
        read_nets(file)
    with pytest.raises(BotError, match="is damaged"):
        grandmaster(str(file))


@pytest.mark.parametrize("content", [b"", b"{}", b"\n", b"[]\n", b'{"format": 1}\n', b"\xff" * 99])
def test_what_is_no_file_of_nets_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "none.nets"
    file.write_bytes(content)
    with pytest.raises(UsageError, match="not a file of nets for this game"):
        read_nets(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_nets(tmp_path / "none.nets")
