"""Spans, runs of deals: the gaps between those that were played, and the unbroken prefix."""

from collections.abc import Iterable, Iterator

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
