"""What is worth telling of a recorded game: how long it was, how close, how far the winner came.

The engine remembers games for these numbers while it plays (see `counts.TELLING`). Here they are
read from the record of one game, to make sure that it is the game that was meant, and to say so.
"""

from collections.abc import Iterable, Sequence

import msgspec

from cantstop_arena.games.cantstop.counts import HIGHLIGHTS
from cantstop_arena.games.cantstop.engine.game_array import CLAIM, COLUMN_UNITS, MAX_AHEAD
from cantstop_arena.games.cantstop.records import Event
from cantstop_arena.tables.notes import all_of
from cantstop_arena.texts import how_many
from cantstop_arena.views.cantstop.scenes import BoardScene, scenes

LONGEST, CLOSEST, COMEBACK = HIGHLIGHTS


class Lead(msgspec.Struct, frozen=True):
    """By how much somebody is ahead: columns claimed, then progress in all columns, in columns."""

    columns: int
    progress: float


class GameHighlights(msgspec.Struct, frozen=True):
    """A game's turns, the winner's lead at the end, and the farthest that it had been behind.

    Of games that nobody won alone there is nothing to say of the winner. `remembered` has, by
    kind, what the engine remembers such a game for.
    """

    turns: int
    ahead: Lead | None
    behind: Lead | None
    highlights: dict[str, int]


def game_story(events: Iterable[Event]) -> GameHighlights:
    """The story of a whole game."""
    deficits: list[int] = []
    now: list[int] = []
    scene = markers = None
    for scene in scenes(events):
        if scene.markers is markers:
            continue
        markers, now = scene.markers, standings(scene)
        best = max(now)
        before = deficits or [0] * len(now)
        deficits = [max(was, best - own) for was, own in zip(before, now, strict=True)]
    assert scene is not None  # a record has an opening
    return _no_highlights(scene.event, now, deficits)


def _no_highlights(end: Event, now: list[int], deficits: list[int]) -> GameHighlights:
    turns, winners = end["turns"], end["winners"]
    highlights = {LONGEST: turns} if winners else {}
    if not winners or len(now) == 1:
        return GameHighlights(turns, None, None, highlights)
    if len(winners) > 1:
        return GameHighlights(turns, None, None, {**highlights, CLOSEST: MAX_AHEAD})
    winner = winners[0]
    ahead = now[winner] - max(own for seat, own in enumerate(now) if seat != winner)
    highlights |= {CLOSEST: MAX_AHEAD - ahead, COMEBACK: deficits[winner]}
    return GameHighlights(turns, _lead(ahead), _lead(deficits[winner]), highlights)


def standings(scene: BoardScene) -> list[int]:
    """How far each seat has come, as the engine reckons it: the leader has the most."""
    claims, lengths = [0] * len(scene.markers), scene.lengths
    for seat in scene.claimed.values():
        claims[seat] += 1
    return [
        CLAIM * claimed
        + sum(space * (COLUMN_UNITS // lengths[column]) for column, space in own.items())
        for claimed, own in zip(claims, scene.markers, strict=True)
    ]


def _lead(difference: int) -> Lead:
    columns = round(difference / CLAIM)
    return Lead(columns, (difference - CLAIM * columns) / COLUMN_UNITS)


def why(kind: str, events: Sequence[Event]) -> str:
    """A sentence on what makes a game the longest, the closest, or the greatest comeback."""
    data = game_story(events)
    winners = [events[0]["seats"][seat] for seat in events[-1]["winners"]]
    match kind:
        case "longest":
            return f"{how_many(data.turns, 'turn')}: no other game that was won has more."
        case "closest" if data.ahead is None:
            return f"{all_of(winners)} share the win."
        case "closest":
            return f"At the end {winners[0]} is {by_how_much(data.ahead, 'ahead', 'behind')}."
        case _:
            return f"{winners[0]} wins, having been {by_how_much(data.behind, 'behind', 'ahead')}."


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
