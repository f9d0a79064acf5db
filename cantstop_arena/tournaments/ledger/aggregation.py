"""The results of one ledger, or of several that are rated together.

Tournaments with the same seed share their deals: a group that met in several counts once, as played
in the one where it played most deals. Tournaments with different seeds have only bots in common.

`LedgerShare` is the part of a ledger that counts beside others.

`LedgerTotals` has the games of a ledger together with the query that covers them.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import chain
from operator import add
from typing import Any, Protocol

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cantstop_arena.deals.control_variate import correction
from cantstop_arena.deals.counting import GAMES, stored_measures
from cantstop_arena.deals.outcomes import (
    Fault,
    FaultReport,
    Span,
    Tally,
    TournamentTotals,
    merge_faults,
    sum_tallies,
)
from cantstop_arena.deals.payoff import WINS, Payoff
from cantstop_arena.deals.predecessor_sums import Blocks, Predecessors, gather_predecessors
from cantstop_arena.deals.sampling import Bytes, DealSums, gather_deals, gather_payoffs
from cantstop_arena.deals.seatings import Group, Orders, lineups
from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.deals.solo_pairs import Counted, SoloPairs, gather_solo_pairs
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.game import score_of
from cantstop_arena.games.registry import game_named
from cantstop_arena.tournaments.ledger.cover import PaidDeals, StoredDeals
from cantstop_arena.tournaments.ledger.ledger_query import LUCK_BY_STAKE, MEASURES, LedgerQuery
from cantstop_arena.tournaments.ledger.row_codec import order_of, payoff_columns


class LedgerReader(Protocol):
    """The methods of a ledger that results need."""

    def spans(self) -> dict[Group, list[Span]]:
        """The deals that each group has played."""

    def counting_spans(self) -> dict[Group, list[Span]]:
        """Those of the groups whose games count, as no bot of theirs is disqualified."""

    def tallies(self) -> dict[Group, Tally]:
        """The tally of every seating."""

    def deals(self, start: int, count: int) -> Iterator[StoredDeals]:
        """The blocks with some of the `count` deals from `start` on."""

    def payoffs(self, start: int, count: int) -> Iterator[PaidDeals]:
        """The payoffs of these blocks, in a game that has any."""

    def faults(self) -> Iterator[Fault]:
        """All faults."""

    def disqualified(self) -> dict[int, list[Fault]]:
        """The disqualified bots, and their faults."""

    def shared_by_all(self) -> dict[Group, int]:
        """The games of which all seats share the win, for each seating that has any."""

    def repeated(self) -> dict[Group, tuple[int, int]]:
        """The groups whose deals are repeated: how many deals of theirs count, of how many."""

    def missing_games(self) -> int:
        """The number of missing games of the groups that count."""

    def irreproducible(self) -> list[int]:
        """The bots whose answers differed when a game was played twice."""

    def devices(self) -> list[str]:
        """What has computed the answers of batched bots."""


class LedgerTotals(msgspec.Struct, frozen=True):
    """What a ledger has of a query, and a function that reports faults (`charge`)."""

    ledger: LedgerReader
    query: LedgerQuery
    charge: Callable[[Fault], FaultReport]

    @property
    def seed(self) -> Seed:
        """The seed of the games."""
        return self.query.setting.deal_seed

    @property
    def names(self) -> list[str]:
        """The names of the bots, by number."""
        return self.query.names

    @property
    def orders(self) -> Orders:
        """The orders in which bots took their seats in each deal."""
        return self.query.orders

    @property
    def out(self) -> list[str]:
        """The names of the disqualified bots."""
        return [self.names[bot] for bot in self.ledger.disqualified()]


def deals_played(spans: Mapping[Group, Iterable[Span]]) -> int:
    """The number of deals up to the last that any group has played."""
    return max(
        (first + deals for group_spans in spans.values() for first, deals in group_spans), default=0
    )


def fault_report(
    names: Sequence[str], fault: Fault, source: str, options: Sequence[str] = ()
) -> FaultReport:
    """A fault with the names of its bots, and the command that replays its game."""
    seats = tuple(names[bot] for bot in fault.seating)
    options = ["--deal", str(fault.deal), *options]
    arguments = [source, *seats]
    dashed = any(word.startswith("-") for word in arguments)
    arguments = [*options, "--", *arguments] if dashed else [*arguments, *options]
    return FaultReport(
        names[fault.bot],
        fault.kind,
        fault.message,
        seats,
        fault.deal,
        fault.count,
        shlex.join(["arena", "replay", *arguments]),
    )


class LedgerShare(msgspec.Struct, frozen=True, dict=True):
    """The part of a ledger that counts: `spans` of some groups. `number` is by name of a bot."""

    totals: LedgerTotals
    number: Mapping[str, int]
    spans: Mapping[Group, Sequence[Span]]

    def anew(self, bots: Group) -> Group:
        """The bots by their new numbers."""
        return tuple([self._new_numbers[bot] for bot in bots])

    @cached_property
    def _new_numbers(self) -> list[int]:
        """The new number of each bot, by the number in its ledger; -1: it has none."""
        return [self.number.get(name, -1) for name in self.totals.names]

    def meeting(self, group: Group) -> tuple[Seed, Group]:
        """The seed and the group by new numbers, which are the same in all ledgers."""
        return self.totals.seed, tuple(sorted(self.anew(group)))

    def tallies(self) -> Iterator[tuple[Group, Tally]]:
        """The tallies of the seatings that count."""
        for seating, tally in self.totals.ledger.tallies().items():
            if tuple(sorted(seating)) in self.spans:
                yield self.anew(seating), tally

    def deals(self, start: int, count: int) -> Iterator[StoredDeals]:
        """The deals that count, groups and their seatings in canonical order."""
        for group, first, winners, measures in self.totals.ledger.deals(start, count):
            if group in self.spans:
                named = self.anew(group)
                values = _luck_by_position(measures, named) if self.scored else measures
                yield *_canonical(named, first, winners, self.totals.orders), values

    @property
    def pays(self) -> bool:
        """Whether payoffs are stored."""
        return self.totals.query.setting.payoff_parts > 0

    def payoffs(self, start: int, count: int) -> Iterator[PaidDeals]:
        """The payoffs of the deals that count, groups in canonical order."""
        for group, first, paid in self.totals.ledger.payoffs(start, count):
            if group in self.spans:
                named = self.anew(group)
                order = order_of(tuple(sorted(named)), named)
                yield tuple(sorted(named)), first, paid[:, payoff_columns(order)]

    @property
    def scored(self) -> bool:
        """Whether luck was scored."""
        return self.totals.query.detail >= LUCK_BY_STAKE

    @property
    def measured(self) -> bool:
        """Whether counts by the preceding bot were stored."""
        game, players = self.totals.query.setting.game, self.totals.query.players
        return players > 2 and bool(game_named(game).counts.followed)

    def measures(self, start: int, count: int) -> Blocks:
        """The measures of the deals that count, for each group in the ledger's order."""
        for group, first, _, measures in self.totals.ledger.deals(start, count):
            if group in self.spans:
                yield self.anew(group), first, measures

    def counted(self, start: int, count: int) -> Counted:
        """By bot, the first deal, and for each deal the games without a fault and their length."""
        counts = game_named(self.totals.query.setting.game).counts
        columns = [stored_measures(counts).index(name) for name in (GAMES, counts.alone)]
        for bot, first, table in self.measures(start, count):
            yield bot, first, table[:, columns[0]], table[:, columns[1]]

    def charges(self) -> list[FaultReport]:
        """The faults in games that count, and those of disqualified bots."""
        ledger = self.totals.ledger
        counted = [f for f in ledger.faults() if tuple(sorted(f.seating)) in self.spans]
        disqualifying = chain.from_iterable(ledger.disqualified().values())
        return [self.totals.charge(fault) for fault in merge_faults([*counted, *disqualifying])]

    def irreproducible(self) -> list[str]:
        """The bots whose answers differed when a game was played twice."""
        return [self.totals.names[bot] for bot in self.totals.ledger.irreproducible()]


def ledger_shares(
    all_totals: Sequence[LedgerTotals], number: Mapping[str, int]
) -> list[LedgerShare]:
    """The part of each ledger that counts: a group counts where it played most deals."""
    shares = [LedgerShare(totals, number, _remaining(totals, number)) for totals in all_totals]
    if len(shares) == 1:
        return shares
    largest: dict[tuple[Seed, Group], tuple[int, LedgerShare]] = {}
    for share in shares:
        for group, played in share.spans.items():
            deals = sum(deals for _, deals in played)
            max_deals, _ = largest.get(share.meeting(group), (-1, share))
            if deals > max_deals:
                largest[share.meeting(group)] = deals, share
    return [
        LedgerShare(
            share.totals,
            number,
            {
                group: played
                for group, played in share.spans.items()
                if largest[share.meeting(group)][1] is share
            },
        )
        for share in shares
    ]


def _remaining(totals: LedgerTotals, number: Mapping[str, int]) -> dict[Group, list[Span]]:
    """The deals of the groups whose bots all have a new number."""
    out = {bot for bot, name in enumerate(totals.names) if name not in number}
    spans = totals.ledger.spans()
    return {group: played for group, played in spans.items() if out.isdisjoint(group)}


def _luck_by_position(measures: NDArray[Any], group: Group) -> NDArray[Any]:
    """The scores of luck, by position in the ascending group, then by seat."""
    luck = measures[:, -2 * len(group) :]
    return np.concatenate([luck[:, np.argsort(group)], luck[:, len(group) :]], axis=1)


def _canonical(
    group: Group, first: int, winners: Bytes, orders: Orders
) -> tuple[Group, int, Bytes]:
    """A block converted to the ascending order of its group. Raises UsageError."""
    ascending = tuple(sorted(group))
    if group == ascending:
        return group, first, winners
    columns = {seating: number for number, seating in enumerate(lineups(group, orders))}
    seatings = list(lineups(ascending, orders))
    if not columns.keys() >= set(seatings):  # where not all orders are played
        raise UsageError(
            "These results cannot be rated together: their files name the bots in different orders,"
            f" so that not all of the same seatings of {len(group)} bots were played."
        )
    return ascending, first, winners[:, [columns[seating] for seating in seatings]]


def by_seed(shares: Iterable[LedgerShare]) -> list[list[LedgerShare]]:
    """Shares of equal seeds together, in the order of the seeds."""
    of_seed: dict[Seed, list[LedgerShare]] = {}
    for share in shares:
        of_seed.setdefault(share.totals.seed, []).append(share)
    return [of_seed[seed] for seed in sorted(of_seed, key=bits_of)]


def aggregate(all_totals: Sequence[LedgerTotals], anchor: Mapping[str, float]) -> TournamentTotals:
    """All results, without the bots that are disqualified in any; the others are renumbered."""
    first = all_totals[0].query
    out = list(dict.fromkeys(chain.from_iterable(totals.out for totals in all_totals)))
    names = dict.fromkeys(chain.from_iterable(totals.names for totals in all_totals))
    bots = [name for name in names if name not in out]
    shares = ledger_shares(all_totals, {name: number for number, name in enumerate(bots)})
    seeds = {totals.seed for totals in all_totals}
    unsteady = {name for share in shares for name in share.irreproducible()}
    challenger = first.challenger if len(all_totals) == 1 else ""
    played = _deals(all_totals[0].orders, shares)
    pays = all(share.pays for share in shares)
    scored = all(share.scored for share in shares)
    corrected = _deals(all_totals[0].orders, shares, luck_removed=True) if scored else played
    return TournamentTotals(
        name=" + ".join(dict.fromkeys(totals.query.name for totals in all_totals)),
        game=first.setting.game,
        rules=first.rule_set,
        players=first.players,
        seats=first.setting.players if first.setting.players != first.players else 0,
        seed=all_totals[0].seed if len(seeds) == 1 else None,
        bots=tuple(bots),
        tallies=(tallies := _tallies(shares)),
        deals=corrected,
        with_luck=played if scored else None,
        anchor=anchor,
        counts=game_named(first.setting.game).counts,
        seat_orders=all_totals[0].orders,
        challenger=challenger,
        subject=challenger,
        faults=tuple(charge for share in shares for charge in share.charges()),
        disqualified=tuple(out),
        notes=bot_notes(first),
        irreproducible=tuple(name for name in bots if name in unsteady),
        devices=tuple(sorted({d for totals in all_totals for d in totals.ledger.devices()})),
        predecessors=_predecessors(first.players, shares),
        solo_pairs=_solo_pairs(len(bots), first.players, shares),
        drawn=_draws(shares, tallies) if first.players > 1 else {},
        repeated={
            tuple(sorted(share.anew(group))): deals
            for share in shares
            for group, deals in share.totals.ledger.repeated().items()
            if group in share.spans
        },
        payoff=_payoff(first) if pays else None,
        payoffs=_payoffs(all_totals[0].orders, shares) if pays else None,
        sorted_by=score_of(game_named(first.setting.game)) if pays else WINS,
    )


def _payoff(query: LedgerQuery) -> Payoff | None:
    """What the game of a query pays, with the bounds of its rules."""
    game, parameters = game_named(query.setting.game), query.rule_set
    if game.payoff is None:
        return None
    if not parameters.keys() >= {*game.rules.parameters}:
        return replace(game.payoff, low=None, high=None)
    return game.payoff.under(game.rules.from_dict(parameters), query.setting.players)


def _payoffs(orders: Orders, shares: Sequence[LedgerShare]) -> DealSums:
    """The payoffs deal by deal."""

    def of_a_seed(shares: Sequence[LedgerShare]) -> DealSums:
        def read(start: int, count: int) -> Iterator[PaidDeals]:
            return chain.from_iterable(share.payoffs(start, count) for share in shares)

        return gather_payoffs(orders, _spans(shares), read, _families(shares))

    return reduce(add, map(of_a_seed, by_seed(shares)))


def _draws(shares: Iterable[LedgerShare], tallies: Mapping[Group, Tally]) -> dict[Group, int]:
    """The games that all seats won, of seatings that have any; shared by all are also those that
    nobody won."""
    draws: dict[Group, int] = {}
    for share in shares:
        for seating, games in share.totals.ledger.shared_by_all().items():
            if tuple(sorted(seating)) in share.spans:
                anew = share.anew(seating)
                draws[anew] = draws.get(anew, -tallies[anew].unfinished) + games
    return {seating: draws[seating] for seating in tallies if draws.get(seating, 0) > 0}


def _tallies(shares: Iterable[LedgerShare]) -> dict[Group, Tally]:
    """The tally of every seating, in canonical order."""
    tallies: dict[Group, list[Tally]] = {}
    for seating, tally in chain.from_iterable(share.tallies() for share in shares):
        tallies.setdefault(seating, []).append(tally)
    ordered = sorted(tallies, key=lambda seating: (sorted(seating), seating))
    return {seating: sum_tallies(tallies[seating]) for seating in ordered}


def _deals(orders: Orders, shares: Sequence[LedgerShare], luck_removed: bool = False) -> DealSums:
    """The wins deal by deal."""

    def of_a_seed(shares: Sequence[LedgerShare]) -> DealSums:
        def read(start: int, count: int) -> Iterator[StoredDeals]:
            return chain.from_iterable(share.deals(start, count) for share in shares)

        spans = _spans(shares)
        correct = correction(orders, read(0, deals_played(spans))) if luck_removed else None
        return gather_deals(orders, spans, read, correct, _families(shares))

    return reduce(add, map(of_a_seed, by_seed(shares)))


def _families(shares: Iterable[LedgerShare]) -> dict[Group, tuple[Group, ...]]:
    """The groups that met the same dice: their bots have the same names there, or play alone."""
    families: dict[tuple[str, ...], list[Group]] = {}
    for share in shares:
        bots = share.totals.query.bots
        for group in share.spans:
            names = sorted(bots[bot].version.dice_name for bot in group) if len(group) > 1 else ()
            families.setdefault(tuple(names), []).append(tuple(sorted(share.anew(group))))
    return {group: tuple(sorted(family)) for family in families.values() for group in family}


def _predecessors(players: int, shares: Sequence[LedgerShare]) -> Predecessors | None:
    """The effect of sitting after each bot; None when a ledger has not stored it."""
    if not all(share.measured for share in shares):
        return None

    def of_a_seed(shares: Sequence[LedgerShare]) -> Predecessors:
        def read(start: int, count: int) -> Blocks:
            return chain.from_iterable(share.measures(start, count) for share in shares)

        orders = len(shares[0].totals.orders)
        return gather_predecessors(players, orders, _spans(shares), read, _families(shares))

    return reduce(add, map(of_a_seed, by_seed(shares)))


def _solo_pairs(bots: int, players: int, shares: Sequence[LedgerShare]) -> SoloPairs | None:
    """The lengths of solo games on the same deals; None when a ledger has not stored them."""
    if players > 1 or not all(share.totals.query.detail >= MEASURES for share in shares):
        return None
    return reduce(
        add, (_solo_pairs_of_a_seed(bots, seed_shares) for seed_shares in by_seed(shares))
    )


def _solo_pairs_of_a_seed(bots: int, shares: Sequence[LedgerShare]) -> SoloPairs:
    def read(start: int, count: int) -> Counted:
        return chain.from_iterable(share.counted(start, count) for share in shares)

    return gather_solo_pairs(bots, max(deals_played(share.spans) for share in shares), read)


def _spans(shares: Iterable[LedgerShare]) -> dict[Group, Sequence[Span]]:
    """The deals that each group has played, by its new numbers."""
    return {
        tuple(sorted(share.anew(group))): played
        for share in shares
        for group, played in share.spans.items()
    }


def bot_notes(query: LedgerQuery) -> tuple[str, ...]:
    """A sentence for each built-in bot that has a note under these rules."""
    game, parameters = game_named(query.setting.game), query.rule_set
    if not parameters.keys() >= {*game.rules.parameters}:
        return ()
    rules, players = game.rules.from_dict(parameters), query.setting.players
    built_in = [bot for bot in query.bots if not bot.version.origin.is_foreign]
    notes = {
        bot.name: game.bot_note(bot.bot, bot.version.options, rules, players) for bot in built_in
    }
    return tuple(f"{name} {note}." for name, note in notes.items() if note)
