"""The faults of the bots: how often each occurred, and where first."""

from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Table, number

MAX_MESSAGE_LENGTH = 100


def faults(analysis: Analysis) -> Table:
    """A row for each bot and kind of fault."""
    results = analysis.results
    disqualifications = [
        f"{bot} is disqualified; the tables are without it." for bot in results.disqualified
    ]
    replays = ["Those games again:", *(charge.replay for charge in results.faults)]
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
                _shortened(charge.message),
            )
            for charge in results.faults
        ],
        notes=[*disqualifications, *(replays if results.faults else ())],
    )


def _shortened(message: str) -> str:
    return (
        message if len(message) <= MAX_MESSAGE_LENGTH else message[: MAX_MESSAGE_LENGTH - 1] + "…"
    )
