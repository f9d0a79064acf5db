"""What is to be played for a query: how much of it a ledger has, and what it lacks."""

from collections.abc import Sequence
from typing import NamedTuple

from cantstop_arena.deals.spans import Span, gaps
from cantstop_arena.tournaments.ledger.cover import Cover


class QueryPlan(NamedTuple):
    """The lineups of a query, with so many `players` each, and the games that will be played.

    Of the `groups`, those of disqualified bots apart, `complete` have all their games in the ledger
    and `partial` some. Of the missing `games`, an upper bound where bots get disqualified, `again`
    have been played before, in blocks that end beyond the requested number of games for each group.
    """

    players: int
    groups: int
    complete: int
    partial: int
    games: int
    again: int
    games_per_group: int


def plan_of(cover: Cover) -> QueryPlan:
    """The plan for what a query lacks. Groups with the same rows, as of twins, count each."""
    counter, spans = cover.fault_counter(), cover.complete_spans()
    groups = complete = partial = games = again = 0
    for group in cover.query.groups:
        if counter.is_void(group):
            continue
        missing = [*gaps(spans.get(tuple(sorted(group)), ()), cover.end)]
        begun = _overlap(missing, cover.begun(group))
        groups += 1
        complete += not missing
        partial += bool(missing) and (begun > 0 or tuple(sorted(group)) in spans)
        if cover.owner(group) == group:
            games += sum(deals for _, deals in missing)
            again += begun
    per_deal = len(cover.orders)
    return QueryPlan(
        cover.query.players,
        groups,
        complete,
        partial,
        games * per_deal,
        again * per_deal,
        cover.end * per_deal,
    )


def _overlap(missing: Sequence[Span], stored: Sequence[Span]) -> int:
    """The number of missing deals that are in stored spans."""
    return sum(
        max(0, min(first + count, start + length) - max(first, start))
        for first, count in missing
        for start, length in stored
    )
