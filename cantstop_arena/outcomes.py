"""The plain data that crosses rooms: who meets whom, on which deals, and what came of it.

Nothing here knows dice or columns. A *lineup* is bots in seat order, a *seating* one order of the
bots of a group, a *deal* one numbered set of dice streams, a *block* a run of deals, each played
in every seating of one group.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations

WHOLE = 60  # parts of one won game: 1 to 6 seats can share it evenly
Group = tuple[int, ...]  # the numbers of the bots that meet, ascending


def seatings(group: Group) -> Iterator[Group]:
    """Every order in which the bots of a group can take their seats, in canonical order."""
    return permutations(group)


@dataclass(frozen=True, slots=True)
class Block:
    """A run of deals, `first` to `first + deals - 1`, for one group of bots."""

    group: Group
    first: int
    deals: int


@dataclass(frozen=True, slots=True)
class Fault:
    """The first game of a block in which a bot misbehaved in some way, and how often it did."""

    bot: int
    kind: str
    message: str
    seating: Group
    deal: int
    count: int


@dataclass(frozen=True, slots=True)
class Tally:
    """What the games of one seating add up to.

    `wins` are parts of WHOLE for each seat, games without a winner shared by all; `counts` are
    sums for each seat of what the game counts, `squares` sums of squares of a whole game's count.
    """

    games: int
    wins: tuple[int, ...]
    unfinished: int
    counts: Mapping[str, tuple[int, ...]]
    squares: Mapping[str, int]

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            games=self.games + other.games,
            wins=_added(self.wins, other.wins),
            unfinished=self.unfinished + other.unfinished,
            counts={name: _added(self.counts[name], other.counts[name]) for name in self.counts},
            squares={name: self.squares[name] + other.squares[name] for name in self.squares},
        )


def _added(these: tuple[int, ...], those: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(this + that for this, that in zip(these, those, strict=True))


@dataclass(frozen=True, slots=True)
class BlockResult:
    """A block as played: a tally for each seating, and every deal's win shares.

    `shares` holds, deal after deal, the parts of WHOLE each bot of the group (in the group's
    order) won over all seatings of the deal: little-endian 16-bit numbers.
    """

    block: Block
    tallies: tuple[Tally, ...]
    shares: bytes
    faults: tuple[Fault, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class DealSums:
    """One bot's deals: the parts of WHOLE it won in a deal, over all games it played there.

    The games of a deal share their dice, so the deal, not the game, is the unit of sampling.
    """

    deals: int
    total: int
    squares: int


@dataclass(frozen=True, slots=True)
class Results:
    """All that a tournament has played, added up.

    `bots` are names; groups and seatings speak of them by number. `rates` names the quotients of
    counts that describe a bot's style, such as busts per turn; "games" counts as a count.
    """

    name: str
    game: str
    rules: Mapping[str, object]
    players: int
    seed: int
    bots: tuple[str, ...]
    tallies: Mapping[Group, Tally]
    deal_sums: tuple[DealSums, ...]
    rates: Mapping[str, tuple[str, str]]
    faults: tuple[Fault, ...] = ()
