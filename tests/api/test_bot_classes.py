"""Classes of a caller's own as bots: what is written down, and what has no text."""

import math
import sys
import types
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cantstop_arena as ca
from cantstop_arena.api.bot_classes import source_of

LIMIT, WEIGHTS, LIST = 3, np.array([0.5, 2.0]), [1, (2, "two")]
HANDLE = sys.stdout


@cache
def _helper(number: int) -> float:
    return sqrt(number) * float(WEIGHTS[0]) + math.pi + _other(number)


def _other(number: int) -> int:
    return len(LIST) + (_helper(0) > 0 if number < 0 else 0)


class _Base:
    @staticmethod
    def floor(number: float) -> int:
        return math.floor(number)


class Player(_Base):
    """Stops early."""

    def __init__(self, rolls: int = LIMIT) -> None:
        self.rolls = rolls

    def choose_move(self, turn: "ca.Turn", moves: Any) -> int:
        return 0

    def roll_again(self, turn: Any) -> bool:
        df = _helper(turn.rolls)  # not the name of anything outside
        return self.floor(df) < self.rolls


def loaded(builder: Any) -> dict[str, Any]:
    """What the file of a bot defines, run as a module that knows nothing of this one."""
    module = types.ModuleType("written")
    exec(compile(source_of(builder, "cantstop"), "written.py", "exec"), vars(module))
    return vars(module)


def test_a_class_comes_with_all_of_its_own_that_it_names() -> None:
    found = loaded(Player)
    turn = types.SimpleNamespace(rolls=2)
    for rolls in (3, 6):
        assert found["Player"](rolls).roll_again(turn) == Player(rolls).roll_again(turn)
    assert found["WEIGHTS"].tolist() == WEIGHTS.tolist() and found["LIST"] == LIST
    assert [bot.name for bot in found["register_bots"]()] == ["Player"]
    assert "HANDLE" not in found and "np" not in found


def test_the_text_is_the_same_every_time_and_another_after_a_change() -> None:
    text = source_of(Player, "cantstop")
    assert text == source_of(Player, "cantstop") and str(Path.cwd()) not in text
    globals()["LIMIT"] = 4
    try:
        assert source_of(Player, "cantstop") != text
    finally:
        globals()["LIMIT"] = 3


def test_what_a_function_closes_over_is_written_down() -> None:
    def made(limit: int) -> Any:
        def build(more: int = 0) -> Any:
            return types.SimpleNamespace(limit=limit + more)

        return build

    assert loaded(made(7))["build"](1).limit == 8


def test_what_has_no_text_is_named() -> None:
    class Printer:
        def roll_again(self, turn: Any) -> None:
            print(turn, file=HANDLE)

    with pytest.raises(ca.BotError, match=r"Printer cannot play: HANDLE is a .*cannot be written"):
        source_of(Printer, "cantstop")
    wrongs: list[Any] = [lambda: None, Player(), 5]
    for wrong in wrongs:
        with pytest.raises(ca.BotError, match="a bot is a name, a path, or a class"):
            source_of(wrong, "cantstop")
    nowhere: dict[str, Any] = {}
    exec("class Typed:\n    def roll_again(self, turn): return False\n", nowhere)
    with pytest.raises(ca.BotError, match="the source of Typed cannot be found"):
        source_of(nowhere["Typed"], "cantstop")


@pytest.mark.slow
def test_a_class_plays_is_found_again_and_is_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bots: list[Any] = [Player, ca.bot(Player, rolls=6), ca.bot(Player, rolls=9, as_="brave")]
    results = ca.tournament(bots, games=2, seed=1).run()
    assert {*results.bots} == {"Player", "Player:rolls=6", "brave"}
    assert not len(results.faults)
    assert results.folder is not None
    again = ca.run(results.folder / "tournament.yaml", results=tmp_path / "again")
    assert again.standings.rows == results.standings.rows, "the file plays what is written down"
