"""The standings: one table with a dot and its interval in each row."""

from collections.abc import Sequence
from itertools import combinations

import msgspec
from markupsafe import Markup

from cantstop_arena.pages.axes import Axis, axis_around, zoomed_estimates
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element, hidden, join_markup
from cantstop_arena.pages.html_table import (
    Cell,
    Head,
    HtmlRow,
    group_cell,
    group_columns_of,
    name_cell,
    row_table,
)
from cantstop_arena.pages.marks import beyond, drawing, grid, interval, scale
from cantstop_arena.pages.number_text import (
    DASH,
    UNKNOWN,
    likelihood,
    number_with_error,
    number_word,
    plain,
)
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.multiple_comparisons import SIGNIFICANT
from cantstop_arena.ratings.solo import SoloDifferences
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.differences import counted_unit, differences
from cantstop_arena.tables.notes import (
    DISQUALIFIED,
    OTHER_RIVALS,
    about_standings,
    all_of,
    contradiction,
    has_other_rivals,
    head_to_head,
)
from cantstop_arena.tables.standings import ahead_alone, per_game
from cantstop_arena.texts import how_many

ROW = 34
_UPSET = "\u21c5"
_CAPTION = "Dot: estimate; band: 95% interval."
_GROUPED = "Bots that share a letter are not significantly different."
_RATED = f"{_GROUPED} LOS: likelihood, in this field, that the bot is better than the one below it."


class _View(msgspec.Struct, frozen=True):
    """A range of the axis, of all bots or of the zoom, and its CSS class."""

    axis: Axis
    kind: str

    @property
    def ticks(self) -> list[float]:
        return self.axis.ticks(5)


def standings_section(analysis: Analysis) -> Section:
    """The section of the standings, of bots that meet or play alone."""
    body = _table(analysis)
    figure = Figure(body, _caption(analysis), list(_notes(analysis)))
    return Section("standings", "Standings", figures=[figure], finding=_finding(analysis))


def _caption(analysis: Analysis) -> str:
    if analysis.is_solo:
        ahead = f"Ahead: {counted_unit(analysis)} fewer than the bot below, in the deals of both."
        return f"{_CAPTION} {_GROUPED} {ahead}" if analysis.differences else _CAPTION
    return f"{_CAPTION} {_RATED}"


# The finding --------------------------------------------------------------------------------


def _finding(analysis: Analysis) -> str:
    playing = [bot for bot in analysis.order if bot not in analysis.without_games]
    if len(playing) < 2:
        return "There is nobody to compare with" if playing else _without_games(analysis)
    if analysis.is_solo and not analysis.differences:
        units = per_game(analysis).heading
        first, last = (analysis.results.bots[playing[index]] for index in (0, -1))
        return f"From {first} to {last}, by {units}"
    return _groups(analysis, playing)


def _without_games(analysis: Analysis) -> str:
    disqualified = analysis.results.disqualified
    return "No games are left to rank by" if disqualified else "Nothing has been played yet"


def _groups(analysis: Analysis, playing: Sequence[int]) -> str:
    """The finding on which ranks the games decide."""
    groups = [set(analysis.groups[bot]) for bot in playing]
    shared = [
        sum(bool(own & others) for others in groups) > 1 for own in groups
    ]  # > 1, as each bot shares its groups with itself
    if not any(shared):
        return f"All {number_word(len(playing))} places are decided"
    first = analysis.results.bots[playing[0]]
    level = [rank for rank, others in enumerate(groups, start=1) if others & groups[0]]
    if len(level) == len(playing):
        return "No place is decided yet"
    if level[-1] > len(level):
        equals = all_of([analysis.results.bots[playing[rank - 1]] for rank in level[1:]])
        return f"{first} is not significantly different from {equals}"
    if len(level) > 1:
        return f"The first {number_word(len(level))} are not significantly different"
    undecided = [rank for rank, open_ in enumerate(shared, start=1) if open_]
    return f"{first} stands alone; places {undecided[0]}{DASH}{undecided[-1]} overlap"


# Notes --------------------------------------------------------------------------------------


def _notes(analysis: Analysis) -> list[str]:
    notes = about_standings(analysis)
    if not analysis.is_solo and head_to_head(analysis):
        notes.append(f"{_UPSET} Head-to-head results do not confirm this order.")
    return notes


# The table ----------------------------------------------------------------------------------


def _table(analysis: Analysis) -> Markup:
    views = _views(analysis)
    heads, cells = (_alone, _alone_cells) if analysis.is_solo else (_rated, _rated_cells)
    columns = group_columns_of(analysis)
    rows = [
        HtmlRow(
            [
                *_name(analysis, rank, analysis.results.bots[bot]),
                Cell(join_markup(*(_plot(analysis, bot, view) for view in views)), "plot"),
                *cells(analysis, index, columns),
            ],
            "first" if index == 0 else None,
        )
        for index, (rank, bot) in enumerate(analysis.ranking)
    ]
    rows += [_disqualified_row(analysis, name) for name in analysis.results.disqualified]
    table = row_table("standings", "Standings", heads(analysis, views), rows)
    return _zoomable(analysis, views, table)


def _disqualified_row(analysis: Analysis, name: str) -> HtmlRow:
    """The row of a disqualified bot, of which no game counts."""
    kinds = _solo_kinds(analysis) if analysis.is_solo else _RATED_KINDS
    plot, games = Cell(Markup(), "plot"), Cell("0", "num gm", 0, "Games")
    return HtmlRow([*_name(analysis, None, name), plot, *_unknown_cells(kinds), games])


_RATED_KINDS = ("num elo", "num score", "grp", "num los")


def _solo_kinds(analysis: Analysis) -> Sequence[str]:
    return ("num elo", "grp", "num score") if analysis.differences else ("num elo",)


def _unknown_cells(kinds: Sequence[str]) -> list[Cell]:
    return [Cell(UNKNOWN, kind) for kind in kinds]


def _name(analysis: Analysis, rank: int | None, name: str) -> list[Cell]:
    """The rank and the name of a bot, with flags for what it did wrong."""
    flags = []
    if name in analysis.results.disqualified:
        flags.append(element("span", DISQUALIFIED, class_="flag"))
    if faults := analysis.faults_of[name]:
        flags.append(element("span", how_many(faults, "fault"), class_="flag"))
    if name in analysis.results.irreproducible:
        flags.append(element("span", "not reproducible", class_="flag"))
    ranked = UNKNOWN if rank is None else str(rank)
    return [Cell(ranked, "rank num", rank), name_cell(name, *flags)]


def _estimates(analysis: Analysis) -> Sequence[Estimate]:
    return analysis.means if analysis.is_solo else analysis.elo


def _decimals(analysis: Analysis) -> int:
    return 2 if analysis.is_solo else 1


def _axis_head(analysis: Analysis, views: Sequence[_View]) -> Head:
    unit = per_game(analysis).heading if analysis.is_solo else "Elo"
    label = f"{unit[0].upper()}{unit[1:]} with 95% interval"
    axes = join_markup(*(scale(view.axis, view.ticks, kind=view.kind) for view in views))
    return Head(label, "plot", sorts=False, axis=axes)


def _first_heads() -> list[Head]:
    return [Head(join_markup(hidden("Rank"), "#"), "rank num"), Head("Bot", "bot")]


def _slot(label: str) -> Markup:
    """A heading that is aligned with the numbers, with empty space above their errors."""
    return join_markup(label, element("span", class_="pmx"))


def _alone(analysis: Analysis, views: Sequence[_View]) -> list[Head]:
    unit = per_game(analysis).heading
    return [
        *_first_heads(),
        _axis_head(analysis, views),
        Head(_slot(unit[0].upper() + unit[1:]), "num elo"),
        *(_group_heads(analysis) if analysis.differences else ()),
        Head("Games", "num gm"),
    ]


def _group_heads(analysis: Analysis) -> list[Head]:
    return [Head("Group", "grp", sorts=False), Head(_slot("Ahead"), "num score")]


def _alone_cells(analysis: Analysis, index: int, columns: str) -> list[Cell]:
    bot = analysis.order[index]
    mean = analysis.means[bot]
    return [
        Cell(number_with_error(mean, _decimals(analysis)), "num elo", mean.mean),
        *(_group_cells(analysis, index, columns) if analysis.differences else ()),
        _games(analysis, bot),
    ]


def _group_cells(analysis: Analysis, index: int, columns: str) -> list[Cell]:
    ahead = ahead_alone(analysis, index) or Estimate(None)
    text = number_with_error(ahead, _decimals(analysis)) if ahead.mean is not None else UNKNOWN
    return [group_cell(analysis, index, columns), Cell(text, "num score", ahead.mean, "Ahead")]


def _games(analysis: Analysis, bot: int) -> Cell:
    games = analysis.games_of[bot]
    return Cell(f"{games:,}", "num gm", games, "Games")


def _rated(analysis: Analysis, views: Sequence[_View]) -> list[Head]:
    even = plain(100 / analysis.results.players, 1).removesuffix(".0")
    return [
        *_first_heads(),
        _axis_head(analysis, views),
        Head(_slot("Elo"), "num elo"),
        Head(_slot("Score %"), "num score", about=f"Share of the wins; even: {even}%"),
        Head("Group", "grp", sorts=False),
        Head("LOS", "num los", about="Likelihood that it is better than the bot below"),
        Head("Games", "num gm"),
    ]


def _rated_cells(analysis: Analysis, index: int, columns: str) -> list[Cell]:
    bot = analysis.order[index]
    if bot in analysis.without_games:
        return [*_unknown_cells(_RATED_KINDS), _games(analysis, bot)]
    elo, score = analysis.elo[bot], analysis.scores[bot]
    mark = f"{OTHER_RIVALS} " if has_other_rivals(analysis, bot) else ""
    return [
        Cell(number_with_error(elo, 1), "num elo", elo.mean),
        Cell(
            join_markup(mark, number_with_error(score, 1, 100)), "num score", score.mean, "Score %"
        ),
        group_cell(analysis, index, columns),
        _superiority(analysis, index),
        _games(analysis, bot),
    ]


def _superiority(analysis: Analysis, index: int) -> Cell:
    bot, below = analysis.order[index], analysis.order[index + 1 : index + 2]
    neighbours = [other for other in below if other not in analysis.without_games]
    chance = analysis.ratings.superiority(bot, neighbours[0]) if neighbours else None
    upset = any(contradiction(analysis, bot, other) for other in neighbours)
    text = join_markup(f"{_UPSET} " if upset else "", likelihood(chance))
    return Cell(text, "num los", -1 if chance is None else chance, "LOS")


# Zoom ---------------------------------------------------------------------------------------


def _views(analysis: Analysis) -> list[_View]:
    """The views of the axis: all bots, preceded by a zoom without outliers where there are some."""
    estimates = _estimates(analysis)
    playing = [
        bot for bot in analysis.order if bot not in analysis.without_games and estimates[bot].mean
    ]
    full_axis = _around([estimates[bot] for bot in playing])
    zoomed = zoomed_estimates([estimates[bot] for bot in playing])
    near = _around(zoomed) if zoomed else full_axis
    if all(near.has(estimates[bot].mean or 0) for bot in playing):
        return [_View(full_axis, "")]
    return [_View(near, "z-zoom"), _View(full_axis, "z-all")]


def _around(estimates: Sequence[Estimate]) -> Axis:
    return axis_around([end for estimate in estimates for end in estimate] or [0, 1])


def _plot(analysis: Analysis, bot: int, view: _View) -> Markup:
    estimate = _estimates(analysis)[bot]
    if bot in analysis.without_games or estimate.mean is None:
        return Markup()
    marks = grid(view.axis, view.ticks, ROW)
    if view.axis.has(estimate.mean):
        kind = "best" if bot == analysis.order[0] else ""
        marks.append(interval(view.axis, estimate, ROW / 2, kind))
    else:
        marks.append(beyond(view.axis, estimate.mean, plain(estimate.mean, 0), ROW / 2))
    return drawing(ROW, *marks, kind=view.kind)


def _zoomable(analysis: Analysis, views: Sequence[_View], table: Markup) -> Markup:
    if len(views) == 1:
        return table
    estimates = _estimates(analysis)
    outside = [
        analysis.results.bots[bot]
        for bot in analysis.order
        if bot not in analysis.without_games and not views[0].axis.has(estimates[bot].mean or 0)
    ]
    verb = "stays" if len(outside) == 1 else "stay"
    label = element("label", f"Zoom in; {all_of(outside)} {verb} at the edge", for_="zoom")
    box = element("input", type="checkbox", id="zoom", checked=True)
    return element("div", box, label, table, class_="zoomable")


MAX_WITH_ERRORS = 6  # bots whose cells have room for a number with its error
MAX_BOTS_IN_SQUARE = 24  # with more, all pairs are only in differences.csv


def differences_section(analysis: Analysis, result: SoloDifferences) -> Section:
    """The section of the differences between bots that play alone."""
    bots = len(analysis.order)
    few, finding = bots <= MAX_WITH_ERRORS, _differences_finding(result)
    tables = [differences(analysis, errors=few)] if bots <= MAX_BOTS_IN_SQUARE else []
    paragraphs = [] if tables else ["All pairs are in differences.csv."]
    return Section(
        "differences", "Differences", paragraphs, tables=tables, open=few, finding=finding
    )


def _differences_finding(result: SoloDifferences) -> str:
    pairs = [result.between(*pair) for pair in combinations(result.ranked, 2)]
    sure = sum(less is not None and less.p <= SIGNIFICANT for less in pairs)
    verb = "is" if len(pairs) == 1 else "are"
    return f"{sure:,} of {how_many(len(pairs), 'pair')} {verb} significantly different"
