"""The row of a league in lists of results."""

import csv
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from cantstop_arena.extensions.league.extension import LEAGUE_FILE
from cantstop_arena.extensions.league.league_files import PUBLIC, STANDINGS
from cantstop_arena.reports.result_rows import ResultRow, when_written


def rows(path: Path) -> Iterator[ResultRow]:
    """The row of a folder with a league."""
    try:
        with (path / STANDINGS).open(encoding="utf-8", newline="") as file:
            participants = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error):
        participants = []
    leader = participants[0].get("name") if participants else ""
    finding = f"{leader} is first" if leader else "No round has been played yet"
    has_pages = (path / PUBLIC / "index.html").is_file()
    address = f"/league/{quote(path.name)}/index.html" if has_pages else ""
    when = when_written(path / LEAGUE_FILE)
    yield ResultRow(path.name, "league", "", finding, len(participants), 0, when, address)
