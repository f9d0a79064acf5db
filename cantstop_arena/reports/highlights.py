"""A tournament's highlights: choosing the games, recording them, and reading the records."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from cantstop_arena.atomic_files import refuse_link, write_result
from cantstop_arena.deals.counting import length_class
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import seed_of
from cantstop_arena.errors import ArenaError
from cantstop_arena.game_api.state import Event
from cantstop_arena.games.registry import game_named
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.formats import as_json_lines
from cantstop_arena.tables.styles import classes_of, percentile
from cantstop_arena.tournaments.tournament import RECORDS
from cantstop_arena.views.default_view import GameView, view_of

TYPICAL = "typical"

Play = Callable[[tuple[str, ...], int], Sequence[Event]]
"""Replays a game: bots in seat order, and a deal; returns no events where that is impossible."""


class Highlighted(msgspec.Struct, frozen=True):
    """A highlight: its kind, its bots in seat order, its deal, and how much of it there was.

    `how_much` is a score that the game defines, or the length class of a typical game.
    """

    kind: str
    bots: tuple[str, ...]
    deal: int
    how_much: int

    def is_recorded_in(self, events: Sequence[Event], view: GameView) -> bool:
        """Whether these events record this game, with the same score or length class."""
        opening, end = events[0], events[-1]
        if opening["deal"] != self.deal or tuple(opening["seats"]) != self._by_seat(opening):
            return False
        if end["event"] != "end":
            return False
        if self.kind == TYPICAL:
            length = view.length(events)
            return length is None or length_class(length) == self.how_much
        scores = view.highlight_scores(events)
        return scores is None or scores.get(self.kind) == self.how_much

    def _by_seat(self, opening: Event) -> tuple[str, ...]:
        """The bots by seat of a record; partners are one bot."""
        seats = len(opening["seats"])
        sides = game_named(opening["game"]).side_by_seat(seats)
        return tuple(self.bots[side] for side in sides) if max(sides) < len(self.bots) else ()


def highlights(analysis: Analysis) -> list[Highlighted]:
    """A typical game of the best bots, and the highlights that the game defines.

    The same game can be there several times.
    """
    return [*_typical(analysis), *_greatest(analysis)]


def _greatest(analysis: Analysis) -> Iterator[Highlighted]:
    for kind in _kinds(analysis):
        candidates = [
            (-how_much, deal, index, seating)
            for index, (seating, tally) in enumerate(analysis.results.tallies.items())
            for how_much, deal in (tally.highlights.get(kind, (0, 0)),)
            if how_much
        ]
        if candidates:
            negated, deal, _, seating = min(candidates)
            yield Highlighted(kind, _named(analysis, seating), deal, -negated)


def _typical(analysis: Analysis) -> Iterator[Highlighted]:
    """The first game of median length of the best bots that have met.

    The median is over all their seatings. If several seatings have such a game, the one with
    better bots in front is taken.
    """
    ranks = {bot: rank for rank, bot in enumerate(analysis.order)}
    tallies = analysis.results.tallies
    played = sorted(
        (sorted(_ranks_of(ranks, bots)), _ranks_of(ranks, bots), bots)
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


def _ranks_of(ranks: Mapping[int, int], seating: Group) -> list[int]:
    return [ranks[bot] for bot in seating]


def _named(analysis: Analysis, seating: Group) -> tuple[str, ...]:
    return tuple(analysis.results.bots[bot] for bot in seating)


# In the folder ------------------------------------------------------------------------------


def record_games(analysis: Analysis, folder: Path, play: Play) -> list[Path]:
    """Replay the highlights and write records that are missing; return the paths of all records.

    Games that go differently the second time are left out, as of bots that are not reproducible.
    Equal results give equal bytes.
    """
    refuse_link(folder / RECORDS)
    chosen = {game.kind: game for game in highlights(analysis)}
    once = cache(play)  # a game can be several highlights
    paths = []
    for kind in (TYPICAL, *_kinds(analysis)):
        path = record_path(folder, kind)
        game = chosen.get(kind)
        if game and (
            _is_there(game, folder, analysis) or _record(game, folder, once, _view(analysis))
        ):
            paths.append(path)
        else:
            path.unlink(missing_ok=True)
    return paths


def _view(analysis: Analysis) -> GameView:
    return view_of(game_named(analysis.results.game))


def _is_there(game: Highlighted, folder: Path, analysis: Analysis) -> bool:
    return bool(_read(game, folder, analysis))


def _record(game: Highlighted, folder: Path, play: Play, view: GameView) -> bool:
    events = play(game.bots, game.deal)
    if not (events and game.is_recorded_in(events, view)):
        return False
    write_result(folder, f"{RECORDS}/{game.kind}.jsonl", as_json_lines(events))
    return True


def recorded_games(analysis: Analysis, folder: Path) -> list[tuple[Highlighted, Sequence[Event]]]:
    """The highlights, each with the events of its record, or none without a valid one."""
    return [(game, _read(game, folder, analysis)) for game in highlights(analysis)]


def _read(game: Highlighted, folder: Path, analysis: Analysis) -> Sequence[Event]:
    """The events of a game's record; none where it is missing, damaged, or of another game."""
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
    """The events of a record; cached, as the page reads each again after `record_games`."""
    view = view_of(game_named(game))
    return tuple(view.read_record(text.splitlines(), str(path)))


def record_path(folder: Path, kind: str) -> Path:
    """The path of the record of a kind of highlight."""
    return folder / RECORDS / f"{kind}.jsonl"
