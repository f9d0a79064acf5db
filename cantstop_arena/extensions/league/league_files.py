"""The files of a league's results: standings, marks, days, tokens, and the public pages."""

import csv
import secrets
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import msgspec

from cantstop_arena.atomic_files import refuse_link, write_result
from cantstop_arena.extensions.league.grading import mark_table
from cantstop_arena.extensions.league.league_file import League
from cantstop_arena.extensions.league.league_run import LeagueStandings
from cantstop_arena.extensions.league.league_summary import SUMMARY
from cantstop_arena.extensions.league.standings import DAYS, standings_data
from cantstop_arena.tables.formats import as_csv

STANDINGS, MARKS, TOKENS, PUBLIC = "standings.csv", "marks.csv", "tokens.csv", "public"
INDEX = "index.html"  # of the public pages
_TOKEN_BYTES = 16
_BYTE_ORDER_MARK = "\ufeff"
"""Spreadsheets take a file without it for one in their own old encoding."""


def write_league(standings: LeagueStandings) -> list[str]:
    """Write all files of the standings, and return the names of the files."""
    folder, day = standings.folder, f"{DAYS}/{standings.now.date().isoformat()}.csv"
    table = as_csv(standings_data(standings.rows))
    marks = as_csv(mark_table(standings.league.marks, standings.marks))
    contents = {STANDINGS: table, MARKS: f"{_BYTE_ORDER_MARK}{marks}", day: table}
    for name, content in contents.items():
        write_result(folder, name, content)
    return [STANDINGS, MARKS, day]


def write_pages(standings: LeagueStandings) -> Path:
    """Write the public pages and their summary, delete others' pages; the first one's path.

    Raises PageError where what draws them is missing.
    """
    from cantstop_arena.reports.write_page import requiring_package

    with requiring_package("The pages cannot be written: {package} is missing."):
        from cantstop_arena.extensions.league.league_pages import pages, summary
    folder = standings.folder
    refuse_link(folder / PUBLIC)
    write_result(folder, SUMMARY, msgspec.json.encode(summary(standings)))
    page_texts = pages(standings)
    for name, html in page_texts.items():
        write_result(folder, f"{PUBLIC}/{name}", html)
    for path in (folder / PUBLIC).glob("*.html"):
        if path.name not in page_texts:
            path.unlink()
    return folder / PUBLIC / INDEX


def write_tokens(league: League, results: Path) -> Path:
    """Write tokens.csv, a secret word for each participant, for the upload page of `arena serve`.

    A participant keeps the token that is there; that of one who has left is deleted. Whoever has
    the file can hand in for everybody: only its owner can read it.
    """
    folder = results / league.name
    tokens = {stored.id: stored.token for stored in stored_tokens(folder)}
    lines = StringIO(newline="")
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(StoredToken._fields)
    for each in league.participants:
        token = tokens.get(each.id) or secrets.token_urlsafe(_TOKEN_BYTES)
        writer.writerow(StoredToken(each.id, token, str(league.folder.absolute() / each.id)))
    text = lines.getvalue()
    # Scripts read the file line by line, so that it has the mark only where it needs it.
    mark = "" if text.isascii() else _BYTE_ORDER_MARK
    return write_result(folder, TOKENS, f"{mark}{text}", 0o600)


class StoredToken(NamedTuple):
    """A participant's id, token, and the folder of the submission."""

    id: str
    token: str
    folder: str


def stored_tokens(folder: Path) -> list[StoredToken]:
    """The tokens in a folder of results."""
    path = folder / TOKENS
    if path.is_symlink() or not path.is_file():
        return []
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [
            StoredToken(row["id"], row["token"], row.get("folder") or "")
            for row in csv.DictReader(file)
            if row.get("id") and row.get("token")
        ]
