"""The plain data that crosses rooms: who meets whom, on which deals, and what came of it.

Nothing here knows any game. A *lineup* is bots in seat order, a *seating* one order of the
bots of a group, a *deal* one numbered set of what chance decides, a *block* a run of deals, each
played in every seating of one group.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.counting import Counts
from cantstop_arena.deals.seatings import Group, Orders, standard_orders
from cantstop_arena.deals.winners import packed, unpacked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cantstop_arena.deals.predecessor_sums import Predecessors
    from cantstop_arena.deals.sampling import DealSums
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.deals.solo_pairs import SoloPairs

# The kinds of faults.
EXCEPTION, ILLEGAL, TOO_SLOW, DIED = "exception", "illegal answer", "too slow", "died"


class Block(msgspec.Struct, frozen=True):
    """A run of deals, `first` to `first + deals - 1`, for one group of bots."""

    group: Group
    first: int
    deals: int

    @property
    def end(self) -> int:
        """The deal after the last one."""
        return self.first + self.deals

    def part(self, first: int, end: int) -> "Block":
        """The deals from `first` up to, not including, `end`."""
        return Block(self.group, first, end - first)


class Fault(msgspec.Struct, frozen=True):
    """The first game of some deals in which a bot misbehaved in some way, and how often it did."""

    bot: int
    kind: str
    message: str
    seating: Group
    deal: int
    count: int


class Tally(msgspec.Struct, frozen=True):
    """What the games of one seating add up to.

    `wins` are parts of WHOLE for each seat, games without a winner shared by all; `counts` are
    sums for each seat of what the game counts, `squares` sums of squares of a whole game's count.
    `lengths` has the games of each class of lengths, and the first deal with one; `telling` has,
    by kind, how telling the most telling game was, and its first deal. The `forfeits`, games that
    ended by a fault, count as games and wins and in nothing else.
    """

    games: int
    wins: tuple[int, ...]
    unfinished: int
    forfeits: int
    counts: Mapping[str, tuple[int, ...]]
    squares: Mapping[str, int]
    lengths: Mapping[int, tuple[int, int]] = msgspec.field(default_factory=dict)
    highlights: Mapping[str, tuple[int, int]] = msgspec.field(default_factory=dict)

    def __add__(self, other: "Tally") -> "Tally":
        return sum_tallies((self, other))


def sum_tallies(tallies: Sequence[Tally]) -> Tally:
    """What all of these, at least one, add up to."""
    first, *others = tallies
    if not others:
        return first
    return Tally(
        games=sum(tally.games for tally in tallies),
        wins=_added(tally.wins for tally in tallies),
        unfinished=sum(tally.unfinished for tally in tallies),
        forfeits=sum(tally.forfeits for tally in tallies),
        counts={name: _added(tally.counts[name] for tally in tallies) for name in first.counts},
        squares={name: sum(tally.squares[name] for tally in tallies) for name in first.squares},
        lengths=_united((tally.lengths for tally in tallies), _counted_together),
        highlights=_united((tally.highlights for tally in tallies), _greater_highlight),
    )


def _added(rows: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*rows, strict=True)))


_Key = TypeVar("_Key", int, str)
_Highlight = tuple[int, int]  # a number, and the deal where it was found first


def _united(
    tables: Iterable[Mapping[_Key, _Highlight]],
    together: Callable[[_Highlight, _Highlight], _Highlight],
) -> dict[_Key, _Highlight]:
    """What any of them has; `together` says what comes of what two have."""
    united: dict[_Key, _Highlight] = {}
    for table in tables:
        for key, result in table.items():
            existing = united.get(key)
            united[key] = together(existing, result) if existing else result
    return united


def _counted_together(this: _Highlight, that: _Highlight) -> _Highlight:
    return this[0] + that[0], min(this[1], that[1])


def _greater_highlight(this: _Highlight, that: _Highlight) -> _Highlight:
    return max(this, that, key=lambda result: (result[0], -result[1]))


class BlockResult(msgspec.Struct, frozen=True):
    """A block as played: a tally for each seating, and what is kept of every game and deal.

    `winners` are those of all games, deal after deal in every seating: bit masks of the seats that
    won (all seats, where nobody did), packed (`deals.winners`). `measures` holds, deal after deal,
    sums over all games of the deal: little-endian 32-bit numbers, the game's own; nothing where
    none were asked for. `faults` has one entry for each bot, kind and deal. `irreproducible` are
    the bots whose answers were others when a game was played twice.
    """

    block: Block
    tallies: tuple[Tally, ...]
    winners: bytes
    measures: bytes = b""
    faults: tuple[Fault, ...] = ()
    irreproducible: tuple[int, ...] = ()

    def masks(self) -> "NDArray[np.uint8]":
        """The winners of every game: deals by seatings. Raises ValueError where they are none."""
        games = self.block.deals * len(self.tallies)
        return unpacked(self.winners, games).reshape(self.block.deals, -1)


def join_parts(block: Block, parts: Sequence[BlockResult]) -> BlockResult:
    """The result of a block that was played in parts, given in any order."""
    if len(parts) == 1:
        return parts[0]
    parts = sorted(parts, key=lambda part: part.block.first)
    return BlockResult(
        block,
        tuple(sum_tallies(tallies) for tallies in zip(*(p.tallies for p in parts), strict=True)),
        packed(b"".join(part.masks().tobytes() for part in parts)),
        b"".join(part.measures for part in parts),
        tuple(fault for part in parts for fault in part.faults),
        tuple(sorted({bot for part in parts for bot in part.irreproducible})),
    )


def merge_faults(faults: Iterable[Fault]) -> list[Fault]:
    """One fault for each bot and kind: the earliest game's, with the counts of all."""
    kinds: dict[tuple[int, str], Fault] = {}
    for fault in faults:
        existing_fault = kinds.setdefault((fault.bot, fault.kind), replace(fault, count=0))
        first = min(existing_fault, fault, key=_when)
        kinds[fault.bot, fault.kind] = replace(first, count=existing_fault.count + fault.count)
    return [kinds[key] for key in sorted(kinds)]


def _when(fault: Fault) -> tuple[int, list[int], Group, str]:
    return fault.deal, sorted(fault.seating), fault.seating, fault.message


class Snapshot(msgspec.Struct, frozen=True):
    """What can be seen of a block's play from outside, at some moment.

    `cursor` counts the block's games, deal after deal in every seating; `place` is the position
    in the group of the bot that was asked last, `asked` for what, and `deciding` whether its
    answer is still out. `step` changes with everything that happens.
    """

    cursor: int
    position: int
    decision: str
    deciding: bool
    step: tuple[int, ...]


class SharedWindow(msgspec.Struct, frozen=True):
    """How a game is watched from outside: the bytes it needs, and how they are read."""

    size: int
    looking_at: Callable[[Any], Callable[[], Snapshot]]


class FaultReport(msgspec.Struct, frozen=True):
    """What a bot did, told in names: the first game of a kind of fault, and how often it came.

    `replay` is the command that plays that game again.
    """

    bot: str
    kind: str
    message: str
    seats: tuple[str, ...]
    deal: int
    count: int
    replay: str


# What a tournament can be played until: see Until.
ELO_ERROR, WIDTH, TEST = "elo_error", "width", "test"


class Until(msgspec.Struct, frozen=True):
    """The rule that ends a tournament: for every bot the `measure` is `limit` or less.

    ELO_ERROR is half the width of the interval of its Elo, WIDTH the whole width of that of its
    score; a TEST ends a match when it has decided, and knows no width. The intervals are confidence
    sequences, tuned for the `expected` number of deals.
    """

    measure: str
    limit: float
    expected: float


class Luck(msgspec.Struct, frozen=True):
    """Luck that was removed: the deals as they were, and how many times their games those without
    luck are worth. Where that is not more than 1 nothing was removed."""

    deals: "DealSums"
    gain: float


class TournamentTotals(msgspec.Struct, frozen=True):
    """All that a tournament has played, added up.

    `bots` are names; groups and seatings speak of them by number. A disqualified bot is none of
    them, and its games are left out; what it did is among the `faults`. `counts` says what the game
    counts, and in which words. `anchor` gives the Elo of a bot to which the others' relate; without
    one the mean does. Where games were played `until` intervals were narrow, these are confidence
    sequences. There is no `seed` where tournaments with several were rated together. `seat_orders`
    are those in which bots took their seats in each deal, if they are not the usual ones. Games
    that were asked for and are missing, as a run was interrupted or goes on, are `unplayed`. With
    a `challenger` only its games were played. `remarks` are what the game says of its own bots,
    where one does not play as its name promises. `predecessors` tells what it means to sit after
    each bot, where the game asks for it. Where `luck` was removed, the `deals` are without it.
    """

    name: str
    game: str
    rules: Mapping[str, object]
    players: int
    seed: "Seed | None"
    bots: tuple[str, ...]
    tallies: Mapping[Group, Tally]
    deals: "DealSums"
    counts: Counts
    anchor: Mapping[str, float] = msgspec.field(default_factory=dict)
    faults: tuple[FaultReport, ...] = ()
    disqualified: tuple[str, ...] = ()
    irreproducible: tuple[str, ...] = ()
    until: Until | None = None
    seat_orders: Orders | None = None
    missing_games: int = 0
    challenger: str = ""
    notes: tuple[str, ...] = ()
    predecessors: "Predecessors | None" = None
    luck: Luck | None = None
    alongside: "SoloPairs | None" = None

    @property
    def plain(self) -> "TournamentTotals":
        """The same with the deals as they were played."""
        return replace(self, deals=self.luck.deals, luck=None) if self.luck else self

    @property
    def orders(self) -> Orders:
        """The orders in which bots took their seats in each deal."""
        return self.seat_orders or standard_orders(self.players)
