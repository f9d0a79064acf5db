"""How far bots that play alone are apart, in the deals that both played."""

from itertools import combinations

from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.documents.document import Section
from cantstop_arena.documents.tables.differences import differences
from cantstop_arena.ratings.alone import Differences
from cantstop_arena.ratings.multiple_comparisons import SIGNIFICANT
from cantstop_arena.texts import how_many

MOST_WITH_ERRORS = 6  # bots whose cells have room for a number with its error
MOST = 24  # that are drawn as a square


def differences_section(analysis: Analysis, found: Differences) -> Section:
    """The section of what was `found` of all pairs."""
    bots = len(analysis.order)
    few, finding = bots <= MOST_WITH_ERRORS, _finding(found)
    tables = [differences(analysis, errors=few)] if bots <= MOST else []
    words = [] if tables else ["All pairs are in differences.csv."]
    return Section("differences", "Differences", words, tables=tables, open=few, finding=finding)


def _finding(found: Differences) -> str:
    pairs = [found.between(*pair) for pair in combinations(found.ranked, 2)]
    sure = sum(less is not None and less.p <= SIGNIFICANT for less in pairs)
    verb = "is" if len(pairs) == 1 else "are"
    return f"{sure:,} of {how_many(len(pairs), 'pair')} {verb} significantly different"
