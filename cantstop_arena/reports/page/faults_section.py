"""The section of the faults of bots."""

from cantstop_arena.pages.document import Section
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.faults import faults
from cantstop_arena.texts import how_many


def faults_section(analysis: Analysis) -> Section:
    """The section of the faults; without any it is folded."""
    table = faults(analysis)
    if not table.rows:
        finding = "No bot broke a rule or ran out of time"
        played = f"{how_many(analysis.games, 'game')}, {analysis.unfinished:,} of them unfinished."
        return Section("faults", "Faults", [played, *table.notes], finding=finding, folded=True)
    count = how_many(sum(charge.count for charge in analysis.results.faults), "fault")
    bots = how_many(len({charge.bot for charge in analysis.results.faults}), "bot")
    return Section("faults", "Faults", tables=[table], open=True, finding=f"{count} of {bots}")
