"""The row of a league in lists of results."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from cantstop_arena.extensions.league.extension import LEAGUE_FILE
from cantstop_arena.extensions.league.league_summary import read_summary
from cantstop_arena.reports.result_rows import ResultRow, when_written


def rows(path: Path) -> Iterator[ResultRow]:
    """The row of a folder with a league."""
    when, summary = when_written(path / LEAGUE_FILE), read_summary(path)
    if summary is None:
        finding = "No pages here: arena league FILE writes them"
        yield ResultRow(path.name, "league", "", finding, 0, 0, when, "")
        return
    yield ResultRow(
        path.name,
        "league",
        summary.about,
        summary.headline,
        summary.bots,
        summary.games,
        when,
        f"/league/{quote(path.name)}",
        game=summary.game,
    )
