"""What bots are called in charts."""

from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.documents.formats.escaping import printable


def labels(analysis: Analysis) -> list[tuple[str, int]]:
    """What the bots are called in charts, which no two share, and their numbers; in order."""
    return [
        (f"{place} {printable(analysis.results.bots[bot])}", bot)
        for place, bot in enumerate(analysis.order, start=1)
    ]
