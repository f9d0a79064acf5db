"""The results on disk, a row each; each is read again only when its files have changed."""

import re
from collections.abc import Collection
from itertools import chain
from pathlib import Path

from cantstop_arena.extension_registry import result_kinds
from cantstop_arena.reports.result_rows import (
    CORE_KINDS,
    FILES,
    HISTORY,
    REPORT,
    ResultRow,
    rows_of,
    time_of,
)
from cantstop_arena.tournaments.file.tournament_file import PEOPLE

__all__ = ["HISTORY", "REPORT", "ResultRow", "ResultsIndex", "kinds"]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+ -]{0,99}")


def kinds() -> list[str]:
    """The kinds of results, those of extensions last."""
    return [*CORE_KINDS, *(kind.name for kind in result_kinds() if kind.rows)]


class ResultsIndex:
    """The rows of all results; each is read again only when its files have changed."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self._rows: dict[Path, tuple[object, list[ResultRow]]] = {}

    def folder(self, name: str) -> Path | None:
        """The folder of a result; None if there is none, or the name leads elsewhere."""
        path = self.results / name
        is_name = bool(_NAME.fullmatch(name)) and name.casefold() != PEOPLE
        return path if is_name and not path.is_symlink() and path.is_dir() else None

    def folders(self) -> list[Path]:
        """The folders of all results."""
        result_folders = (self.folder(path.name) for path in sorted(self.results.glob("*")))
        return [path for path in result_folders if path]

    def rows(self) -> list[ResultRow]:
        """All results, the newest first."""
        rows = chain.from_iterable(map(self.rows_in, self.folders()))
        return sorted(rows, key=lambda row: row.when, reverse=True)

    def with_ratings(self, game: str, bots: Collection[str]) -> list[ResultRow]:
        """The results of a game that have rated some of these bots, those with the most first."""
        rated = [row for row in self.rows() if row.game == game and len(row.ratings) > 1]
        listed = {row.name: len(row.ratings.keys() & {*bots}) for row in rated}
        return sorted(
            (row for row in rated if listed[row.name]),
            key=lambda row: (-listed[row.name], -row.games),
        )

    def rows_in(self, path: Path) -> list[ResultRow]:
        """The rows of a folder; none if it has no results."""
        histories = sorted(file for file in path.glob("history-*.html") if HISTORY.match(file.name))
        names = (*FILES, *(kind.file for kind in result_kinds()))
        files = (path, *map(path.joinpath, names), *histories)  # a folder changes with its files
        stamp = [(file.name, time_of(file)) for file in files]
        stored = self._rows.get(path)
        if stored is None or stored[0] != stamp:
            stored = self._rows[path] = stamp, list(rows_of(path, histories))
        return stored[1]
