"""What ledgers add up to: the results of one tournament, or of several rated together.

Tournaments with the same seed share their deals. What was won in a deal is then added up over all
of them, and a group that met in several counts once: as played where it played most deals.
Tournaments with different seeds have nothing in common but their bots.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from operator import add

import numpy as np

from cantstop_arena.deals.alongside import Alongside, Counted
from cantstop_arena.deals.alongside import gathered as alongside
from cantstop_arena.deals.luck import correction, worth
from cantstop_arena.deals.outcomes import Luck, Results, Tally, summed
from cantstop_arena.deals.predecessors import Blocks, Predecessors, gathered
from cantstop_arena.deals.sampling import Deals, Pairs, Sample, gather
from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.games.registry import game_called
from cantstop_arena.tournament.ledgers.accounts import Account, reached
from cantstop_arena.tournament.ledgers.ledger import KeptDeals
from cantstop_arena.tournament.ledgers.remarks import remarks_on
from cantstop_arena.tournament.ledgers.shares import Share, by_seed, shares_of


def aggregated(accounts: Sequence[Account], anchor: Mapping[str, float]) -> Results:
    """All results, without the bots that are out anywhere, the others numbered anew."""
    first = accounts[0].identity
    out = list(dict.fromkeys(chain.from_iterable(account.out for account in accounts)))
    names = dict.fromkeys(chain.from_iterable(account.names for account in accounts))
    bots = [name for name in names if name not in out]
    shares = shares_of(accounts, {name: number for number, name in enumerate(bots)})
    seeds = {account.seed for account in accounts}
    unsteady = {name for share in shares for name in share.irreproducible()}
    deals, luck = _deals_and_luck(len(bots), accounts[0].orders, shares)
    return Results(
        name=" + ".join(dict.fromkeys(account.identity["name"] for account in accounts)),
        game=first["game"],
        rules=first["rules"],
        players=first["players"],
        seed=accounts[0].seed if len(seeds) == 1 else None,
        bots=tuple(bots),
        tallies=_tallies(shares),
        deals=deals,
        luck=luck,
        anchor=anchor,
        counts=game_called(first["game"]).counts,
        seat_orders=accounts[0].orders,
        challenger=str(first.get("gauntlet", "")) if len(accounts) == 1 else "",
        faults=tuple(charge for share in shares for charge in share.charges()),
        disqualified=tuple(out),
        remarks=remarks_on(first),
        irreproducible=tuple(name for name in bots if name in unsteady),
        predecessors=_predecessors(len(bots), first["players"], shares),
        alongside=_alongside(len(bots), first["players"], shares),
    )


def _tallies(shares: Iterable[Share]) -> dict[Group, Tally]:
    """What every seating has added up to, seatings in canonical order."""
    found: dict[Group, list[Tally]] = {}
    for seating, tally in chain.from_iterable(share.tallies() for share in shares):
        found.setdefault(seating, []).append(tally)
    ordered = sorted(found, key=lambda seating: (sorted(seating), seating))
    return {seating: summed(found[seating]) for seating in ordered}


def _deals_and_luck(
    bots: int, orders: Orders, shares: Sequence[Share]
) -> tuple[Deals, Luck | None]:
    """What was won deal by deal, without luck where that was scored and makes errors smaller."""
    played = _deals(bots, orders, shares)
    if not all(share.scored for share in shares):
        return played, None
    calm = _deals(bots, orders, shares, calm=True)
    luck = Luck(played, worth(played, calm, bots))
    return (calm if luck.worth > 1 else played), luck


def _deals(bots: int, orders: Orders, shares: Sequence[Share], calm: bool = False) -> Deals:
    """What was won deal by deal; the deals of each seed are a population of their own."""
    found = [_deals_of_a_seed(bots, orders, alike, calm) for alike in by_seed(shares)]
    return Deals(
        tuple(stretch for deals in found for stretch in deals.stretches),
        Pairs(
            np.sum([deals.pairs.won for deals in found], axis=0),
            np.sum([deals.pairs.squares for deals in found], axis=0),
            np.sum([deals.pairs.crossed for deals in found], axis=0),
        ),
        max((deals.sample for deals in found), key=_size),
    )


def _predecessors(bots: int, players: int, shares: Sequence[Share]) -> Predecessors | None:
    """What it means to sit after each bot; None where no ledger has kept it."""
    if not all(share.measured for share in shares):
        return None
    found = [_predecessors_of_a_seed(bots, players, alike) for alike in by_seed(shares)]
    return reduce(add, found)


def _predecessors_of_a_seed(bots: int, players: int, shares: Sequence[Share]) -> Predecessors:
    def read(start: int, count: int) -> Blocks:
        return chain.from_iterable(share.measures(start, count) for share in shares)

    deals = max(reached(share.spans) for share in shares)
    return gathered(bots, players, len(shares[0].account.orders), deals, read)


def _alongside(bots: int, players: int, shares: Sequence[Share]) -> Alongside | None:
    """What bots that play alone need in the same deals; None where no ledger has kept it."""
    if players > 1 or not all(share.account.identity.get("measured") for share in shares):
        return None
    return reduce(add, (_alongside_of_a_seed(bots, alike) for alike in by_seed(shares)))


def _alongside_of_a_seed(bots: int, shares: Sequence[Share]) -> Alongside:
    def read(start: int, count: int) -> Counted:
        return chain.from_iterable(share.counted(start, count) for share in shares)

    return alongside(bots, max(reached(share.spans) for share in shares), read)


def _size(sample: Sample) -> int:
    return sum(winners.size for winners in sample.winners.values())


def _deals_of_a_seed(bots: int, orders: Orders, shares: Sequence[Share], calm: bool) -> Deals:
    def read(start: int, count: int) -> Iterator[KeptDeals]:
        return chain.from_iterable(share.deals(start, count) for share in shares)

    spans = {
        tuple(sorted(share.anew(group))): played
        for share in shares
        for group, played in share.spans.items()
    }
    if not calm:
        return gather(bots, orders, spans, read)
    return gather(bots, orders, spans, read, correction(orders, read(0, reached(spans))))
