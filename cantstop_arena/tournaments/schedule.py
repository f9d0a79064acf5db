"""The schedule of a tournament: a lazy stream of blocks still to be played, and when a run ends.

A round is a range of deals that all groups play before the next round begins, so that the results
of an unfinished or interrupted run are about all its bots.

A run ends after all its games, or earlier, by what is known by then. It plays up to numbers of
deals at which its ending looks at the results. The numbers depend on the tournament alone, and each
look is at no more than its deals: so a run ends at the same deal for any number of workers, and
whatever has been played before.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import Block, Span, Until, gaps, win_units
from cantstop_arena.deals.payoff import VOID, Payoff
from cantstop_arena.deals.sampling import Ints, wins_by_deal
from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.ratings.sequential.confidence import looks
from cantstop_arena.ratings.sequential.corrected_score import CorrectedScore
from cantstop_arena.ratings.sequential.sprt import (
    GROWTH,
    Sprt,
    TestState,
    expected_deals,
    score_steps,
)
from cantstop_arena.ratings.sequential.stopping_rule import widest
from cantstop_arena.tournaments.run_observer import LLR, Look, RunObserver
from cantstop_arena.tournaments.tournament import BLOCKS, Tournament

if TYPE_CHECKING:
    from cantstop_arena.tournaments.ledger.aggregation import LedgerReader
    from cantstop_arena.tournaments.run import Session


_MAX_GAMES = {"compiled": 65_536, "batched": 8_192, "plain": 256}
"""Up to a fifth of a second of play; of batched bots more, as the rows of a batch end unevenly."""
_GAMES_IN_ROW = 128  # at least, of a block of batched bots
_ISOLATED_PARTS = 8  # of such a block where one is isolated, which may be late in each game
_LARGER = 8  # times, blocks of compiled bots: their overhead per block weighs more
_LATE = 8  # the last eighth of the deals is in shorter blocks: workers end at the same time
_SHORTER = 2, 4  # parts of a block, until a half, then a quarter of that eighth is left
_SHORTEST = 8
_FIRST_DEALS = 128  # of each group in the first round, so that results are about all bots soon
_MIN_ROUND_GAMES = 10_000  # blocks end at 1, 2, 5 times powers of ten, from here on
_ROUND_STEPS = (1, 2, 5, 10)
_ISOLATED_ROUND_GAMES = (
    512  # of a group in a round, where processes are started for each group that comes
)

Round: TypeAlias = tuple[int, Iterator[Block]]
"""The first deal with a missing game, and the missing blocks that begin in its round."""


def deals_per_block(tournament: Tournament, backend: str) -> int:
    """The number of deals of a block, which depends on the tournament alone."""
    deals = tournament.group_count * tournament.deals
    games = _MAX_GAMES[backend]
    if backend == "batched":
        games = max(games, _GAMES_IN_ROW * _max_rows(tournament))
        if any(entrant.isolate for entrant in tournament.entrants):
            games //= _ISOLATED_PARTS
    max_deals = max(1, games // len(tournament.orders))
    blocks = tournament.blocks if backend == "plain" else tournament.blocks // _LARGER
    return min(max_deals, -(-deals // max(1, blocks)))


def _max_rows(tournament: Tournament) -> int:
    """The rows of the largest batches; of bots without an option of this name the usual number."""
    options = (entrant.options.get("rows") for entrant in tournament.entrants)
    return max((rows for rows in options if type(rows) is int), default=0)


def deals_per_round(tournament: Tournament) -> int:
    """The number of deals of a round: a block of plain bots, more with isolated bots."""
    deals = deals_per_block(tournament, "plain")
    if any(entrant.isolate for entrant in tournament.entrants):
        return max(deals, _ISOLATED_ROUND_GAMES // len(tournament.orders))
    return deals


def missing_rounds(
    tournament: Tournament,
    backend_of: Callable[[Group], str],
    played: Callable[[Group], Iterable[Span]],
) -> Iterator[Round]:
    """The blocks that are not in the spans already played, round after round.

    Within a round they are ordered by group. A block that is longer than a round belongs to the one
    in which it begins.
    """
    schedule = _Schedule(tournament, backend_of, played)
    length, first = deals_per_round(tournament), schedule.first_from(0)
    while first is not None:
        end = (first // length + 1) * length
        if first < _FIRST_DEALS:
            end = min(end, _FIRST_DEALS)
        yield first, schedule.beginning(first, end)
        first = schedule.first_from(end)


class _Schedule(msgspec.Struct, frozen=True):
    """The missing blocks of a tournament."""

    tournament: Tournament
    backend_of: Callable[[Group], str]
    played: Callable[[Group], Iterable[Span]]

    def beginning(self, first: int, end: int) -> Iterator[Block]:
        """The blocks that begin at the deals `first` to `end - 1`, by group."""
        for group in self.tournament.groups():
            yield from takewhile(lambda block: block.first < end, self._blocks(group, first))

    def first_from(self, deal: int) -> int | None:
        """The first deal at or after `deal` at which a block begins."""
        blocks = (next(self._blocks(group, deal), None) for group in self.tournament.groups())
        return min((block.first for block in blocks if block), default=None)

    def _cuts(self, group: Group) -> "_Cuts":
        """The cuts for a group; bots that learn do so for a block of a fixed number of games."""
        if self.tournament.query.learns(group):
            return _Cuts(self.tournament.query.lesson)
        size = deals_per_block(self.tournament, self.backend_of(group))
        full = self.tournament.deals // size
        orders = len(self.tournament.orders)
        return _Cuts(size, orders, full - full // _LATE, full, self.tournament.opening_count)

    def _blocks(self, group: Group, deal: int) -> Iterator[Block]:
        """The blocks of a group that begin at or after `deal`."""
        cuts = self._cuts(group)
        for first, deals in gaps(self.played(group), self.tournament.deals):
            yield from cuts.between(
                group, first if first >= deal else cuts.after(deal - 1), first + deals
            )


class _Cuts(msgspec.Struct, frozen=True):
    """Where deals are cut into blocks: at multiples of `size`; blocks from `late` to `end` are cut
    into shorter ones.

    Of bots that do not learn they are also cut after the first round, and where each group has
    played a round number of games, which are the numbers that a user may lower them to; `orders`
    is the number of games of a deal. One cut is where a list of `openings` begins again.
    """

    size: int
    orders: int = 0
    late: int | None = None
    end: int = 0
    openings: int = 0

    def after(self, deal: int) -> int:
        """The first cut after `deal`."""
        if not self.orders:
            return self._multiple_after(deal)
        round_games = _round_after(deal * self.orders)
        cut = min(self._multiple_after(deal), -(-round_games // self.orders))
        if deal < self.openings:
            cut = min(cut, self.openings)
        return min(cut, _FIRST_DEALS) if deal < _FIRST_DEALS else cut

    def _multiple_after(self, deal: int) -> int:
        block, within = divmod(deal, self.size)
        step = -(-self.size // self._parts(block))
        return block * self.size + min(self.size, (within // step + 1) * step)

    def _parts(self, block: int) -> int:
        if self.late is None or block < self.late:
            return 1
        share = (self.end - block, self.end - self.late)  # late blocks left, and all
        return next((parts for parts in _SHORTER if share[0] * parts > share[1]), _SHORTEST)

    def between(self, group: Group, first: int, end: int) -> Iterator[Block]:
        """The blocks between two deals."""
        while first < end:
            upto = min(end, self.after(first))
            yield Block(group, first, upto - first)
            first = upto


def _round_after(games: int) -> int:
    """The first round number of games, from 10,000 on, that is greater than `games`."""
    power = max(_MIN_ROUND_GAMES, int(10 ** (len(str(games)) - 1)))
    return next(step * power for step in _ROUND_STEPS if step * power > games)


# Endings

_BLOCKS = 32  # at each look; with more, evaluating looks would take longer than the games


class Ending:
    """When a run ends; this one looks once, when all games are played."""

    blocks = BLOCKS
    """The minimum number of blocks up to each look."""

    def looks(self, session: "Session") -> Iterator[int]:
        """The numbers of deals after which to look, ascending."""
        return iter([session.tournament.deals])

    def is_reached(self, session: "Session", deals: int, observer: RunObserver) -> bool:
        """Whether the run ends after this look."""
        return True


class NarrowIntervals(Ending):
    """The ending of a run with an `until` rule: every interval is narrow enough."""

    blocks = _BLOCKS

    def __init__(self, rule: Until) -> None:
        self.rule = rule

    def looks(self, session: "Session") -> Iterator[int]:
        """Those of the rule, whatever has been played."""
        query = session.tournament.query
        lineups = Counter(bot for group in query.groups for bot in group)
        return looks(self.rule.expected, query.deals, lineups=min(lineups.values(), default=1))

    def is_reached(self, session: "Session", deals: int, observer: RunObserver) -> bool:
        """Whether even the widest interval is narrow enough."""
        bot, measured = widest(session.last_results(), self.rule)
        games = deals * len(session.tournament.orders)
        observer.on_look(Look(games, bot, self.rule.measure, measured))
        return measured <= self.rule.limit


class MatchEnding(Ending):
    """The ending of a match: its `test`, if any, is decided.

    It counts all deals that are played without a test, and with one those up to its last look,
    where the test has a `state`.
    """

    blocks = _BLOCKS

    def __init__(self, tournament: Tournament, test: Sprt | None) -> None:
        self.test = test
        self.state: TestState | None = None
        self.deals = MatchDeals(
            tournament.orders, test, tournament.game.payoff, bool(tournament.luck_removed)
        )

    @property
    def counts(self) -> Ints:
        """The deals that are counted, by the first bot's score."""
        return self.deals.counts

    def looks(self, session: "Session") -> Iterator[int]:
        """Those of the test."""
        deal_count = session.tournament.deals
        if self.test:
            return looks(expected_deals(self.test), deal_count, GROWTH)
        return iter([deal_count])

    def is_reached(self, session: "Session", deals: int, observer: RunObserver) -> bool:
        """Whether the test is decided, or a bot is disqualified, whose games do not count."""
        if session.cover.disqualified():
            return True
        self.deals.count(session.cover, deals)
        if self.test is None:
            return True
        self.state = self.deals.look()
        if session.last_results().is_one_deal:
            self.state = replace(self.state, accepted=None, repeated=True)
        games = len(session.tournament.orders) * deals
        observer.on_look(Look(games, "", LLR, self.state.ratio))
        return self.state.accepted is not None or self.state.repeated


class MatchDeals:
    """The deals of a match that are counted: by the first bot's score, and as its test needs them.

    The counts are in equal steps from 0 to 1; a test of payoffs has the deals by how much more than
    the others the first bot got a game (`paid`).
    """

    def __init__(
        self, orders: Orders, test: Sprt | None, payoff: Payoff | None, luck_removed: bool
    ) -> None:
        self.test, self.orders, self._payoff = test, orders, payoff
        players = len(orders[0])
        self.steps = score_steps(players, len(orders))
        self.units = win_units(players) * len(orders)
        self.counts: Ints = np.zeros(self.steps + 1, np.int64)
        self.counted = 0
        self.paid: Counter[float] | None = Counter() if test and test.unit else None
        self._corrected = CorrectedScore() if luck_removed else None

    def look(self) -> TestState:
        """The state of the test after the deals that are counted; each look is final."""
        assert self.test is not None
        if self.paid is not None:
            return self.test.state_of_payoffs(self.paid)
        if self._corrected is None:
            return self.test.state(self.counts.tolist())
        return self.test.state_of(*self._corrected.look())

    def count(self, ledger: "LedgerReader", deals: int) -> None:
        """Count the deals from those that are counted up to this number."""
        start, count = self.counted, deals - self.counted
        for _, first, winners, measures in ledger.deals(start, count):
            inside = slice(max(0, start - first), start + count - first)
            wins = wins_by_deal(winners[inside], self.orders)[:, 0]
            self.counts += np.bincount(wins * self.steps // self.units, minlength=self.steps + 1)
            if self._corrected is not None:
                luck = measures[inside, -2 * len(self.orders[0])]  # of the first bot
                self._corrected.add(max(start, first), wins / self.units, luck.astype(np.int64))
        if self.paid is not None:
            self._count_payoffs(ledger, start, count)
        self.counted = deals

    def _count_payoffs(self, ledger: "LedgerReader", start: int, count: int) -> None:
        payoff, players = self._payoff, len(self.orders[0])
        assert payoff is not None
        assert self.paid is not None
        for _, first, paid in ledger.payoffs(start, count):
            rows = paid[max(0, start - first) : start + count - first].astype(np.int64)
            rows = rows[rows[:, 0] != VOID]
            own = rows[:, 0]
            ahead = payoff.sign * (players * own - rows[:, :players].sum(axis=1))
            scale = (players - 1) * payoff.parts * len(self.orders)
            for value, deals in zip(*np.unique(ahead, return_counts=True), strict=True):
                self.paid[int(value) / scale] += int(deals)
