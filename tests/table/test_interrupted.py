"""Only the user ends the arena: not a bot that raises the arena's own exception."""

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from cantstop_arena.deals.outcomes import EXCEPTION, ILLEGAL, Block
from cantstop_arena.errors import Interrupted
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.table.bot_faults import TrustedPlayer
from cantstop_arena.table.seated_bot import SeatedBot

ARENA = [sys.executable, "-c", "from cantstop_arena.cli import main; main()"]
LITTLE = 500 << 20


def calm(*shown: Any) -> Any:
    return 0


def interrupts(*shown: Any) -> NoReturn:
    raise Interrupted(2)


class Mute:
    """An answer that cannot be told."""

    def __repr__(self) -> str:
        raise Interrupted(2)


def mute(*shown: Any) -> Any:
    return Mute()


class Leaver(TrustedPlayer, Player):
    """A person, or whoever else may end a game."""


def table_with(player: Player) -> EngineTable:
    contestants = [SeatedBot("calm", Player(calm, calm), ""), SeatedBot("other", player, "")]
    return EngineTable(GAME, CLASSIC, contestants, 2, 1)


@pytest.mark.parametrize(
    ("player", "kind"),
    [
        (Player(interrupts, calm), EXCEPTION),
        (Player(calm, interrupts), EXCEPTION),
        (Player(mute, calm), ILLEGAL),
    ],
)
def test_a_bot_that_raises_what_ends_the_arena_loses_its_game(player: Player, kind: str) -> None:
    played = table_with(player).play(Block((0, 1), 0, 1))
    assert [(fault.bot, fault.kind, fault.count) for fault in played.faults] == [(1, kind, 2)]


def test_a_person_who_leaves_ends_the_game() -> None:
    with pytest.raises(Interrupted):
        table_with(Leaver(interrupts, calm)).play(Block((0, 1), 0, 1))


@pytest.mark.parametrize("words", [["rules"], ["bench", "rule28"]])
def test_too_little_memory_is_said_in_a_sentence(tmp_path: Path, words: list[str]) -> None:
    ended = subprocess.run(
        [*ARENA, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LITTLE, LITTLE)),
    )
    told = "a process may take 500 MiB of address space here, and 1,024 MiB are needed"
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == f"not enough memory: {told}; raise the limit (ulimit -v)\n"
