"""Which estimates an axis gains by leaving out."""

from collections.abc import Sequence

from cantstop_arena.documents.formats.model import Estimate

_LEFT_OUT = 5  # one in so many bots at most is left out of the zoom
_SAVED = 0.6  # of the whole span is what the zoom may have at most


def kept_by_zoom(found: Sequence[Estimate]) -> list[Estimate]:
    """All but outliers on one side, where the axis gains by leaving them out; else nothing."""
    ordered = sorted(found, key=_mean)
    for out in range(1, len(ordered) // _LEFT_OUT + 1):
        for kept in (ordered[out:], ordered[:-out]):
            if len(kept) > 2 and _span(kept) <= _SAVED * _span(ordered):
                return list(kept)
    return []


def _mean(told: Estimate) -> float:
    return told.mean or 0


def _span(found: Sequence[Estimate]) -> float:
    return _mean(found[-1]) - _mean(found[0])
