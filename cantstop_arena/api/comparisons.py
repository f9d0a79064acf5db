"""Comparisons of rule sets, in Python."""

import html
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from msgspec.structs import replace

from cantstop_arena.api.bot_arguments import AnyBot, field_of, items_of, plain_value
from cantstop_arena.api.folders import digest_name
from cantstop_arena.api.keywords import CompareKeys, FileKeys, keywords, only, run_options
from cantstop_arena.api.report_page import ReportPage
from cantstop_arena.api.result_tables import ResultTable
from cantstop_arena.api.tournaments import (
    OF_BOTS,
    argument_errors,
    openings_from_here,
    overrides_of,
    rules_as_keys,
)
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.comparisons import comparison_file
from cantstop_arena.comparisons.comparison_file import Comparison, comparison_from_keys
from cantstop_arena.comparisons.comparison_results import ComparisonTotals
from cantstop_arena.comparisons.comparison_run import compare as play
from cantstop_arena.errors import FaultError, UsageError
from cantstop_arena.games.registry import game_named
from cantstop_arena.reports.comparison_headline import comparison_headline
from cantstop_arena.reports.comparison_report import (
    content,
    delete_comparison,
    write_comparison,
    write_comparison_page,
)
from cantstop_arena.tables.column import Column, Kind, Table
from cantstop_arena.tournaments.file.keys import BY_NAME, keys_of_file
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.run_options import RunOptions
from cantstop_arena.views.progress_lines import observer_for

_PLAN_KEYS = [key.name for key in keys_of_file("comparison") if key.name not in OF_BOTS]
_PLACEHOLDER = "comparison"  # the name until the digest of the comparison is computed


class ComparisonResults:
    """The results of a comparison of rule sets: `content` is that of `comparison.json`."""

    def __init__(self, content: dict[str, Any], folder: Path) -> None:
        self.content = content
        self.folder = folder

    @property
    def name(self) -> str:
        """The name of the comparison."""
        return str(self.content["name"])

    @property
    def headline(self) -> str:
        """The most important change, in a sentence without its full stop."""
        return comparison_headline(self.content)

    @property
    def sentences(self) -> Sequence[str]:
        """A sentence for each rule set on how it changes the game."""
        return [answer["sentence"] for answer in self.content["answers"]]

    @property
    def table(self) -> ResultTable:
        """A row for each question."""
        rows = [
            {"players": answer["players"], "rules": answer["rules"], **question}
            for answer in self.content["answers"]
            for question in answer["questions"]
        ]
        columns = [_column(key, [row[key] for row in rows]) for key in (rows[0] if rows else ())]
        table = Table("comparison", self.name, columns, [[*row.values()] for row in rows])
        return ResultTable(table, replace(table, notes=self.sentences))

    def write_page(self) -> Path:
        """Write `report.html` into the folder. Raises PageError when a package is missing."""
        return write_comparison_page(self.content, self.folder)

    def page(self, height: int = 800) -> ReportPage:
        """Write the page, for a notebook to display in a frame of so many pixels."""
        return ReportPage(self.write_page(), height)

    def show(self) -> None:
        """Print the sentences."""
        print("\n\n".join(self.sentences))

    def __repr__(self) -> str:
        return f"<{self.name}: {', '.join(self.content['rules'])}>"

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in self.sentences)


def _column(key: str, values: Sequence[Any]) -> Column:
    is_text = any(isinstance(value, str) for value in values)
    return Column(key, key, Kind.TEXT if is_text else Kind.NUMBER, decimals=4)


@keywords(CompareKeys)
def compare(
    what: "Path | str | Sequence[AnyBot]",
    *,
    rules: "Sequence[str | Mapping[str, Any] | Any] | None" = None,
    baseline: str | None = None,
    players: int | Sequence[int] | None = None,
    ignore_below: float | Mapping[str, float] | None = None,
    **given: Unpack[CompareKeys],
) -> ComparisonResults:
    """Play the comparison of a file, or of bots under several rules, and return its results.

    `what` is the path of a comparison file, as for `arena compare`, or a list of bots like that of
    `tournament`; `rules`, two or more, and the keywords up to `ignore_below` are the keys of a
    file. Raises ArenaError, and Interrupted on Ctrl-C.
    """
    own: dict[str, Any] = {
        "compare": rules,
        "baseline": baseline,
        "players": players,
        "ignore_below": ignore_below,
    }
    if isinstance(what, str | Path):
        _refuse_keys_of_files(what, {**own, **given})
        comparison, catalogue, folder = read_comparison(what, **only(FileKeys, given))
    else:
        game = game_named(given["game"])
        catalogue = Catalogue(Path(given["bots_folder"]), game, results=Path(given["results"]))
        comparison = _planned(what, {**given, **own}, catalogue)
        folder = catalogue.results / comparison.name
    options, observer_of = run_options(given), partial(observer_for, given["progress"])
    totals = play_comparison(comparison, catalogue, folder, options, observer_of)
    comparison_results = ComparisonResults(content(totals), folder)
    if given["page"]:
        comparison_results.write_page()
    return comparison_results


def _refuse_keys_of_files(file: Path | str, given: Mapping[str, Any]) -> None:
    """Raise UsageError for keys that only the file can have."""
    changed = {key for key, value in given.items() if value not in (None, BY_NAME[key].default)}
    named = [
        "rules" if key.name == "compare" else key.name
        for key in keys_of_file("comparison")
        if key.name in changed - {"game", *FileKeys.__annotations__}
    ]
    if named:
        names = ", ".join(named)
        raise UsageError(f"{names}: {file} is a file with keys of its own; bots are a list")


def _planned(bots: Sequence[AnyBot], keys: Mapping[str, Any], catalogue: Catalogue) -> Comparison:
    """The comparison of bots with the keys of a file; without a name it gets one with a digest.

    Raises UsageError with every problem.
    """
    present = {key: keys[key] for key in _PLAN_KEYS if keys.get(key) is not None}
    if "openings" in present:
        present["openings"] = openings_from_here(present["openings"])
    present["compare"] = [
        item if isinstance(item, str) else rules_as_keys(item, catalogue)
        for item in items_of(keys["compare"], "rules", "rule sets", catalogue.game.rules.named)
    ]
    source = catalogue.results / str(keys["name"] or _PLACEHOLDER) / comparison_file.RESOLVED_FILE
    with argument_errors():
        field = field_of(bots, catalogue, keys["isolate"], keys["exclude"] or ())
        comparison = comparison_from_keys(
            {"name": _PLACEHOLDER, **plain_value(present)}, field.entrants, catalogue, source
        ).with_field(field)
    if keys["name"] is not None:
        return comparison
    title = "-vs-".join(rules.name for rules in comparison.rules)
    tournaments = comparison.tournaments(catalogue.results / _PLACEHOLDER)
    name = digest_name(title, tournaments, comparison.has_random_seed)
    source = catalogue.results / name / comparison_file.RESOLVED_FILE
    return replace(comparison, name=name, source=source)


@keywords(FileKeys)
def read_comparison(
    file: Path | str, **given: Unpack[FileKeys]
) -> tuple[Comparison, Catalogue, Path]:
    """The comparison of a file, its catalogue of bots, and the folder of its results."""
    catalogue = Catalogue(Path(given["bots_folder"]), results=Path(given["results"]))
    comparison = comparison_file.read(Path(file), catalogue, overrides_of(given))
    return comparison, catalogue, catalogue.results / comparison.name


def play_comparison(
    comparison: Comparison,
    catalogue: Catalogue,
    folder: Path,
    options: RunOptions,
    observer_of: Callable[[str], RunObserver],
) -> ComparisonTotals:
    """Play the missing games of a comparison, and write its results.

    `observer_of` takes the name of a tournament and returns its observer.
    """
    pool_options = options.pool_options
    try:
        totals = play(comparison, catalogue, folder, pool_options, observer_of, options.fresh)
    except FaultError:
        delete_comparison(folder)
        raise
    write_comparison(totals, folder)
    return totals
