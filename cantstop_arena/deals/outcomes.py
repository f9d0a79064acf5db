"""Plain data that processes exchange: which bots meet, on which deals, and the results.

Nothing here depends on a game. A *lineup* is bots in seat order, a *seating* one order of the
bots of a group, a *deal* one numbered set of dice or cards, a *block* a run of deals, each
played in every seating of one group.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cantstop_arena.deals.counting import Counts
from cantstop_arena.deals.payoff import WINS, Payoff
from cantstop_arena.deals.seatings import Group, Orders, standard_orders

if TYPE_CHECKING:
    from cantstop_arena.deals.predecessor_sums import Predecessors
    from cantstop_arena.deals.sampling import DealSums
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.deals.solo_pairs import SoloPairs

# The kinds of faults.
EXCEPTION, ILLEGAL, TOO_SLOW, DIED = "exception", "illegal answer", "too slow", "died"


ENOUGH_REPEATED = 16
"""So many deals alike, in which nothing is drawn, show that all of a group are."""


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
    """One kind of fault of a bot in some deals: its first game, and how often it occurred."""

    bot: int
    kind: str
    message: str
    seating: Group
    deal: int
    count: int


class Tally(msgspec.Struct, frozen=True):
    """Sums over the games of one seating.

    `wins` are win units (`win_units`) by seat, games without a winner shared by all; `counts` are
    sums by seat of what the game counts, `squares` sums of squares of the count of a game, its
    seats added up. `lengths` has the number of games of each class of lengths, and the first deal
    with one; `highlights` has, by kind, the greatest number of a game, and the first deal with it.
    `forfeits`, games that ended by a fault, are part of games and wins and of nothing else.
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
    """The sum of these tallies, of which there must be at least one."""
    first, *others = tallies
    if not others:
        return first
    return Tally(
        games=sum(tally.games for tally in tallies),
        wins=_column_sums(tally.wins for tally in tallies),
        unfinished=sum(tally.unfinished for tally in tallies),
        forfeits=sum(tally.forfeits for tally in tallies),
        counts={
            name: _column_sums(tally.counts[name] for tally in tallies) for name in first.counts
        },
        squares={name: sum(tally.squares[name] for tally in tallies) for name in first.squares},
        lengths=_merged_tables((tally.lengths for tally in tallies), _joined_classes),
        highlights=_merged_tables((tally.highlights for tally in tallies), _greater_number),
    )


def _column_sums(rows: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*rows, strict=True)))


_Key = TypeVar("_Key", int, str)
_NumberAndDeal = tuple[int, int]  # a number, and the first deal with it


def _merged_tables(
    tables: Iterable[Mapping[_Key, _NumberAndDeal]],
    combine: Callable[[_NumberAndDeal, _NumberAndDeal], _NumberAndDeal],
) -> dict[_Key, _NumberAndDeal]:
    """The tables merged; `combine` joins the values of a key that several have."""
    merged: dict[_Key, _NumberAndDeal] = {}
    for table in tables:
        for key, value in table.items():
            existing = merged.get(key)
            merged[key] = combine(existing, value) if existing else value
    return merged


def _joined_classes(this: _NumberAndDeal, that: _NumberAndDeal) -> _NumberAndDeal:
    return this[0] + that[0], min(this[1], that[1])


def _greater_number(this: _NumberAndDeal, that: _NumberAndDeal) -> _NumberAndDeal:
    return max(this, that, key=lambda value: (value[0], -value[1]))


class BlockResult(msgspec.Struct, frozen=True):
    """The results of a block: a tally for each seating, and data of every game and deal.

    `winners` are those of all games, deal after deal in every seating: bit masks of the seats that
    won (all seats, where nobody did), packed (`packed`). `measures` holds, deal after deal,
    sums over all games of the deal as little-endian 32-bit numbers, in the order of the game;
    empty if not requested. `payoffs` has, deal after deal, what each bot of the group and then each
    seat got in all games of the deal, in parts of the unit, as such numbers; empty if the game has
    no payoff. `faults` has one entry for each bot, kind and deal. `irreproducible`
    are the bots whose answers differed when a game was played twice. `fingerprints` has such a
    number for each deal, equal for deals of the same games in which nothing was drawn, and 0 where
    something was; empty where it was in all deals, and for compiled games. `device` is what has
    computed the answers of batched bots; empty without any.
    """

    block: Block
    tallies: tuple[Tally, ...]
    winners: bytes
    measures: bytes = b""
    faults: tuple[Fault, ...] = ()
    irreproducible: tuple[int, ...] = ()
    payoffs: bytes = b""
    fingerprints: bytes = b""
    device: str = ""

    def masks(self) -> "NDArray[np.uint8]":
        """The winners of every game: deals by seatings. Raises ValueError if they are malformed."""
        games = self.block.deals * len(self.tallies)
        return unpacked(self.winners, games).reshape(self.block.deals, -1)


def join_parts(block: Block, parts: Sequence[BlockResult]) -> BlockResult:
    """The result of a block from the results of its parts, in any order."""
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
        b"".join(part.payoffs for part in parts),
        _joined_fingerprints(parts),
        "; ".join(sorted({part.device for part in parts if part.device})),
    )


def _joined_fingerprints(parts: Sequence[BlockResult]) -> bytes:
    """The fingerprints of all deals; empty if no part has any."""
    if not any(part.fingerprints for part in parts):
        return b""
    return b"".join(part.fingerprints or bytes(4 * part.block.deals) for part in parts)


def merge_faults(faults: Iterable[Fault]) -> list[Fault]:
    """One fault for each bot and kind: the earliest game's, with the counts of all."""
    kinds: dict[tuple[int, str], Fault] = {}
    for fault in faults:
        existing_fault = kinds.setdefault((fault.bot, fault.kind), replace(fault, count=0))
        first = min(existing_fault, fault, key=_sort_key)
        kinds[fault.bot, fault.kind] = replace(first, count=existing_fault.count + fault.count)
    return [kinds[key] for key in sorted(kinds)]


def _sort_key(fault: Fault) -> tuple[int, list[int], Group, str]:
    return fault.deal, sorted(fault.seating), fault.seating, fault.message


class Snapshot(msgspec.Struct, frozen=True):
    """The state of a block's play at some moment, as seen from another process.

    `cursor` is the index of the game, deal after deal in every seating; `position` is that in the
    group of the bot that is deciding or has decided last. `phase` is whose code runs, one of those
    in `game_api.watched`, and `function` its name: a decision of the bot, or a function of the
    game; empty in the arena's code. `step` changes with every event.
    """

    cursor: int
    position: int
    function: str
    phase: int
    step: tuple[int, ...]


class SharedWindow(msgspec.Struct, frozen=True):
    """Shared memory for snapshots of a game: its `size` in bytes, how it is read, the game."""

    size: int
    reader: Callable[[Any], Callable[[], Snapshot]]
    title: str


class FaultReport(msgspec.Struct, frozen=True):
    """One kind of fault of a bot, with names: its first game, and how often it occurred.

    `replay` is the command that replays that game.
    """

    bot: str
    kind: str
    message: str
    seats: tuple[str, ...]
    deal: int
    count: int
    replay: str


class LeftOut(msgspec.Struct, frozen=True):
    """A bot that a pattern of the tournament matches, and the reason why it cannot play."""

    bot: str
    reason: str

    @property
    def text(self) -> str:
        """A sentence that says so."""
        return f"{self.bot} is left out: {self.reason}."


# How luck is measured: by what a roll puts at stake, or by winning chances; empty: not at all.
BY_STAKE, BY_VALUE = "stake", "value"
LuckRemoved: TypeAlias = bool | Literal["value"]
"""Whether luck is removed: by the stake of rolls, or by winning chances."""

# What a tournament can be played until: see Until.
ELO_ERROR, WIDTH, TEST = "elo_error", "width", "test"
PAYOFF_WIDTH = "payoff_width"  # the width of a tournament that is sorted by payoff


class Until(msgspec.Struct, frozen=True):
    """The rule that ends a tournament: for every bot the `measure` is `limit` or less.

    ELO_ERROR is half the width of the interval of its Elo, WIDTH the whole width of that of its
    score, PAYOFF_WIDTH that of its mean payoff; a TEST ends a match when it has decided, and has no
    width. The intervals are confidence sequences, tuned for the `expected` number of deals.
    """

    measure: str
    limit: float
    expected: float

    @property
    def as_key(self) -> dict[str, float]:
        """The rule as a file has it."""
        return {WIDTH if self.measure == PAYOFF_WIDTH else self.measure: self.limit}


class TournamentTotals(msgspec.Struct, frozen=True):
    """The games of a tournament, added up.

    `bots` are names; groups and seatings have their indices. Disqualified bots are not among them,
    and their games are left out, but not their `faults`. `counts` describes what the game counts.
    `anchor` is the fixed Elo of a bot, by name; without one the even score is 1500. Where games
    were played `until` intervals were narrow, these are confidence sequences. `seed` is None where
    tournaments with different seeds were rated together. `seat_orders` are the orders of seats in
    each deal, if they are not the standard ones. `missing_games` of a run that was interrupted or
    goes on are not played yet. Bots that are `left_out` did not play. With a `challenger` only its
    games were played. The `subject` is the bot that the results are about: the challenger of a
    gauntlet, the first bot of a match; empty in other tournaments. `notes` are those of the game on
    its own bots, where one does not play as its name promises. `predecessors` is the effect of
    sitting after each bot, if the game counts it. Where luck was removed, the `deals` are without
    it, and `with_luck` are the same deals as played. In a game with a `payoff`, which has the
    bounds of these rules, `payoffs` are sums like those of wins, in its parts; standings are
    `sorted_by` wins or payoffs. Groups in which nothing is drawn have `repeated` deals: so many of
    all that were asked for count, the others are these again. `drawn` are the numbers of games
    that all seats won, of seatings that have any. `players` are those whom bots play: sides, where
    the game has partners; then there are more `seats`, otherwise 0.
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
    devices: tuple[str, ...] = ()
    until: Until | None = None
    seat_orders: Orders | None = None
    missing_games: int = 0
    left_out: tuple[LeftOut, ...] = ()
    challenger: str = ""
    subject: str = ""
    notes: tuple[str, ...] = ()
    predecessors: "Predecessors | None" = None
    with_luck: "DealSums | None" = None
    payoff: Payoff | None = None
    payoffs: "DealSums | None" = None
    sorted_by: str = WINS
    solo_pairs: "SoloPairs | None" = None
    repeated: Mapping[Group, tuple[int, int]] = msgspec.field(default_factory=dict)
    drawn: Mapping[Group, int] = msgspec.field(default_factory=dict)
    seats: int = 0

    @property
    def is_one_deal(self) -> bool:
        """Whether all deals of each lineup are one and the same, from which no error follows."""
        populations = self.deals.populations
        return bool(self.repeated) and all((each.deals == 1).all() for each in populations)

    @property
    def plain(self) -> "TournamentTotals":
        """The same with luck not removed."""
        return replace(self, deals=self.with_luck, with_luck=None) if self.with_luck else self

    @property
    def orders(self) -> Orders:
        """The orders in which bots took their seats in each deal."""
        return self.seat_orders or standard_orders(self.players)


WIN_UNITS = 60  # of a won game: 1 to 6 seats can share it evenly


def win_units(players: int) -> int:
    """The number of win units of a won game, such that any number of its seats share it evenly.

    WIN_UNITS up to six seats. All sums of wins are in these units.
    """
    return WIN_UNITS if players <= 6 else 14 * WIN_UNITS


# Packed winners: one bit a game where one of two seats wins every game. They are a zero, the number
# of different masks of seats, these masks in ascending order, and then as many planes of bits as it
# takes to number them: plane k has bit k of each game's number, the first game in the highest bit
# of the first byte. Equal winners have equal bytes.

_WINNERS_MARK = b"\0"  # the first byte
_ALL = bytes(range(256))


def packed(masks: bytes) -> bytes:
    """The packed winners of games: a mask of seats a game, fewer than 256 different ones."""
    distinct = _ALL.translate(None, _ALL.translate(None, masks))
    numbers = np.frombuffer(
        masks.translate(bytes.maketrans(distinct, _ALL[: len(distinct)])), np.uint8
    )
    planes = [np.packbits(numbers & 1 << plane) for plane in range(_planes(len(distinct)))]
    return b"".join(
        (_WINNERS_MARK, bytes((len(distinct),)), distinct, *(plane.tobytes() for plane in planes))
    )


def unpacked(content: bytes, games: int) -> NDArray[np.uint8]:
    """The masks of the winners of so many games. Raises ValueError if `content` is malformed.

    All of them are among the masks that `masks_in` returns.
    """
    masks = masks_in(content, games)
    width = _width(games)
    numbers = np.zeros(games, np.uint8)
    for plane in range(_planes(len(masks))):
        index = 2 + len(masks) + plane * width
        bits = np.unpackbits(np.frombuffer(content[index : index + width], np.uint8), count=games)
        numbers |= bits << plane
    if len(masks) == 2:  # the usual case, in a tenth of the time
        return numbers * np.uint8(masks[1] - masks[0]) + np.uint8(masks[0])
    return np.frombuffer(masks.ljust(256, masks[:1]), np.uint8).take(numbers)


def masks_in(content: bytes, games: int) -> bytes:
    """The masks that may occur in packed winners. Raises ValueError if `content` is malformed."""
    masks = content[2 : 2 + content[1]] if len(content) > 1 else b""
    length = 2 + len(masks) + _planes(len(masks)) * _width(games)
    ascending = all(mask < next_mask for mask, next_mask in pairwise(masks))
    if not masks or content[:1] != _WINNERS_MARK or len(content) != length or not ascending:
        raise ValueError(f"{len(content)} bytes are not the packed winners of {games} games")
    return masks


def _planes(masks: int) -> int:
    """The number of bits that number so many masks."""
    return max(0, masks - 1).bit_length()


def _width(games: int) -> int:
    """The number of bytes of a plane."""
    return -(-games // 8)


# Spans

Span = tuple[int, int]  # first deal, number of deals


def unbroken_prefix(spans: Iterable[Span]) -> int:
    """The number of deals from 0 on of which none is missing."""
    reached = 0
    for first, deals in sorted(spans):
        if first > reached:
            break
        reached = max(reached, first + deals)
    return reached


def gaps(played: Iterable[Span], deals: int) -> Iterator[Span]:
    """The spans of the deals 0 to `deals - 1` that are not in `played`, which must not overlap."""
    reached = 0
    for first, count in sorted(played):
        if first > reached:
            yield reached, min(first, deals) - reached
        reached = max(reached, first + count)
        if reached >= deals:
            return
    if reached < deals:
        yield reached, deals - reached


def merge_spans(spans: Iterable[Span]) -> Iterator[Span]:
    """Spans that do not overlap, in order, with adjacent ones joined."""
    start = reached = -1
    for first, deals in sorted(spans):
        if first != reached:
            if reached > start:
                yield start, reached - start
            start = first
        reached = first + deals
    if reached > start:
        yield start, reached - start
