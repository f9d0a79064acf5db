"""The arena's end of the line to its courier."""

import contextlib
import os
import subprocess
from collections.abc import Sequence
from multiprocessing.connection import wait

from cantstop_arena.runtime.system import python_module
from cantstop_arena.tournament.cluster.letters import (
    FromCourier,
    Gone,
    Hire,
    HireAll,
    To,
    ToMachine,
    from_courier,
)
from cantstop_arena.tournament.pool.cluster_address import Address
from cantstop_arena.tournament.pool.frames import Frames, framed

_TO_END = 10.0  # seconds in which a courier ends what it has started


class Line:
    """To a courier, and through it to machines, all hired alike. Use it as a context manager.

    The courier is a command; `cluster` says to users where it carries letters.
    """

    def __init__(self, courier: Sequence[str], cluster: str, hire: Hire) -> None:
        self.cluster = cluster
        self._words = courier
        self._hire = HireAll(framed(hire))
        self._frames = Frames(from_courier)

    def __enter__(self) -> "Line":
        # It is not to hear Ctrl-C, which the arena does; nor to print.
        self._courier = subprocess.Popen(
            self._words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._write(framed(self._hire))
        return self

    def __exit__(self, *problem: object) -> None:
        assert self._courier.stdin and self._courier.stdout
        with contextlib.suppress(BrokenPipeError):
            self._courier.stdin.close()
        self._courier.stdout.close()
        try:
            self._courier.wait(_TO_END)
        except subprocess.TimeoutExpired:
            self._courier.kill()
            self._courier.wait()

    def send(self, machine: str, letter: ToMachine) -> None:
        """Tell a machine something, if it is there."""
        self._write(framed(To(machine, framed(letter))))

    def letters(self, seconds: float) -> list[FromCourier]:
        """What has come in; waits for it so long, but no longer. Raises Nonsense."""
        assert self._courier.stdout
        pipe = self._courier.stdout.fileno()
        if not wait([pipe], seconds):
            return []
        try:
            return self._frames.receive(pipe)
        except EOFError:
            return [Gone("the process that speaks with it has ended", True)]

    def _write(self, content: bytes) -> None:
        assert self._courier.stdin
        left = memoryview(content)
        with contextlib.suppress(BrokenPipeError):  # what can be read will say so
            while left:
                left = left[os.write(self._courier.stdin.fileno(), left) :]


def line_to(address: Address, processes: int, hire: Hire) -> Line:
    """A line to a cluster's machines, with so many processes on each.

    0: as many as Dask has threads there.
    """
    told = (address.kind, address.place, str(processes))
    return Line(python_module(f"{__package__}.courier", *told), str(address), hire)
