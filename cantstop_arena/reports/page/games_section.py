"""The highlights of a tournament: games to play back, and why each was chosen."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from cantstop_arena.deals.counting import MAX_EXACT_LENGTH
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import Event
from cantstop_arena.games.registry import game_named
from cantstop_arena.pages.document import Document, Section
from cantstop_arena.reports.highlights import TYPICAL, Highlighted, record_path
from cantstop_arena.texts import how_many, in_a_line
from cantstop_arena.views.default_view import MAX_NAME_LENGTH, GameView, view_of

MAX_TURNS = 200  # turns of a game on the page; a turn takes about 600 bytes
KEY = "game"
"""The key of the only game of a page."""

Recorded = tuple[Highlighted, Sequence[Event]]


def document(events: Sequence[Event]) -> Document:
    """The page of one game; its headings do not name the winner."""
    view = view_of(game_named(events[0]["game"]))
    return Document(
        title=against(events[0]["seats"]),
        about=f"{view.heading(events[0])}.",
        answer=(),
        sections=[Section("replay", "Step by step", games=[view.page_game(KEY, "", (), events)])],
    )


def against(names: Sequence[str]) -> str:
    """The players of a game as text: "a, b against c"."""
    *others, last = (in_a_line(name, MAX_NAME_LENGTH) for name in names)
    return f"{', '.join(others)} against {last}" if others else f"{last} alone"


class _Replay(msgspec.Struct, frozen=True):
    """A game to play back, and the highlights that it was chosen for."""

    game: Game
    view: GameView
    chosen: list[Highlighted]
    events: Sequence[Event]

    @property
    def title(self) -> str:
        """The titles of its highlights, and who played it."""
        named = [_title(self.game, highlighted) for highlighted in self.chosen]
        called = " and ".join([named[0], *(name[0].lower() + name[1:] for name in named[1:])])
        return f"{called}: {against(self.chosen[0].bots)}"

    @property
    def length(self) -> int:
        """The length of the game in the game's unit; 0 where the record lacks it."""
        return self.view.length(self.events) or 0


def section(game: Game, recorded: Sequence[Recorded]) -> Section:
    """The section of the highlights, each game once, with a note on each that is left out."""
    replays = list(_replays(game, recorded))
    visible_replays = [replay for replay in replays if replay.length <= MAX_TURNS]
    count = how_many(len(visible_replays), "game")
    return Section(
        "games",
        "Notable games",
        [*_without_record(game, recorded), *_too_long(replays)],
        games=[
            replay.view.page_game(
                f"game-{replay.chosen[0].kind}",
                replay.title,
                list(_game_paragraphs(replay)),
                replay.events,
            )
            for replay in visible_replays
        ],
        finding=f"{count} to play back" if visible_replays else "",
        midway=True,
    )


def _title(game: Game, chosen: Highlighted) -> str:
    titles = {highlight.kind: highlight.title for highlight in game.counts.highlights}
    return titles.get(chosen.kind, "A typical game")


def _replays(game: Game, recorded: Sequence[Recorded]) -> Iterator[_Replay]:
    replays: dict[tuple[tuple[str, ...], int], _Replay] = {}
    view = view_of(game)
    for chosen, events in recorded:
        if events:
            replay = replays.setdefault((chosen.bots, chosen.deal), _Replay(game, view, [], events))
            replay.chosen.append(chosen)
    yield from replays.values()


def _without_record(game: Game, recorded: Sequence[Recorded]) -> Iterator[str]:
    for chosen, events in recorded:
        if not events:
            which = f"{against(chosen.bots)} in deal {chosen.deal}"
            yield (
                f"{_title(game, chosen)}, {which}, has no record here: bots can play otherwise when"
                " a game is played again."
            )


def _too_long(replays: Sequence[_Replay]) -> Iterator[str]:
    for replay in replays:
        if replay.length > MAX_TURNS:
            record = _record(replay.chosen[0])
            units = f"{replay.game.counts.unit}s"
            long = f"{replay.title} has more than {MAX_TURNS} {units}"
            yield f"{long}; arena replay shows {record}."


def _game_paragraphs(replay: _Replay) -> Iterator[str]:
    for chosen in replay.chosen:
        if why := _why(replay, chosen):
            yield why
    first = replay.chosen[0]
    yield f"Deal {first.deal}; its record is {_record(first)}."


def _why(replay: _Replay, chosen: Highlighted) -> str:
    if chosen.kind != TYPICAL:
        return replay.view.why(chosen.kind, replay.events)
    if not replay.length:
        return ""
    about = "" if replay.length <= MAX_EXACT_LENGTH else "about "
    return f"{how_many(replay.length, replay.game.counts.unit)}, {about}the median for these bots."


def _record(chosen: Highlighted) -> str:
    return record_path(Path(), chosen.kind).as_posix()
