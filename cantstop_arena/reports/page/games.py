"""The telling games of a tournament, each to be played back, and what is telling of it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from cantstop_arena.games.cantstop.counts import TELLING
from cantstop_arena.games.cantstop.events import Event
from cantstop_arena.games.cantstop.telling import Lead, Story
from cantstop_arena.reports.notes import listed
from cantstop_arena.reports.page import replays
from cantstop_arena.reports.page.document import Section
from cantstop_arena.reports.telling import TYPICAL, Telling, record_path

LONGEST, CLOSEST, COMEBACK = TELLING
MOST_TURNS = 200  # of a game on the page, each of which has some 600 bytes
TITLES = {
    TYPICAL: "A typical game",
    LONGEST: "The longest game",
    CLOSEST: "The closest game",
    COMEBACK: "The greatest comeback",
}

Recorded = tuple[Telling, Story, Sequence[Event]]


def section(recorded: Sequence[Recorded]) -> Section:
    """The section of games that have been recorded, without those that would make it too large."""
    left_out = [telling.kind for telling, story, _ in recorded if story.turns > MOST_TURNS]
    words = [
        f"{TITLES[kind]} has more than {MOST_TURNS} turns; it is not shown." for kind in left_out
    ]
    games = [
        replays.game(
            f"game-{telling.kind}",
            f"{TITLES[telling.kind]}: {replays.against(telling.bots)}",
            list(_told(telling, story, events)),
            events,
        )
        for telling, story, events in recorded
        if telling.kind not in left_out
    ]
    return Section("games", "Games worth seeing", words, games=games)


def _told(telling: Telling, story: Story, events: Sequence[Event]) -> Iterator[str]:
    winners = [events[0]["seats"][seat] for seat in events[-1]["winners"]]
    match telling.kind:
        case "typical":
            told = "half of the games in these seats are no longer than that"
            yield f"{story.turns} turns: {told}."
        case "longest":
            yield f"{story.turns} turns, more than in any other game that was won."
        case "closest" if story.ahead is None:
            yield f"{listed(winners)} share the win."
        case "closest":
            yield f"At the end {winners[0]} is no more than {_by(story.ahead)} ahead."
        case _:
            yield f"{winners[0]} wins, having been {_by(story.behind)} behind."
    record = record_path(Path(), telling.kind)
    yield f"Deal {telling.deal}; its record is {record.as_posix()}."


def _by(lead: Lead | None) -> str:
    """Columns claimed, and steps up the columns: "1 column and 2.40 of climbing"."""
    if lead is None:
        return "nothing"
    progress = f"{abs(lead.progress):.2f} columns of progress"
    if not lead.columns:
        return progress
    claimed = "1 column" if lead.columns == 1 else f"{lead.columns} columns"
    return f"{claimed} claimed and {progress}"
