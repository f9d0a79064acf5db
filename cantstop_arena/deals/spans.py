"""Runs of deals: which are missing between those that were played, and how far none is."""

from collections.abc import Iterable, Iterator

Span = tuple[int, int]  # first deal, number of deals


def unbroken_prefix(spans: Iterable[Span]) -> int:
    """The deals from the first on among which none is missing."""
    reached = 0
    for first, deals in sorted(spans):
        if first > reached:
            break
        reached = max(reached, first + deals)
    return reached


def gaps(played: Iterable[Span], deals: int) -> Iterator[Span]:
    """What spans that do not overlap leave of the deals 0 to `deals - 1`."""
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
    """Spans that do not overlap, in order, those that touch made one."""
    begin = reached = -1
    for first, deals in sorted(spans):
        if first != reached:
            if reached > begin:
                yield begin, reached - begin
            begin = first
        reached = first + deals
    if reached > begin:
        yield begin, reached - begin
