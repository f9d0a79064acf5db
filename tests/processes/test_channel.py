"""A channel's ends: whole messages, what a damaged stream gives, and nobody waits for a child."""

import contextlib
import os
import pickle
import random
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantstop_arena.processes.channel import (
    MAX_MESSAGE_BYTES,
    Channel,
    ChannelClosed,
    ChildEnd,
    ProtocolError,
    _PipeChannel,
    decoder,
    encoded,
    frame,
)


class Note(msgspec.Struct, tag=True, frozen=True):
    """Some text."""

    text: str


class Sum(msgspec.Struct, tag=True, frozen=True):
    """Some numbers."""

    numbers: tuple[int, ...]


Either: TypeAlias = Note | Sum
MESSAGES: list[Either] = [Note("a"), Sum((1, 2, 3)), Note(""), Note("long " * 40_000), Sum(())]
HEADER_BYTES = len(frame(None)) - 1


class Ends:
    """A channel, and the socket of its child, which may write anything."""

    def __init__(self) -> None:
        here, self.child = socket.socketpair()
        self.channel: Channel[Either] = Channel(here, Either)

    def close(self) -> None:
        self.channel.close()
        self.child.close()

    def everything(self, stream: bytes) -> tuple[list[Either], type[Exception]]:
        """The messages received when the child writes this and ends; the error at last."""
        threading.Thread(target=self._write, args=(stream,)).start()
        received: list[Either] = []
        while True:
            try:
                received += self.channel.receive()
            except (ProtocolError, ChannelClosed) as error:
                return received, type(error)

    def _write(self, stream: bytes) -> None:
        with contextlib.suppress(OSError):  # the reader has had enough
            self.child.sendall(stream)
        self.child.close()


@pytest.fixture
def ends() -> Iterator[Ends]:
    ends = Ends()
    yield ends
    ends.close()


def with_content(content: bytes) -> bytes:
    """A frame of any content."""
    return frame(None)[:8] + len(content).to_bytes(8, "big") + content


def test_messages_arrive_as_sent_whatever_the_pieces(ends: Ends) -> None:
    stream = b"".join(map(frame, MESSAGES))
    received: list[Either] = []
    for index in range(0, len(stream), 4999):
        ends.child.sendall(stream[index : index + 4999])
        received += ends.channel.receive()
    assert received == MESSAGES
    assert ends.channel.receive() == []
    ends.channel.refuse_unexpected()
    ends.child.sendall(stream[:1])
    with pytest.raises(ProtocolError):
        ends.channel.refuse_unexpected()


def test_the_child_receives_what_was_sent_and_then_the_end(ends: Ends) -> None:
    child: ChildEnd[Either] = ChildEnd(ends.child, Either)
    ends.channel.send(Note("a"))
    ends.channel.send(Sum(tuple(np.arange(3))))
    assert [child.receive(), child.receive()] == [Note("a"), Sum((0, 1, 2))]
    child.send(Note("b"))
    assert ends.channel.receive() == [Note("b")]
    ends.channel.close()
    with pytest.raises(EOFError):
        child.receive()


@given(st.randoms(use_true_random=False))
def test_a_damaged_stream_gives_the_messages_before_the_damage(chance: random.Random) -> None:
    messages = [chance.choice(MESSAGES[:3]) for _ in range(chance.randint(0, 6))]
    frames = list(map(frame, messages))
    intact = chance.randint(0, len(messages))  # frames before the damage
    begin = sum(map(len, frames[:intact]))
    stream = bytearray(b"".join(frames))
    place = chance.randint(begin, len(stream))
    kind = chance.choice(["cut", "added", "changed", "length"])
    if kind == "cut":
        del stream[place:]
    elif kind == "added":
        stream[place:place] = chance.randbytes(chance.randint(1, 40))
    elif kind == "changed" and place < len(stream):
        stream[place] ^= chance.randint(1, 255)
    elif kind == "length":
        stream[begin:] = frame(None)[:8] + (MAX_MESSAGE_BYTES + 1).to_bytes(8, "big")
    ends = Ends()
    received, error = ends.everything(bytes(stream))
    ends.close()
    assert received[:intact] == messages[:intact]
    assert all(isinstance(message, Either) for message in received)
    if kind == "length":
        assert (len(received), error) == (intact, ProtocolError)
    if kind == "cut":
        assert error is ChannelClosed


class Attack:
    """Leaves a mark where somebody unpickles it."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.mark,)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xc1",
        b"\x91" * 10_000,  # deeply nested
        b"\x81\xa4type\xa4Quit",
        b"\x82\xa4type\xa4Note\xa4text\xa2\xff\xff",
        pickle.dumps(Attack(Path("mark"))),
    ],
)
def test_content_of_other_types_is_refused_each_time(
    ends: Ends, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ends.child.sendall(frame(Note("a")) + with_content(content))
    assert ends.channel.receive() == [Note("a")]
    for _ in range(2):
        with pytest.raises(ProtocolError):
            ends.channel.receive()
    assert not Path("mark").exists()


def test_waiting_for_an_answer_sends_what_the_child_had_no_room_for(ends: Ends) -> None:
    """Sending waits for nobody: here the child reads only afterwards."""
    question = Note("long " * 1_000_000)
    child: ChildEnd[Either] = ChildEnd(ends.child, Either)
    asked: list[Either] = []

    def answer() -> None:
        asked.append(child.receive())
        child.send(Sum((1,)))

    thread = threading.Thread(target=answer)
    ends.channel.send(question)
    thread.start()
    answers: list[Either] = []
    while not answers:
        ends.channel.wait(None)
        answers = ends.channel.receive()
    thread.join()
    assert (asked, answers) == ([question], [Sum((1,))])
    ends.channel.wait(0)


def test_that_the_child_has_gone_is_noticed_by_reading(ends: Ends) -> None:
    ends.channel.send(Note("unread"))
    ends.child.sendall(frame(Note("last")))
    ends.child.close()
    ends.channel.send(Note("to nobody"))
    assert ends.channel.receive() == [Note("last")]
    with pytest.raises(ChannelClosed):
        ends.channel.receive()


def test_paths_and_numbers_of_numpy_arrive_as_they_are() -> None:
    class Values(msgspec.Struct):
        path: Path
        share: float
        count: int

    path = Path(os.fsdecode(b"caf\xe9"))  # which is no text
    content = encoded(Values(path, np.float64(0.25), np.int64(7)))  # type: ignore[arg-type]
    assert decoder(Values)(content) == Values(path, 0.25, 7)
    with pytest.raises(TypeError, match="object cannot be sent"):
        encoded(object())


class Lengths:
    """A codec that notes how much it is given at a time."""

    def __init__(self) -> None:
        self.lengths: list[int] = []

    def bytes_of(self, message: object) -> bytes:
        return b""

    def messages_in(self, chunk: bytes) -> list[object]:
        self.lengths.append(len(chunk))
        return []

    def unexpected(self, chunk: bytes) -> str:
        return ""


def test_of_a_flood_a_mebibyte_is_read_before_the_codec_is_asked(tmp_path: Path) -> None:
    flood = tmp_path / "flood"
    flood.write_bytes(b"x" * (3 << 20))
    codec = Lengths()
    channel = _PipeChannel(os.open(flood, os.O_RDONLY), os.open(os.devnull, os.O_WRONLY), codec)
    channel.receive()
    channel.receive()
    channel.close()
    assert codec.lengths == [1 << 20, 1 << 20]
