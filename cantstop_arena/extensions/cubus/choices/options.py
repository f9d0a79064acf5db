"""The options of a bot in plain Python: what `engine.options` does in machine code.

An option is a group of the library of the rules' box: piles of equal points that use equal cards.
"""

from collections.abc import Iterator

from cantstop_arena.extensions.cubus.choices.search import TargetQuery, TargetSearch
from cantstop_arena.extensions.cubus.choices.targets import moved_to_origin
from cantstop_arena.extensions.cubus.engine.bot_row import MAX_VALUE, PileOption
from cantstop_arena.extensions.cubus.engine.library import library
from cantstop_arena.extensions.cubus.engine.query_arrays import LIDS, LYING
from cantstop_arena.extensions.cubus.rules import Box


def options(target_query: TargetQuery, box: Box, rising: bool) -> Iterator[PileOption]:
    """The options within a box by falling points, or by rising ones."""
    here, _, _ = moved_to_origin(target_query)
    search, piles = TargetSearch(here, box), library(box)
    base, limits = target_query.table.pile.shape.value, search.limits
    first = search.first_group()
    end = max(first, int(piles.levels[MAX_VALUE - target_query.min_value + 1]))
    numbers = range(end - 1, first - 1, -1) if rising else range(first, end)
    for number in numbers:
        if search.is_buildable(number):
            value, tops, left, right, crates = piles.groups[number, :5].tolist()
            least = max(0, tops - limits[LYING] - limits[LIDS])
            yield PileOption(number, value - base, tops, left, right, crates, least)
