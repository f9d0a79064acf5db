"""Results in folders: open them, or rate several together; and the names of such folders."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cantstop_arena.api.results import Results
from cantstop_arena.bots.bot_paths import DEFAULT_FOLDER
from cantstop_arena.errors import LedgerError, UsageError
from cantstop_arena.reports.match_report import stored_finding
from cantstop_arena.reports.tournament_files import CONTENT
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tournaments.file.tournament_file import MAX_FOLDER_LENGTH, MAX_NAME_LENGTH
from cantstop_arena.tournaments.ledger.read_ledger import load_results, load_results_with_aims
from cantstop_arena.tournaments.tournament import Tournament

if TYPE_CHECKING:
    from cantstop_arena.api.comparisons import ComparisonResults
    from cantstop_arena.bots.catalogue import Catalogue


def open(
    folder: Path | str, *, bots_folder: Path | str = DEFAULT_FOLDER
) -> "Results | ComparisonResults":
    """The results of a tournament, a match or a comparison in a folder, also while it runs.

    Raises ArenaError when the folder has no readable results.
    """
    folder = Path(folder)
    if (folder / CONTENT).is_file():
        from cantstop_arena.api.comparisons import ComparisonResults

        return ComparisonResults(_content(folder), folder)
    return load_tournament_results(folder, bots_folder=bots_folder)


def load_tournament_results(folder: Path, *, bots_folder: Path | str = DEFAULT_FOLDER) -> Results:
    """The results of a tournament or a match in a folder."""
    from cantstop_arena.api.matches import MatchResults

    source = partial(_setting_of, folder, Path(bots_folder))
    analysis = Analysis(load_results_with_aims(folder))
    if finding := stored_finding(folder, analysis):
        return MatchResults(finding, analysis, folder, source)
    return Results(analysis, folder, source)


def rate(
    *folders: Path | str | Iterable[Path | str],
    anchor: Mapping[str, float] | None = None,
    plain: bool = False,
    bots_folder: Path | str = DEFAULT_FOLDER,
) -> Results:
    """The results of tournaments in folders, or in a list of them, rated together as one.

    `anchor` fixes the Elo of some bots; `plain` ignores the luck scores, which are removed by
    default where they were recorded. Raises ArenaError when the tournaments cannot be combined.
    """
    named = [[each] if isinstance(each, str | Path) else [*each] for each in folders]
    paths = [Path(folder) for several in named for folder in several]
    if not paths:
        raise UsageError("rate() needs at least one results folder")
    single = paths[0] if len(paths) == 1 else None
    source = partial(_setting_of, paths[0], Path(bots_folder))
    totals = load_results(paths, anchor or {})
    return Results(Analysis(totals.plain if plain else totals), single, source)


def _setting_of(folder: Path, bots_folder: Path) -> "tuple[Tournament, Catalogue]":
    """The tournament of a folder, and the catalogue of its bots."""
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.tournaments.stored_tournament import load_tournament

    catalogue = Catalogue(bots_folder, results=folder.parent)
    tournament = load_tournament(folder, catalogue)
    return tournament, catalogue.playing(tournament.game)


def _content(folder: Path) -> dict[str, object]:
    try:
        content: dict[str, object] = json.loads((folder / CONTENT).read_text("utf-8"))
    except ValueError as error:
        raise LedgerError(
            f"{folder / CONTENT} is damaged ({error}); run arena compare again"
        ) from error
    return content


# The names of folders

_MAX_BOTS_LENGTH = 80  # characters of all bots' names together
_MAX_NAMED = 3  # bots in the name
_DIGITS = 8  # of the digest


def folder_name(tournament: Tournament, bots: int, before: str = "", between: str = "-") -> str:
    """A folder's name: the first bots, and the rules when they are not the game's default."""
    names = [entrant.name for entrant in tournament.entrants[:bots]]
    name = before + between.join(
        _cleaned(bot_name)[: _MAX_BOTS_LENGTH // bots].lstrip(".") for bot_name in names
    )
    if tournament.rules != tournament.game.rules.default:
        name += f"-{_cleaned(tournament.rules.name)}"
    return _fitted(name)


def few_names(tournament: Tournament) -> str:
    """A folder's name with some of the bots, and the rules when they are not the default."""
    return folder_name(tournament, min(_MAX_NAMED, len(tournament.entrants)))


def digest_name(name: str, tournaments: Iterable[Tournament], has_random_seed: bool) -> str:
    """A folder's name with a digest of what is played in it: the names of bots, and the settings.

    A random seed is left out of the digest, so that the same tournament has the same folder, and so
    are the bots' contents, so that an edited bot finds the games of the others.
    """
    keys = [
        {
            **msgspec.to_builtins(tournament.query.setting),
            **({"seed": None} if has_random_seed else {}),
            "bots": tournament.query.names,
            "gauntlet": tournament.challenger,
        }
        for tournament in tournaments
    ]
    digest = hashlib.sha256(json.dumps(keys, sort_keys=True).encode()).hexdigest()[:_DIGITS]
    return f"{_fitted(name, _DIGITS + 1)}-{digest}"


def cleaned_name(*parts: str) -> str:
    """A folder's name of these words, without characters that are not for folders."""
    return _fitted("-".join(_cleaned(word).lstrip(".") for word in parts))


def _cleaned(word: str) -> str:
    return re.sub(r"[^\w.=-]+", "_", word).replace("=", "-")


def _fitted(name: str, spare: int = 0) -> str:
    """A name cut to the maximal length of a folder's, less `spare` characters."""
    text = name[: MAX_NAME_LENGTH - spare].encode()[: MAX_FOLDER_LENGTH - spare]
    return text.decode(errors="ignore")
