"""What workers say, and what is made of bytes that no worker would send."""

import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Tables
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import EXCEPTION, Block, BlockResult, Fault, Tally
from cantstop_arena.deals.winners import packed
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.processes.channel import ProtocolError, frame
from cantstop_arena.tournaments.pool.worker_messages import (
    BlockPlayed,
    Inbox,
    Message,
    Ready,
    ReplayedEvent,
    WorkerBroken,
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


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe's two ends, that to read from first."""
    read, write = os.pipe()
    yield read, write
    for end in (read, write):
        if end_is_open(end):
            os.close(end)


def end_is_open(end: int) -> bool:
    try:
        os.fstat(end)
    except OSError:
        return False
    return True


MESSAGES: list[Message] = [
    Ready(),
    BlockPlayed(result()),
    ReplayedEvent({"event": "roll", "dice": [1, 2]}),
    WorkerBroken("Traceback"),
]


def test_messages_arrive_as_they_were_sent_whatever_the_pieces(pipe: tuple[int, int]) -> None:
    inbox, content = Inbox(), b"".join(map(frame, MESSAGES))
    heard: list[Message] = []
    for place in range(0, len(content), 7):
        os.write(pipe[1], content[place : place + 7])
        heard += inbox.receive(pipe[0])
    assert heard == MESSAGES
    os.write(pipe[1], content)
    assert inbox.receive(pipe[0]) == MESSAGES
    assert inbox.receive(pipe[0]) == []


def test_what_came_before_the_end_is_heard(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], frame(Ready()) + frame(Ready())[:-1])
    os.close(pipe[1])
    inbox = Inbox()
    assert inbox.receive(pipe[0]) == [Ready()]
    with pytest.raises(EOFError):
        inbox.receive(pipe[0])


def of_length(content: bytes) -> bytes:
    return frame(Ready())[:8] + len(content).to_bytes(8, "big") + content


class Attack:
    """Leaves a mark where somebody unpickles it."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.mark,)


@pytest.mark.parametrize(
    "content",
    [
        b"something that a bot prints",
        frame(Ready())[:8] + b"\xff" * 8,  # longer than anything
        of_length(b""),
        of_length(b"\xc1"),
        of_length(b"\x91" * 10_000),  # deeply nested
        of_length(b"\x81\xa4type\xa4Quit"),
        frame(BlockPlayed(result())).replace(b"turns", b"tur\xffs"),
        frame(BlockPlayed(result(winners="text"))),
        frame(BlockPlayed(result(tallies=(1, 2)))),
    ],
)
def test_what_no_worker_says_is_nonsense(pipe: tuple[int, int], content: bytes) -> None:
    os.write(pipe[1], frame(Ready()) + content)
    inbox = Inbox()
    assert inbox.receive(pipe[0]) == [Ready()]
    for _ in range(2):
        with pytest.raises(ProtocolError):
            inbox.receive(pipe[0])


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_whatever_raise_anything_else(content: bytes) -> None:
    read, write = os.pipe()
    try:
        os.write(write, of_length(content))
        with pytest.raises(ProtocolError):
            Inbox().receive(read)
    finally:
        os.close(read)
        os.close(write)


def test_nothing_is_unpickled(pipe: tuple[int, int], tmp_path: Path) -> None:
    os.write(pipe[1], of_length(pickle.dumps(Attack(tmp_path / "mark"))))
    with pytest.raises(ProtocolError):
        Inbox().receive(pipe[0])
    assert not (tmp_path / "mark").exists()


def test_a_report_is_not_longer_than_a_message_may_be() -> None:
    assert worker_broken("x" * 1_000_000 + "the end").report.endswith("the end")
    assert len(frame(worker_broken("x" * 1_000_000))) < 200_000


# --- Results --------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 3])
def test_what_a_table_plays_can_be_a_result_and_survives_the_way(
    tables: Tables, players: int, pipe: tuple[int, int]
) -> None:
    table = tables.of(CLASSIC, ["rule28", "plain random", "glenn-aloi"], players)
    block = Block(tuple(range(players)), 4, 3)
    lost = [Fault(0, EXCEPTION, "as expected", block.group, 5, 1)]
    for condemned in ([], lost):
        played = table.play(block, condemned)
        assert is_result_of(played, block, len(table.orders))
        os.write(pipe[1], frame(BlockPlayed(played)))
        assert Inbox().receive(pipe[0]) == [BlockPlayed(played)]


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
