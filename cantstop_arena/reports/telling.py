"""A tournament's telling games: which they are, recorded into its folder, and read from there."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cantstop_arena.errors import ArenaError
from cantstop_arena.games.cantstop.counts import TELLING, length_class
from cantstop_arena.games.cantstop.events import Event
from cantstop_arena.games.cantstop.records import read_record
from cantstop_arena.games.cantstop.telling import story
from cantstop_arena.outcomes import Group
from cantstop_arena.reports.analysis import Analysis
from cantstop_arena.reports.files import write_whole
from cantstop_arena.reports.lengths import classes_of, percentile
from cantstop_arena.reports.records import as_json_lines
from cantstop_arena.seeds import Seed, seed_of

GAMES = "games"  # in a results folder
TYPICAL = "typical"
KINDS = (TYPICAL, *TELLING)

Play = Callable[[tuple[str, ...], int], Sequence[Event]]
"""Plays a game of some bots, in seat order, in a deal again; no events where that is impossible."""


@dataclass(frozen=True, slots=True)
class Telling:
    """A game that is telling: who sat where, in which deal, and what it is remembered for.

    That is a number of the engine's, or the class of its length where it is typical.
    """

    kind: str
    bots: tuple[str, ...]
    deal: int
    how_much: int

    def is_told_by(self, events: Sequence[Event]) -> bool:
        """Whether a record is that of this game, and tells what it is remembered for."""
        opening, end = events[0], events[-1]
        if (opening["seats"], opening["deal"]) != ([*self.bots], self.deal):
            return False
        if end["event"] != "end":
            return False
        if self.kind == TYPICAL:
            return length_class(end["turns"]) == self.how_much
        return story(events).remembered.get(self.kind) == self.how_much


def telling_games(analysis: Analysis) -> list[Telling]:
    """A typical game of the best bots, and the most telling ones of all; can be one game twice."""
    return [*_typical(analysis), *_most_telling(analysis)]


def _most_telling(analysis: Analysis) -> Iterator[Telling]:
    for kind in TELLING:
        found = [
            (-how_much, deal, place, seating)
            for place, (seating, tally) in enumerate(analysis.results.tallies.items())
            for how_much, deal in (tally.telling.get(kind, (0, 0)),)
            if how_much
        ]
        if found:
            least, deal, _, seating = min(found)
            yield Telling(kind, _named(analysis, seating), deal, -least)


def _typical(analysis: Analysis) -> Iterator[Telling]:
    """The first game of median length of the best bots that have met.

    All their seatings count. Of those with such a game it is the one with the best bots in front.
    """
    ranks = {bot: place for place, bot in enumerate(analysis.order)}
    tallies = analysis.results.tallies
    played = sorted(
        (sorted(_places(ranks, bots)), _places(ranks, bots), bots)
        for bots, tally in tallies.items()
        if tally.lengths
    )
    if not played:
        return
    seatings = [bots for best, _, bots in played if best == played[0][0]]
    middle = percentile(classes_of(tallies[bots] for bots in seatings), 50)
    seating = next(bots for bots in seatings if middle in tallies[bots].lengths)
    yield Telling(TYPICAL, _named(analysis, seating), tallies[seating].lengths[middle][1], middle)


def _places(ranks: Mapping[int, int], seating: Group) -> list[int]:
    return [ranks[bot] for bot in seating]


def _named(analysis: Analysis, seating: Group) -> tuple[str, ...]:
    return tuple(analysis.results.bots[bot] for bot in seating)


# In the folder ------------------------------------------------------------------------------


def record_games(analysis: Analysis, folder: Path, play: Play) -> list[Path]:
    """Play the telling games again and write their records, where they are not there already.

    Games of bots that play otherwise the second time are left out. The same results give the same
    bytes.
    """
    chosen = {game.kind: game for game in telling_games(analysis)}
    once = cache(play)  # a game can be telling in several ways
    written = []
    for kind in KINDS:
        path = record_path(folder, kind)
        game = chosen.get(kind)
        if game and (_is_there(game, folder, analysis) or _record(game, path, once)):
            written.append(path)
        else:
            path.unlink(missing_ok=True)
    return written


def _is_there(game: Telling, folder: Path, analysis: Analysis) -> bool:
    return bool(_read(game, folder, analysis.results.seed))


def _record(game: Telling, path: Path, play: Play) -> bool:
    events = play(game.bots, game.deal)
    if not (events and game.is_told_by(events)):
        return False
    path.parent.mkdir(exist_ok=True)
    write_whole(path, as_json_lines(events))
    return True


def recorded_games(analysis: Analysis, folder: Path) -> list[tuple[Telling, Sequence[Event]]]:
    """The telling games, with the records of just these that lie in the folder, or no events."""
    seed = analysis.results.seed
    return [(game, _read(game, folder, seed)) for game in telling_games(analysis)]


def _read(game: Telling, folder: Path, seed: Seed | None) -> list[Event]:
    """The events of a game's record; none where there is no record of just this game."""
    path = record_path(folder, game.kind)
    try:
        events = list(read_record(path.read_text("utf-8").splitlines(), str(path)))
    except (OSError, ValueError, ArenaError):
        return []
    return events if seed_of(events[0]["seed"]) == seed and game.is_told_by(events) else []


def record_path(folder: Path, kind: str) -> Path:
    """Where the record of such a game is."""
    return folder / GAMES / f"{kind}.jsonl"
