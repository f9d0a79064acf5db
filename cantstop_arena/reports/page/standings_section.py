"""The standings: one table with a dot and its interval in each row."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations

import msgspec
from markupsafe import Markup
from msgspec.structs import replace

from cantstop_arena.pages.axes import Axis, axis_around, zoomed_estimates
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element, hidden, join_markup
from cantstop_arena.pages.html_table import (
    Cell,
    Head,
    HtmlRow,
    PageColumn,
    group_cell,
    group_columns_of,
    html_table,
    name_cell,
    row_table,
)
from cantstop_arena.pages.marks import beyond, drawing, grid, interval, scale
from cantstop_arena.pages.number_text import (
    DASH,
    UNKNOWN,
    number_word,
    plain,
)
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.significance import SIGNIFICANT
from cantstop_arena.ratings.solo import SoloDifferences
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Table
from cantstop_arena.tables.differences import counted_unit, differences
from cantstop_arena.tables.notes import (
    DISQUALIFIED,
    EVEN_SCORE,
    NOT_REPRODUCIBLE,
    UPSET,
    about_disqualified,
    about_standings,
    all_of,
    head_to_head,
)
from cantstop_arena.tables.standings import (
    GROUP_ORDER,
    Disqualified,
    Standing,
    per_game,
    standings_by_field,
)
from cantstop_arena.texts import how_many, printable

ROW_HEIGHT = 34
_MAX_EQUALS = 3  # names in a heading
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
    tables = standings_by_field(analysis)
    out = [row for row in tables[-1].records if isinstance(row, Disqualified)]
    stated = set(about_disqualified(analysis))  # in the block
    notes = [note for note in _notes(analysis) if note not in stated]
    figures = [Figure(_disqualified(out), "No game with them counts.")] if out else []
    ranked = [table for table in map(_without_disqualified, tables) if table.rows or not out]
    if ranked:
        fields = [*analysis.fields, analysis]  # those without games are in none
        own = [
            Figure(_table(*each), _caption(analysis)) for each in zip(fields, ranked, strict=False)
        ]
        figures = [*own[:-1], replace(own[-1], notes=notes), *figures]
    else:
        figures = [replace(figures[0], notes=notes)]
    return Section("standings", "Standings", figures=figures, finding=_finding(analysis))


def _without_disqualified(table: Table) -> Table:
    count = sum(not isinstance(row, Disqualified) for row in table.records)
    return replace(table, rows=table.rows[:count], records=table.records[:count])


def _disqualified(rows: Sequence[Disqualified]) -> Markup:
    """A block of the disqualified bots with what each did first."""
    heads = [
        Head("Bot", "bot", sorts=False),
        Head("Faults", "num", sorts=False),
        Head("First fault", "fault", sorts=False),
    ]
    body = [
        HtmlRow(
            [
                name_cell(row.bot),
                Cell(plain(row.faults, 0), "num", label="Faults"),
                Cell(printable(row.first_fault) or UNKNOWN, "fault", label="First:"),
            ]
        )
        for row in rows
    ]
    title = DISQUALIFIED.capitalize()
    return join_markup(element("h3", title), row_table("rows", title, heads, body))


def _caption(analysis: Analysis) -> str:
    if analysis.is_solo:
        ahead = f"Ahead: {counted_unit(analysis)} fewer than the bot below, in the deals of both."
        return f"{_CAPTION} {_GROUPED} {ahead}" if analysis.differences else _CAPTION
    return f"{_CAPTION} {_RATED}" + ("" if analysis.results.anchor else f" {EVEN_SCORE}")


# The finding --------------------------------------------------------------------------------


def _finding(analysis: Analysis) -> str:
    playing = [bot for bot in analysis.order if bot not in analysis.without_games]
    if (fields := len(analysis.fields)) > 1:
        return f"{fields} fields never met: each has a table, and only its bots compare"
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
    groups = [set(analysis.letters_of(bot)) for bot in playing]
    shared = [
        sum(bool(own & others) for others in groups) > 1 for own in groups
    ]  # > 1, as each bot shares its groups with itself
    if not any(shared):
        places = "Both" if len(playing) == 2 else f"All {number_word(len(playing))}"
        return f"{places} places are decided"
    first = analysis.results.bots[playing[0]]
    level = [rank for rank, others in enumerate(groups, start=1) if others & groups[0]]
    if len(level) == len(playing):
        return "No place is decided yet"
    if level[-1] > len(level):
        equals = [analysis.results.bots[playing[rank - 1]] for rank in level[1:]]
        others = all_of(equals) if len(equals) <= _MAX_EQUALS else f"{len(equals)} others"
        return f"{first} is not significantly different from {others}"
    if len(level) > 1:
        return f"The first {number_word(len(level))} are not significantly different"
    undecided = [rank for rank, open_ in enumerate(shared, start=1) if open_]
    return f"{first} stands alone; places {undecided[0]}{DASH}{undecided[-1]} overlap"


# Notes --------------------------------------------------------------------------------------


def _notes(analysis: Analysis) -> list[str]:
    notes = about_standings(analysis)
    if not analysis.is_solo and head_to_head(analysis):
        notes.append(f"{UPSET} Head-to-head results do not confirm this order.")
    return notes


# The table ----------------------------------------------------------------------------------


def _table(analysis: Analysis, table: Table) -> Markup:
    views = _views(analysis)
    own = [
        PageColumn(0, Head(join_markup(hidden("Rank"), "#"), "rank num"), _rank),
        PageColumn(1, Head("Bot", "bot"), _name),
        PageColumn(2, _axis_head(analysis, views), partial(_plots, views)),
        *_groups_column(analysis),
    ]
    html = html_table(table, own, "standings", first="first", is_blank=lambda row: not row.games)
    if analysis.field is not None:
        html = join_markup(element("h3", table.title), html)
    return _zoomable(analysis, views, html)


def _rank(row: Standing) -> Cell:
    return Cell(UNKNOWN if row.rank is None else str(row.rank), "rank num", row.rank)


def _name(row: Standing) -> Cell:
    """The name of a bot, with flags for what it did wrong."""
    results = row.analysis.results
    flags = {
        how_many(row.faults, "fault"): row.faults,
        NOT_REPRODUCIBLE: row.bot in results.irreproducible,
    }
    return name_cell(
        row.bot, *(element("span", flag, class_="flag") for flag, holds in flags.items() if holds)
    )


def _plots(views: Sequence[_View], row: Standing) -> Cell:
    return Cell(join_markup(*(_plot(row.analysis, row.number, view) for view in views)), "plot")


def _groups_column(analysis: Analysis) -> Iterator[PageColumn]:
    """The column of the groups, where bots are compared."""
    if analysis.is_solo and not analysis.differences:
        return
    columns = group_columns_of(analysis)

    def cell(row: Standing) -> Cell:
        if not row.games:
            return Cell(UNKNOWN, "grp")
        return group_cell(analysis, row.index, columns)

    yield PageColumn(GROUP_ORDER, Head("Group", "grp", sorts=False), cell)


def _estimates(analysis: Analysis) -> Sequence[Estimate]:
    return analysis.means if analysis.is_solo else analysis.elo


def _axis_head(analysis: Analysis, views: Sequence[_View]) -> Head:
    unit = per_game(analysis).heading if analysis.is_solo else "Elo"
    label = f"{unit[0].upper()}{unit[1:]} with 95% interval"
    axes = join_markup(*(scale(view.axis, view.ticks, kind=view.kind) for view in views))
    return Head(label, "plot", sorts=False, axis=axes)


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
    marks = grid(view.axis, view.ticks, ROW_HEIGHT)
    if view.axis.has(estimate.mean):
        kind = "best" if bot == analysis.order[0] else ""
        marks.append(interval(view.axis, estimate, ROW_HEIGHT / 2, kind))
    else:
        marks.append(beyond(view.axis, estimate.mean, plain(estimate.mean, 0), ROW_HEIGHT / 2))
    return drawing(ROW_HEIGHT, *marks, kind=view.kind)


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
    key = "zoom" if analysis.field is None else f"zoom{analysis.field[0]}"
    label = element("label", f"Zoom in; {all_of(outside)} {verb} at the edge", for_=key)
    box = element("input", type="checkbox", id=key, checked=True)
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
