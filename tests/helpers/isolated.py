"""Isolated bots and programs of tests, which leave nobody behind."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.bots.bot_start import BotStart, Isolation
from cantstop_arena.bots.isolated_bot import BotRaised, IsolatedBot
from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.bots.origins import Origin
from cantstop_arena.game_api.streams import Stream
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.games.cantstop.turn import Move, Turn
from cantstop_arena.processes.child import ChildFailed
from helpers.paths import ROOT
from helpers.time_limit import TIME_LIMIT

STEPS = ROOT / "bots" / "programs" / "steps.sh"
LINUX = sys.platform == "linux"
KEY = 0x9E3779B97F4A7C15


def marking(mark: Path) -> str:
    """A bot's file that leaves a mark wherever it is imported."""
    return f"""
try:
    open({str(mark)!r}, "a").close()
except OSError:
    pass
def choose_move(turn, moves):
    return 0
def roll_again(turn, level=3):
    return turn.rolls < level
"""


def spaces(**standing: int) -> tuple[int, ...]:
    """Spaces by column: `spaces(c7=3)`."""
    return tuple(standing.get(f"c{column}", 0) for column in range(13))


TURN = Turn(
    seat=0,
    players=2,
    number=3,
    rolls=2,
    dice=(2, 3, 5, 6),
    runners=spaces(c5=1, c11=1),
    free=1,
    placed=(5, 11),
    usable=(3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    claimed=(2,),
    markers=spaces(c7=3),
    rivals=(spaces(c6=4, c8=1),),
    claims=0,
    rival_claims=(1,),
    rules=CLASSIC,
    random=Stream(KEY),
)
MOVES = ((5, 11), (7, 9), (8, 8))

# What a program of the tests begins with: it is ready, and has heard of its first game.
READY = """
import json, os, signal, sys, threading, time
def hear():
    line = sys.stdin.buffer.readline()
    if not line:
        os._exit(0)
    return line
def say(data):
    while data:
        data = data[os.write(1, data):]
hear(); say(b'{"type":"ready"}\\n')
hear()
"""


SERVED: tuple[str, ...] = ()
"""The command of a bot in Python, which the arena serves."""


def start_of(argv: tuple[str, ...], cwd: Path, **fields: Any) -> BotStart:
    """The start of a program, or of NOBODY if it is SERVED."""
    isolated = {"isolation": Isolation.SANDBOX_IF_ANY, "command": argv, "cwd": cwd}
    return BotStart(name="tested", **{"bot": NOBODY, **isolated, **fields})


def program(text: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", "-c", text)


class Started:
    """Remotes that are closed when a test is over, and leave nobody behind."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remotes: list[IsolatedBot] = []
        self.groups: set[int] = set()

    def __call__(self, argv: Sequence[str], **treatment: Any) -> IsolatedBot:
        """A remote for a command, or SERVED, with its first game begun."""
        usual = start_of(tuple(argv), self.folder, decision_limit=5.0)
        remote = IsolatedBot(replace(usual, **treatment))
        self.remotes.append(remote)
        self.begin(remote)
        return remote

    def program(self, text: str, **treatment: Any) -> IsolatedBot:
        return self(program(READY + text), **treatment)

    def begin(self, remote: IsolatedBot) -> None:
        remote.begin(0, 2, CLASSIC, KEY)
        self.groups.add(pid_of(remote))

    def __enter__(self) -> "Started":
        signal.alarm(500)  # ends this process where something waits for a program for ever
        return self

    def __exit__(self, *problem: object) -> None:
        for remote in self.remotes:
            remote.close()
        for group in self.groups:
            assert_gone(group)
        signal.alarm(0)


def chosen_by(remote: IsolatedBot, turn: Turn, moves: Sequence[Move]) -> object:
    return remote.decide(GAME.decisions["choose_move"], turn, moves)


def rolls_again(remote: IsolatedBot, turn: Turn) -> object:
    return remote.decide(GAME.decisions["roll_again"], turn)


def pid_of(remote: IsolatedBot) -> int:
    assert remote._child is not None
    return remote._child.pid


def assert_gone(group: int) -> None:
    """Nobody of a process group is alive, soon."""
    end = time.monotonic() + TIME_LIMIT
    while living(group) and time.monotonic() < end:
        time.sleep(0.02)
    if not living(group):
        return
    raise AssertionError(f"{living(group)} of process group {group} live on")


def living(group: int) -> list[str]:
    """The states of a process group's members; elsewhere than on Linux only whether it has any."""
    if not LINUX:
        try:
            os.killpg(group, 0)
        except OSError:
            return []
        return ["somebody"]
    states = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, told = (process / "stat").read_text().rpartition(") ")[2].split()[:3]
            states += [f"{process.name} {state}"] if int(told) == group and state != "Z" else []
    return states


NOBODY = BotAddress("nobody", GAME.name, Origin.BUILT_IN, "")


def address_of(path: Path) -> BotAddress:
    """The bot of a file, whatever that says."""
    source = BotSource(path).identified()
    return BotAddress(path.stem, GAME.name, Origin.FILE, source.digest, source)


def kind(error: Exception) -> str:
    """The kind of a child's failure."""
    assert isinstance(error, ChildFailed)
    return error.failure.kind


def failure_of(ask: Callable[[], object]) -> ChildFailed | BotRaised:
    """The failure that a question ends with. Every message is one printable line, not long."""
    with pytest.raises((ChildFailed, BotRaised)) as caught:
        ask()
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 700
    failure = caught.value
    assert isinstance(failure, ChildFailed | BotRaised)
    return failure
