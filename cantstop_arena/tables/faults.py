"""The faults of the bots: how often each occurred, and where first."""

from collections.abc import Sequence

from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Table, number
from cantstop_arena.tables.notes import list_names, short_message


def faults(analysis: Analysis, stated: Sequence[str] = ()) -> Table:
    """A row for each bot and kind of fault; without the commands that `stated` notes have."""
    results = analysis.results
    disqualified = [f"Disqualified: {list_names(results.disqualified)}."]
    commands = [charge.replay for charge in results.faults]
    missing = [command for command in commands if not any(command in note for note in stated)]
    return Table(
        name="faults",
        title="Faults",
        columns=(
            Column("bot", "bot"),
            Column("kind", "fault"),
            number("times"),
            number("deal", "first in deal", leave_out=1),
            Column("seats", "seats", leave_out=2),
            Column("message", "message"),
        ),
        rows=[
            (
                charge.bot,
                charge.kind,
                charge.count,
                charge.deal,
                ", ".join(charge.seats),
                short_message(charge),
            )
            for charge in results.faults
        ],
        notes=[
            *(disqualified if results.disqualified else ()),
            *(["Replay these games:", *missing] if missing else ()),
        ],
    )
