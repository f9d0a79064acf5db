"""The row of a design in lists of results."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from cantstop_arena.errors import ArenaError
from cantstop_arena.extensions.design.extension import DESIGN
from cantstop_arena.games.registry import game_named
from cantstop_arena.reports.result_rows import ResultRow, report_address, unreadable, when_written


class _Design(msgspec.Struct):
    """What a row needs of design.json."""

    headline: str
    game: str
    rules: str
    bots: list[str]
    games: int


def rows(path: Path) -> Iterator[ResultRow]:
    """The row of a folder with a design."""
    when = when_written(path / DESIGN)
    try:
        content = msgspec.json.decode((path / DESIGN).read_bytes(), type=_Design)
        title = game_named(content.game).title
    except (OSError, msgspec.DecodeError, ArenaError) as error:
        yield unreadable(path, "design", when, error)
        return
    yield ResultRow(
        name=path.name,
        kind="design",
        about=f"{title}, {content.rules}",
        finding=content.headline,
        bots=len(content.bots),
        games=content.games,
        when=when,
        address=report_address(path),
    )
