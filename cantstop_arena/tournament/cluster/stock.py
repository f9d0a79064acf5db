"""Pieces of blocks that wait for a machine, some of them drawn from the schedule ahead of time."""

from collections import deque
from collections.abc import Callable, Iterable

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.deals.seatings import Group
from cantstop_arena.tournament.cluster.machine_slot import Piece

_SHARES = 2
"""Of what is in sight a machine gets at most one part in as many as all machines would get in two
rounds. So the last bundles become small, and machines end together."""


class Stock:
    """What is to be played: pieces that have come back first, then the blocks of a schedule."""

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        self._blocks = iter(blocks)
        self._pieces: deque[Piece] = deque()

    def __bool__(self) -> bool:
        self._look_ahead(1)
        return bool(self._pieces)

    def bundle(self, size: int, machines: int) -> list[Piece]:
        """The next pieces for one of some machines, a number of them or fewer towards the end."""
        self._look_ahead(_SHARES * machines * size)
        share = -(-len(self._pieces) // (_SHARES * machines))
        return [self._pieces.popleft() for _ in range(min(size, share))]

    def take_back(self, pieces: Iterable[Piece]) -> None:
        """Have the rest of these played before all others."""
        self._pieces.extendleft([rest for piece in pieces for rest in piece.rest()][::-1])

    def drop(self, void: Callable[[Group], bool]) -> None:
        """Forget pieces of groups that are void."""
        self._pieces = deque(piece for piece in self._pieces if not void(piece.block.group))

    def _look_ahead(self, count: int) -> None:
        while len(self._pieces) < count and (block := next(self._blocks, None)):
            self._pieces.append(Piece.of(block, block))
