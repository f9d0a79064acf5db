"""A machine of a cluster as the arena sees it: what it has been given, and how fast it plays."""

import time
from collections.abc import Callable, Iterator

import msgspec

from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.deals.seatings import Group
from cantstop_arena.tournament.cluster.letters import Done, FromMachine, from_machine
from cantstop_arena.tournament.pool.block_pool import PlayedPart
from cantstop_arena.tournament.pool.frames import Frames, Nonsense
from cantstop_arena.tournament.pool.messages import is_result_of

_BUNDLE = 1.5  # seconds that a bundle of blocks is to take
_WINDOW = 3  # bundles that a machine has at most
_SOON = 0.01  # seconds from which on a pace can be told


class Piece(msgspec.Struct):
    """A block or a part of one; `left` are the deals, each from and up to, that have no result."""

    block: Block
    whole: Block
    left: list[tuple[int, int]]

    @classmethod
    def of(cls, block: Block, whole: Block) -> "Piece":
        """A piece of which nothing has been played."""
        return cls(block, whole, [(block.first, block.end)])

    def rest(self) -> Iterator["Piece"]:
        """What of it has no result."""
        return (Piece.of(self.block.part(*span), self.whole) for span in self.left)

    def played(self, part: Block) -> None:
        """A part has a result. Raises Nonsense where it is none that is left."""
        for number, (first, end) in enumerate(self.left):
            if first <= part.first < part.end <= end:
                cut = [(first, part.first), (part.end, end)]
                self.left[number : number + 1] = [span for span in cut if span[0] < span[1]]
                return
        raise Nonsense


class MachineSlot:
    """A machine with so many processes, what it says, and the pieces that it is to play."""

    def __init__(self, name: str, processes: int) -> None:
        self.name = name
        self.processes = processes
        self.is_at_work = False
        self.has_played = False
        self.given: dict[Block, Piece] = {}
        self._frames = Frames(from_machine)
        self._begun = 0.0
        self._played = 0

    def messages(self, content: bytes) -> list[FromMachine]:
        """What the machine has said by now. Raises Nonsense."""
        return self._frames.taken(content)

    @property
    def bundle(self) -> int:
        """How many blocks it plays in the time of a bundle, as far as has been seen."""
        passed = max(time.monotonic() - self._begun, _SOON)
        pace = self._played / passed
        return max(self.processes, round(_BUNDLE * pace))

    @property
    def load(self) -> float:
        """How many bundles it has."""
        return len(self.given) / self.bundle

    @property
    def is_hungry(self) -> bool:
        """Whether it is to be given another bundle."""
        return self.is_at_work and self.load <= _WINDOW - 1

    def give(self, pieces: list[Piece]) -> None:
        """Remember what it is to play."""
        self._begun = self._begun or time.monotonic()
        self.given.update((piece.block, piece) for piece in pieces)

    def done(self, letter: Done, orders: int) -> Iterator[PlayedPart]:
        """The results that it tells of what it has been given. Raises Nonsense for any others."""
        self.has_played = True
        for block, result in letter.parts:
            if piece := self.given.get(block):  # else it is void by now
                yield self._result(piece, result, orders)

    def _result(self, piece: Piece, result: BlockResult, orders: int) -> PlayedPart:
        is_of_it = result.block.group == piece.block.group
        if not (is_of_it and is_result_of(result, result.block, orders)):
            raise Nonsense
        piece.played(result.block)
        if not piece.left:
            del self.given[piece.block]
            self._played += 1
        return PlayedPart(result, piece.whole)

    def drop(self, void: Callable[[Group], bool]) -> set[Group]:
        """Forget what is void; the groups of which it had something."""
        gone = [block for block in self.given if void(block.group)]
        for block in gone:
            del self.given[block]
        return {block.group for block in gone}
