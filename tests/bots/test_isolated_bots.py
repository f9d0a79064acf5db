"""Bots in Python in processes of their own: what they return, raise and see, and the same games."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.isolated import (
    KEY,
    MOVES,
    SERVED,
    TURN,
    Started,
    address_of,
    chosen_by,
    failure_of,
    pid_of,
    rolls_again,
)
from helpers.parameters import slow_but
from helpers.paths import ROOT

from cantstop_arena.bots.isolated_bot import BotRaised, IsolatedBot
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.processes.child_limits import ChildLimits


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    with Started(tmp_path) as ours:
        yield ours


@pytest.fixture
def bot(tmp_path: Path, started: Started) -> Callable[..., IsolatedBot]:
    """A bot in Python, served, from the text of its file."""

    def served(text: str, **treatment: Any) -> IsolatedBot:
        (tmp_path / "mine.py").write_text(text)
        return started(SERVED, bot=address_of(tmp_path / "mine.py"), folder=tmp_path, **treatment)

    return served


# --- Bots in Python -------------------------------------------------------------------------------

CHOOSE = "def choose_move(turn, moves):\n    return 0\n"
AGAIN = "def roll_again(turn):\n    return True\n"


RETURNED = {
    "2": "2",
    "True": "True",
    "np.int64(2)": "2",
    "np.uint8(2)": "2",
    "np.bool_(False)": "False",
    "type('Two', (int,), {})(2)": "2",
    "0.0": "0.0",
    "None": "None",
    "'left'": "'left'",
    r"'\ud800'": r"'\ud800'",
    "float('nan')": "nan",
    "float('-inf')": "-inf",
    "[1, [2]]": "[1, [2]]",
    "Broken()": "<Broken instance at 0x",
    "'\\x1b[2J\\n'": r"'\x1b[2J\n'",
    "'x' * 10**6": "'xxx",
    "{'not': 'a'}": "{'not': 'a'}",
    "10 ** 5000": "a int",
}


def test_what_a_bot_returns_looks_the_same_here(bot: Callable[..., IsolatedBot]) -> None:
    cases = f"import numpy as np\nCASES = {list(RETURNED)}\n"
    broken = "class Broken:\n    def __repr__(self): raise ValueError\n"
    choose = CHOOSE.replace("return 0", "return eval(CASES[turn.number])")
    remote = bot(cases + broken + choose + AGAIN)
    for number, told in enumerate(RETURNED.values()):
        answer = chosen_by(remote, TURN._replace(number=number), MOVES)
        assert repr(answer).startswith(told)
        assert repr(answer).isprintable()
        assert len(repr(answer)) <= 60


RAISED = {
    "raise ValueError('a\\nb \\x1b')": r"ValueError: a b \\x1b \(<string>:1\)",
    "missing(turn)": r"NameError: .*missing.* \(<string>:1\)",
    "fail()": r"ZeroDivisionError: division by zero \(.*mine.py:1\)",
    "raise SystemExit(2)": "SystemExit: 2",
    "raise KeyboardInterrupt": "KeyboardInterrupt",
    "raise GeneratorExit": "GeneratorExit",
    "choose_move(turn, moves)": "RecursionError",
    "raise Sad": "Sad",
    "bytearray(1 << 40)": "MemoryError",
    "turn.nothing": "AttributeError",
    "turn.seat = 1": "AttributeError",
    "input()": "EOFError",
}


def test_whatever_a_bot_raises_is_told(bot: Callable[..., IsolatedBot]) -> None:
    fail = "def fail(): 1 / 0\nclass Sad(Exception): __str__ = lambda self: 1 / 0\n"
    choose = CHOOSE.replace("return 0", "exec(CASES[turn.number])")
    remote = bot(f"{fail}CASES = {list(RAISED)}\n{choose}{AGAIN}", limits=ChildLimits(1 << 32))
    before = pid_of(remote)
    for number, told in enumerate(RAISED.values()):
        turn = TURN._replace(number=number)
        failure = failure_of(lambda turn=turn: chosen_by(remote, turn, MOVES))  # type: ignore[misc]
        assert isinstance(failure, BotRaised)
        assert re.match(told, str(failure))
    assert rolls_again(remote, TURN) is True
    assert pid_of(remote) == before


def test_options_reach_a_bot_as_they_do_directly(bot: Callable[..., IsolatedBot]) -> None:
    text = CHOOSE + AGAIN.replace("(turn)", "(turn, when=(1, 2), how='a')").replace(
        "True", "'%r %r' % (when, how)"
    )
    remote = bot(text, options='{"when": [3, [4.5, Infinity]], "how": "\\u00e9"}')
    assert repr(rolls_again(remote, TURN)) == repr("(3, [4.5, inf]) 'é'")


def test_a_bot_that_cannot_be_built_is_refused(bot: Callable[..., IsolatedBot]) -> None:
    family = "from cantstop_arena import Bot\ndef register_bots(): return [Bot('mine', {})]"
    with pytest.raises(BotError, match="bot mine cannot be built: ZeroDivisionError"):
        bot(family.format("lambda risk=1: 1 / 0"))


def test_every_game_has_a_bot_of_its_own(bot: Callable[..., IsolatedBot], started: Started) -> None:
    text = """
import random
import numpy as np
from cantstop_arena import Bot
class Mine:
    def __init__(self):
        self.games = 0
    def choose_move(self, turn, moves):
        self.games += 1
        return self.games
    def roll_again(self, turn):
        return int(1e9 * (random.random() + np.random.random() + turn.random()))
def register_bots():
    return [Bot("mine", Mine)]
"""
    remote = bot(text)
    os.kill(pid_of(remote), signal.SIGINT)  # Ctrl-C does not reach it
    drawn = []
    for _ in range(3):
        assert [chosen_by(remote, TURN, MOVES) for _ in range(2)] == [1, 2]
        drawn.append([rolls_again(remote, TURN) for _ in range(2)])
        started.begin(remote)
    assert drawn[0] == drawn[1] == drawn[2]
    remote.begin(0, 2, CLASSIC, KEY + 1)
    assert rolls_again(remote, TURN) not in drawn[0]


def test_the_server_does_without_numba() -> None:
    text = "import sys, cantstop_arena.bots.bot_server, cantstop_arena.bots.isolated_bot\n"
    text += "sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", text]).returncode == 0


# --- The same games -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "players", "bots"),
    slow_but(
        (0,),
        [
            ("jump", 3, "random, odds, cautious"),
            ("korean", 2, "glenn-aloi, example"),
            ("long5", 1, "rule28"),
        ],
    ),
)
def test_isolated_bots_play_the_same_games(
    arena: Arena, rules: str, players: int, bots: str
) -> None:
    example = (ROOT / "bots/example.py").read_text()
    yaml = f"games: 4\nseed: 3\nrules: {rules}\nplayers: {players}\nbots: [{bots}]\nisolate: "
    played = []
    for isolate in ("processes", "false"):
        words = "run cup.yaml --quiet --fresh"
        done = arena(words, bots={"example": example}, yaml=yaml + isolate)
        played.append({key: done.json.get(key) for key in ("lineups", "by_bot", "standings")})
    assert played[0] == played[1]
    assert "faults" not in done.json
