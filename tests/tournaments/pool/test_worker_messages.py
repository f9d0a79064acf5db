"""What workers say, and what is made of bytes that no worker would send."""

from typing import Any

import msgspec
import pytest
from conftest import Tables
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import EXCEPTION, Block, BlockResult, Fault, Tally, packed
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.processes.channel import frame
from cantstop_arena.tournaments.pool.worker_messages import (
    BlockPlayed,
    Message,
    is_result_of,
    worker_broken,
)

BLOCK = Block((2, 5), 10, 2)


def tally(**changes: Any) -> Tally:
    usual: dict[str, Any] = {
        "games": 2,
        "wins": (90, 30),
        "unfinished": 0,
        "forfeits": 1,
        "counts": {"turns": (4, 5)},
        "squares": {"turns": 41},
        "lengths": {3: (2, 10)},
        "highlights": {"comeback": (3, 11)},
    }
    return Tally(**usual | changes)


def fault(**changes: Any) -> Fault:
    return replace(Fault(5, EXCEPTION, "no", (5, 2), 11, 1), **changes)


def result(**changes: Any) -> BlockResult:
    usual = BlockResult(
        BLOCK, (tally(), tally()), packed(b"\x01\x02\x03\x01"), bytes(16), (fault(),), (2,)
    )
    return replace(usual, **changes)


def test_a_report_is_not_longer_than_a_message_may_be() -> None:
    assert worker_broken("x" * 1_000_000 + "the end").report.endswith("the end")
    assert len(frame(worker_broken("x" * 1_000_000))) < 200_000


# --- Results --------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 3])
def test_what_a_table_plays_can_be_a_result_and_survives_the_way(
    tables: Tables, players: int
) -> None:
    table = tables.of(CLASSIC, ["rule28", "plain random", "glenn-aloi"], players)
    block = Block(tuple(range(players)), 4, 3)
    lost = [Fault(0, EXCEPTION, "as expected", block.group, 5, 1)]
    for condemned in ([], lost):
        played = table.play(block, condemned)
        assert is_result_of(played, block, len(table.orders))
        content = msgspec.msgpack.encode(BlockPlayed(played), enc_hook=int)
        assert msgspec.msgpack.decode(content, type=Message) == BlockPlayed(played)


@pytest.mark.parametrize(
    "changes",
    [
        {"block": replace(BLOCK, first=9)},
        {"tallies": (tally(),)},
        {"tallies": (tally(games=3), tally())},
        {"tallies": (tally(wins=(90, 31)), tally())},
        {"tallies": (tally(wins=(150, -30)), tally())},
        {"tallies": (tally(unfinished=-1), tally())},
        {"tallies": (tally(forfeits=3), tally())},
        {"tallies": (tally(counts={"turns": (1, 2, 3)}), tally(counts={"turns": (1, 2)}))},
        {"tallies": (tally(counts={"turns": (-(1 << 62), 2)}), tally())},
        {"tallies": (tally(counts={"tricks": (1, 2)}), tally())},
        {"tallies": (tally(squares={"turns": -1}), tally())},
        {"tallies": (tally(squares={"turns": 1 << 62}), tally())},
        {"tallies": (tally(lengths={3: (2, 12)}), tally())},
        {"tallies": (tally(highlights={"comeback": (3, 9)}), tally())},
        {"winners": packed(b"\x01\x02" * 5)},
        {"winners": packed(b"\x01\x02\x03\x04")},
        {"winners": packed(b"\x01\x02\x03\x01")[:-1]},
        {"winners": b""},
        {"measures": bytes(17)},
        {"faults": (fault(bot=3),)},
        {"faults": (fault(kind="fun"),)},
        {"faults": (fault(message="\x1b[31m"),)},
        {"faults": (fault(message="x" * 20_000),)},
        {"faults": (fault(seating=(2, 2)),)},
        {"faults": (fault(deal=12),)},
        {"faults": (fault(count=0),)},
        {"faults": (fault(count=3),)},
        {"irreproducible": (3,)},
    ],
)
def test_what_cannot_come_of_a_block_is_no_result_of_it(changes: dict[str, Any]) -> None:
    assert is_result_of(result(), BLOCK, 2)
    assert not is_result_of(result(**changes), BLOCK, 2)
