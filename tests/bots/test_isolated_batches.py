"""Bots with `decide(batch)` in processes of their own: the same games, and their own faults."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from helpers.nets import write_net
from msgspec.structs import replace

from cantstop_arena.bots.bot_messages import Answer, BatchReport, BotStarted, Logits, Report
from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.tournaments.bot_adapters import IsolatedBatchedBot, IsolatedSeating, seat_bot
from cantstop_arena.tournaments.table_spec import bot_start

NET = """
import os
import time
import numpy as np

WEIGHTS = np.random.default_rng(1).standard_normal((58, 79)).astype(np.float32)
WEIGHTS[:, 77:] = 0
WEIGHTS[54, 78], WEIGHTS[56, 77] = 1, 0.1  # it rolls again while a runner is free
rows = 8


def decide(batch, temperature=0.0):
    rare = batch.live & (batch.random < 0.02)
    logits = batch.observations @ WEIGHTS
    {}
    return logits
"""
BLOCK = Block((0, 1), 0, 10)


def played(
    path: Path, isolation: Isolation, deals: Block = BLOCK, alone: bool = False, **start: Any
) -> BlockResult:
    """The result of a file's bot against a compiled one."""
    loader = Loader(path.parent)
    bot, rival = loader.load_file(path), loader.built_in_bot("cautious", GAME)
    first = bot_start("net", bot, bot.defaults)
    first = replace(first, isolation=isolation, cwd=path.parent, folder=path.parent, **start)
    seats = [seat_bot(first, loader), seat_bot(bot_start("cautious", rival, {}), loader)]
    table: EngineTable = GAME.table(CLASSIC, seats, 2, 7)
    table.keeps_counts = True
    try:
        return table.play(deals, alone=alone)
    finally:
        if isinstance(seating := seats[0].make_player, IsolatedSeating):
            seating.close()


def file_of(tmp_path: Path, line: str = "pass") -> Path:
    path = tmp_path / "net.py"
    path.write_text(NET.format(line))
    return path


def games_of(result: BlockResult) -> BlockResult:
    """The result without the folders of files in messages, and without what has computed it."""
    faults = [
        replace(fault, message=re.sub(r"\S*/", "(", fault.message)) for fault in result.faults
    ]
    return replace(result, faults=tuple(faults), device="")


def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows with a game of each batch that is sent to a process."""
    live: list[int] = []
    decide = IsolatedBatchedBot._decide_there

    def noting(self: IsolatedBatchedBot, batch: Any) -> Any:
        live.append(int(batch.live.sum()))
        return decide(self, batch)

    monkeypatch.setattr(IsolatedBatchedBot, "_decide_there", noting)
    return live


@pytest.mark.slow
def test_a_function_plays_the_same_games_and_gets_whole_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = calls(monkeypatch)
    apart = played(file_of(tmp_path), Isolation.PROCESSES)
    assert max(live) == 8
    assert games_of(apart) == games_of(played(file_of(tmp_path), Isolation.NONE))
    assert not apart.faults


@pytest.mark.slow
def test_a_net_plays_the_same_games(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="needs pip install -e '.[onnx]'")
    pytest.importorskip("onnx", reason="needs pip install -e '.[dev]'")
    path = write_net(str(tmp_path / "mine.onnx"))
    few = replace(BLOCK, deals=2)
    apart, here = (played(path, kind, few) for kind in (Isolation.PROCESSES, Isolation.NONE))
    assert games_of(apart) == games_of(here)
    assert "onnxruntime" in apart.device


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("logits[rare] = np.nan", {"illegal answer"}),
        ("if rare.any(): raise ValueError('rare')", {"exception"}),
        ("if rare.any(): return logits[:3]", {"illegal answer"}),
        ("if rare.any(): return [0] * 8", {"illegal answer"}),
        ("if rare.any(): return np.zeros((1000, 1000))", {"illegal answer"}),
        ("if rare.any(): return np.full(8, 99)", {"illegal answer"}),
    ],
)
def test_faults_are_those_of_the_same_games(tmp_path: Path, line: str, kinds: set[str]) -> None:
    path = file_of(tmp_path, line)
    apart, here = played(path, Isolation.PROCESSES), played(path, Isolation.NONE)
    assert {fault.kind for fault in apart.faults} == kinds
    assert games_of(apart) == games_of(here)


@pytest.mark.slow
def test_an_illegal_action_of_a_policy_for_one_position_is_an_illegal_answer(
    tmp_path: Path,
) -> None:
    path = tmp_path / "net.py"
    path.write_text("""
import cantstop_arena as ca

def policy(observation, mask):
    return 78 if mask[78] and observation[54] > 0 else mask.argmin()

def register_bots():
    return [ca.Bot("net", lambda: ca.PolicyBot(policy))]
""")
    few = replace(BLOCK, deals=2)
    apart, here = (played(path, kind, few) for kind in (Isolation.PROCESSES, Isolation.NONE))
    assert {fault.kind for fault in apart.faults} == {"illegal answer"}
    assert apart == here


@pytest.mark.parametrize(
    ("line", "kind"),
    [("if rare.any(): os._exit(3)", "died"), ("if rare.any(): time.sleep(60)", "too slow")],
)
@pytest.mark.slow
def test_ends_and_delays_cost_the_games_in_which_they_happen(
    tmp_path: Path, line: str, kind: str
) -> None:
    path = file_of(tmp_path, line)
    few = replace(BLOCK, deals=3)
    together = played(path, Isolation.PROCESSES, few, decision_limit=0.5)
    alone = played(path, Isolation.PROCESSES, few, alone=True, decision_limit=0.5)
    assert {fault.kind for fault in together.faults} == {kind}
    assert {fault.bot for fault in together.faults} == {0}
    assert sum(fault.count for fault in together.faults) < 6
    assert together == alone


def test_a_process_that_says_nonsense_of_its_batches_loses_its_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        IsolatedSeating, "start", lambda self, group: replace(self.remote.started, rows=-1)
    )
    result = played(file_of(tmp_path), Isolation.PROCESSES, replace(BLOCK, deals=1))
    assert [fault.count for fault in result.faults] == [2]
    assert "rows must be a whole number" in result.faults[0].message


@pytest.mark.parametrize(
    "message",
    [
        Answer(0, [[[]] * 9]),
        Logits(0, "<f4", [0] * 17),
        BotStarted(False, libraries=[""] * 17),
    ],
)
def test_a_long_message_has_no_value_of_any_shape(message: Report) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.msgpack.decode(msgspec.msgpack.encode(message), type=BatchReport)
