"""The telling games of a tournament, each to be played back, and what is telling of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cantstop_arena.games.cantstop.counts import LONGEST_EXACT, TELLING
from cantstop_arena.games.cantstop.events import Event
from cantstop_arena.games.cantstop.telling import Lead, Story, story
from cantstop_arena.reports.notes import all_of
from cantstop_arena.reports.page import replays
from cantstop_arena.reports.page.document import Section
from cantstop_arena.reports.telling import TYPICAL, Telling, record_path
from cantstop_arena.texts import how_many

LONGEST, CLOSEST, COMEBACK = TELLING
MOST_TURNS = 200  # of a game on the page, each of which has some 600 bytes
TITLES = {
    TYPICAL: "A typical game",
    LONGEST: "The longest game",
    CLOSEST: "The closest game",
    COMEBACK: "The greatest comeback",
}

Recorded = tuple[Telling, Sequence[Event]]


@dataclass(frozen=True, slots=True)
class _Replay:
    """A game to be played back, and all that it is telling of."""

    tellings: list[Telling]
    events: Sequence[Event]

    @property
    def title(self) -> str:
        """All that it is, and who played it."""
        named = [TITLES[telling.kind] for telling in self.tellings]
        called = " and ".join([named[0], *(name[0].lower() + name[1:] for name in named[1:])])
        return f"{called}: {replays.against(self.tellings[0].bots)}"

    @property
    def turns(self) -> int:
        """How long it is."""
        return int(self.events[-1]["turns"])


def section(recorded: Sequence[Recorded]) -> Section:
    """The section of the telling games, each once; says which of them are not shown, and why."""
    found = list(_replays(recorded))
    shown = [replay for replay in found if replay.turns <= MOST_TURNS]
    return Section(
        "games",
        "Games worth seeing",
        [*_without_record(recorded), *_too_long(found)],
        games=[
            replays.game(
                f"game-{replay.tellings[0].kind}", replay.title, list(_told(replay)), replay.events
            )
            for replay in shown
        ],
    )


def _replays(recorded: Sequence[Recorded]) -> Iterator[_Replay]:
    found: dict[tuple[tuple[str, ...], int], _Replay] = {}
    for telling, events in recorded:
        if events:
            replay = found.setdefault((telling.bots, telling.deal), _Replay([], events))
            replay.tellings.append(telling)
    yield from found.values()


def _without_record(recorded: Sequence[Recorded]) -> Iterator[str]:
    for telling, events in recorded:
        if not events:
            which = f"{replays.against(telling.bots)} in deal {telling.deal}"
            yield (
                f"{TITLES[telling.kind]}, {which}, has no record here: bots can play otherwise when"
                " a game is played again."
            )


def _too_long(found: Sequence[_Replay]) -> Iterator[str]:
    for replay in found:
        if replay.turns > MOST_TURNS:
            record = _record(replay.tellings[0])
            yield f"{replay.title} has more than {MOST_TURNS} turns; arena replay shows {record}."


def _told(replay: _Replay) -> Iterator[str]:
    told = story(replay.events)
    winners = [replay.events[0]["seats"][seat] for seat in replay.events[-1]["winners"]]
    for telling in replay.tellings:
        yield _telling_of(telling, told, winners)
    first = replay.tellings[0]
    yield f"Deal {first.deal}; its record is {_record(first)}."


def _telling_of(telling: Telling, told: Story, winners: Sequence[str]) -> str:
    match telling.kind:
        case "typical":
            about = "" if told.turns <= LONGEST_EXACT else "about "
            half = f"{about}half of the games of these bots are no longer than that"
            return f"{how_many(told.turns, 'turn')}: {half}."
        case "longest":
            return f"{how_many(told.turns, 'turn')}: no other game that was won has more."
        case "closest" if told.ahead is None:
            return f"{all_of(winners)} share the win."
        case "closest":
            return f"At the end {winners[0]} is {by_how_much(told.ahead, 'ahead', 'behind')}."
        case _:
            return f"{winners[0]} wins, having been {by_how_much(told.behind, 'behind', 'ahead')}."


def _record(telling: Telling) -> str:
    return record_path(Path(), telling.kind).as_posix()


def by_how_much(lead: Lead | None, way: str, other_way: str) -> str:
    """By how much somebody is ahead or behind: columns claimed, which count first, and progress.

    Who has claimed more columns can be behind in all columns together.
    """
    if lead is None:
        return f"nothing {way}"
    progress = f"{abs(lead.progress):.2f} columns of progress"
    if not lead.columns:
        return f"{progress} {way}"
    claimed = f"{how_many(lead.columns, 'column')} claimed"
    if lead.progress < 0:
        return f"{claimed} {way}, though {progress} {other_way}"
    return f"{claimed} and {progress} {way}"
