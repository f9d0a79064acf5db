"""A tournament's highlights: which games they are, recorded into its folder, and read again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from cantstop_arena.atomic_files import write_atomically
from cantstop_arena.deals.counting import length_class
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import seed_of
from cantstop_arena.errors import ArenaError
from cantstop_arena.game_api.game import Event
from cantstop_arena.games.registry import game_named
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.data import as_json_lines
from cantstop_arena.tables.lengths import classes_of, percentile
from cantstop_arena.views.default_view import GameView, view_of

GAMES = "games"  # in a results folder
TYPICAL = "typical"

Play = Callable[[tuple[str, ...], int], Sequence[Event]]
"""Plays a game of some bots, in seat order, in a deal again; no events where that is impossible."""


class Highlighted(msgspec.Struct, frozen=True):
    """A highlight: who sat where, in which deal, and what the game is remembered for.

    That is a number of the game's own, or the class of its length where it is typical.
    """

    kind: str
    bots: tuple[str, ...]
    deal: int
    how_much: int

    def is_recorded_in(self, events: Sequence[Event], view: GameView) -> bool:
        """Whether a record is that of this game, and tells what it is remembered for."""
        opening, end = events[0], events[-1]
        if (opening["seats"], opening["deal"]) != ([*self.bots], self.deal):
            return False
        if end["event"] != "end":
            return False
        if self.kind == TYPICAL:
            length = view.length(events)
            return length is None or length_class(length) == self.how_much
        remembered = view.highlight_scores(events)
        return remembered is None or remembered.get(self.kind) == self.how_much


def highlights(analysis: Analysis) -> list[Highlighted]:
    """A typical game of the best bots, and the game's own highlights; can be one game twice."""
    return [*_typical(analysis), *_greatest(analysis)]


def _greatest(analysis: Analysis) -> Iterator[Highlighted]:
    for kind in _kinds(analysis):
        found = [
            (-how_much, deal, place, seating)
            for place, (seating, tally) in enumerate(analysis.results.tallies.items())
            for how_much, deal in (tally.highlights.get(kind, (0, 0)),)
            if how_much
        ]
        if found:
            least, deal, _, seating = min(found)
            yield Highlighted(kind, _named(analysis, seating), deal, -least)


def _typical(analysis: Analysis) -> Iterator[Highlighted]:
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
    yield Highlighted(
        TYPICAL, _named(analysis, seating), tallies[seating].lengths[middle][1], middle
    )


def _kinds(analysis: Analysis) -> list[str]:
    return [highlight.kind for highlight in analysis.results.counts.highlights]


def _places(ranks: Mapping[int, int], seating: Group) -> list[int]:
    return [ranks[bot] for bot in seating]


def _named(analysis: Analysis, seating: Group) -> tuple[str, ...]:
    return tuple(analysis.results.bots[bot] for bot in seating)


# In the folder ------------------------------------------------------------------------------


def record_games(analysis: Analysis, folder: Path, play: Play) -> list[Path]:
    """Play the highlights again and write their records, where they are not there already.

    Games of bots that play otherwise the second time are left out. The same results give the same
    bytes.
    """
    chosen = {game.kind: game for game in highlights(analysis)}
    once = cache(play)  # a game can be a highlight in several ways
    written = []
    for kind in (TYPICAL, *_kinds(analysis)):
        path = record_path(folder, kind)
        game = chosen.get(kind)
        if game and (
            _is_there(game, folder, analysis) or _record(game, path, once, _view(analysis))
        ):
            written.append(path)
        else:
            path.unlink(missing_ok=True)
    return written


def _view(analysis: Analysis) -> GameView:
    return view_of(game_named(analysis.results.game))


def _is_there(game: Highlighted, folder: Path, analysis: Analysis) -> bool:
    return bool(_read(game, folder, analysis))


def _record(game: Highlighted, path: Path, play: Play, view: GameView) -> bool:
    events = play(game.bots, game.deal)
    if not (events and game.is_recorded_in(events, view)):
        return False
    path.parent.mkdir(exist_ok=True)
    write_atomically(path, as_json_lines(events))
    return True


def recorded_games(analysis: Analysis, folder: Path) -> list[tuple[Highlighted, Sequence[Event]]]:
    """The highlights, with the records of just these that lie in the folder, or no events."""
    return [(game, _read(game, folder, analysis)) for game in highlights(analysis)]


def _read(game: Highlighted, folder: Path, analysis: Analysis) -> Sequence[Event]:
    """The events of a game's record; none where there is no record of just this game."""
    path, view = record_path(folder, game.kind), _view(analysis)
    try:
        events = _events(analysis.results.game, path, path.read_text("utf-8"))
    except (OSError, ValueError, ArenaError):
        return ()
    is_ours = seed_of(events[0]["seed"]) == analysis.results.seed and game.is_recorded_in(
        events, view
    )
    return events if is_ours else ()


@lru_cache(maxsize=8)
def _events(game: str, path: Path, text: str) -> Sequence[Event]:
    """What a record tells; one that lies there already is asked for twice, for its page again."""
    view = view_of(game_named(game))
    return tuple(view.read_record(text.splitlines(), str(path)))


def record_path(folder: Path, kind: str) -> Path:
    """Where the record of such a game is."""
    return folder / GAMES / f"{kind}.jsonl"
