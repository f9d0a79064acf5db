"""A heat map of scores by rank, whose numbers a script tells under the mouse."""

import json
from collections.abc import Iterator, Mapping
from itertools import combinations, groupby

from markupsafe import Markup

from cantstop_arena.pages.document import Figure
from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.pages.number_text import (
    half_width,
    plain,
    share_ends,
)
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Estimate
from cantstop_arena.tables.escaping import printable

STEPS = (2, 6, 12, 20, 32)  # points from an even score at which the tint gets a step stronger
MAX_WITH_ERRORS = 8  # bots whose cells have room for a number with its error
MAX_WITH_NUMBERS = 24
MAX_CELLS = 60  # bots that have a cell each; of more the map is a drawing
_EVEN = 0.5
_LETTER = 8.6, 6.7, 7.4  # pixels of a letter: in a row's name, in a small one, upright
_MAX_LENGTH = 24  # letters of a name that get room in the map
_MIN_CELL, _MIN_WIDE_CELL = 25, 40  # pixels of a cell with a number, and with decimals
_MIN_NAMED = 10  # pixels of a column with a name


def heat_map(analysis: Analysis) -> Figure:
    """The figure: scores of rows against columns, both by rank."""
    bots = len(analysis.order)
    of_what = "; of games that one of the two won" if analysis.results.players > 2 else ""
    words = (
        "Score of the row's bot against the column's, in percent, both in order of rank"
        f"{of_what}. Bold: the 95% interval leaves out 50%. Predicted: by the ratings. LOS:"
        " likelihood of superiority, in this field. All pairs are in pairs.csv."
    )
    return Figure(_map(analysis), words, style=_room(analysis) if bots <= MAX_CELLS else "")


def _map(analysis: Analysis) -> Markup:
    drawn = _cells(analysis) if len(analysis.order) <= MAX_CELLS else _drawing(analysis)
    data = element("script", _data(analysis), type="application/json")
    above = element("div", _readout(), _legend(), class_="above")
    return element("div", above, drawn, data, class_=f"crosstable of{len(analysis.order)}")


def _readout() -> Markup:
    hint = element("span", "Point at a cell for its interval.", class_="scripts")
    told = join_markup("Score of the row's bot in %. ", hint)
    return element("p", told, class_="readout", aria_live="polite")


def _legend() -> Markup:
    below = [f"n{step}" for step in range(len(STEPS), 0, -1)]
    kinds = [*below, "d0", *(f"p{step}" for step in range(1, len(STEPS) + 1))]
    edges = [*(50 - step for step in reversed(STEPS)), *(50 + step for step in STEPS)]
    keys = [
        element("span", element("em", edge), class_=kind)
        for kind, edge in zip(kinds, edges, strict=False)
    ]
    scale = element("span", *keys, element("span", class_=kinds[-1]), class_="keys-of")
    ends = [element("span", f"{side} wins", class_="ends") for side in ("column", "row")]
    return element("div", ends[0], scale, ends[1], class_="legend", aria_hidden="true")


def _tint(score: float) -> str:
    """The class of a cell with that score."""
    off = 100 * (score - _EVEN)
    step = sum(abs(off) >= least for least in STEPS)
    return f"{'p' if off > 0 else 'n'}{step}" if step else "d0"


# As cells -----------------------------------------------------------------------------------


def _cells(analysis: Analysis) -> Markup:
    bots = len(analysis.order)
    size = "small"
    if bots <= MAX_WITH_NUMBERS:
        size = "middling" if bots > MAX_WITH_ERRORS else "large"
    told = "Scores; arrow keys go from cell to cell"
    corner = element("th", _unseen("Row against column"), class_="corner")
    heads = [
        element("th", element("span", element("bdi", name)), scope="col", title=name)
        for name in analysis.names
    ]
    rows = [
        element("tr", _name(place, analysis.results.bots[me]), *_row(analysis, me))
        for place, me in enumerate(analysis.order, start=1)
    ]
    return element(
        "table",
        element("thead", element("tr", corner, *heads)),
        element("tbody", *rows, class_="cells", aria_label=told),
        class_=f"xt {size}",
        aria_label="Crosstable",
    )


def _unseen(text: str) -> Markup:
    return element("span", text, class_="unseen")


def _name(place: int, name: str) -> Markup:
    number = element("span", place, class_="place-of")
    return element("th", number, element("bdi", name), scope="row", title=name)


def _row(analysis: Analysis, me: int) -> Iterator[Markup]:
    bots = len(analysis.order)
    for you in analysis.order:
        cell = analysis.against[me][you]
        if cell is None or cell.mean is None:
            yield element("td", class_="self" if me == you else None)
            continue
        kind = _tint(cell.mean) + (" sure" if is_sure(cell) else "")
        yield element("td", *_numbers(cell, bots), class_=kind)


def _numbers(cell: Estimate, bots: int) -> Iterator[Markup]:
    mean = 100 * (cell.mean or 0)
    if bots > MAX_WITH_NUMBERS:
        return
    if bots > MAX_WITH_ERRORS:
        yield element("b", plain(mean, 0))
        return
    yield element("b", plain(mean))
    half = half_width(cell)
    if half:
        yield element("i", f"± {plain(100 * half)}")
    elif ends := share_ends(cell):
        yield element("i", ends.removesuffix("%"))


def _room(analysis: Analysis) -> str:
    """The style sheet's part on what there is room for, which hangs on the bots and their names."""
    bots = len(analysis.order)
    longest = min(_MAX_LENGTH, max(len(printable(name)) for name in analysis.names))
    wide, small, tall = (round(longest * letter) for letter in _LETTER)
    name, least = 38 + wide, _MIN_WIDE_CELL if bots <= MAX_WITH_ERRORS else _MIN_CELL
    small += 8
    table = f".of{bots} .xt.xt"
    return (
        f".of{bots} .xt:not(.large) thead th{{height:{tall + 10}px}}"
        f".of{bots} .corner{{width:{name}px}}"
        f"@container xw (max-width:{max(639, name + bots * least)}px){{"
        f".of{bots} .xt .corner{{width:{small}px}}{table} tbody th{{font-size:11px}}"
        f"{table} :is(.place-of,i){{display:none}}"
        f"{table} thead th{{height:{small + 6}px;font-size:11px}}{table} thead th span"
        "{writing-mode:vertical-rl;transform:rotate(180deg);white-space:nowrap}}"
        f"@container xw (max-width:{small + bots * least}px){{{table} b{{font-size:0}}"
        f"{table} td{{height:{26 if bots <= MAX_WITH_ERRORS else 14}px}}"
        f"{table} tbody th{{line-height:1}}}}"
        f"@container xw (max-width:{small + bots * _MIN_NAMED}px){{"
        f"{table} thead th{{font-size:0;height:4px}}{table}{{border-spacing:0 1px}}}}"
    )


# As a drawing -------------------------------------------------------------------------------


def _drawing(analysis: Analysis) -> Markup:
    """A path for each tint, so that many thousand cells are not many thousand elements."""
    bots = len(analysis.order)
    paths: dict[str, list[str]] = {}
    for row, me in enumerate(analysis.order):
        for kind, start, length in _runs(analysis, me):
            paths.setdefault(kind, []).append(f"M{start} {row}.5h{length}")
    shapes = [element("path", class_=kind, d="".join(runs)) for kind, runs in sorted(paths.items())]
    cursor = element("rect", class_="cursor", width=1, height=1, vector_effect="non-scaling-stroke")
    return element(
        "svg",
        *shapes,
        cursor,
        class_="cells",
        viewBox=f"0 0 {bots} {bots}",
        preserveAspectRatio="none",
        shape_rendering="crispEdges",
        role="img",
        aria_label="Scores by rank; arrow keys go from cell to cell",
    )


def _runs(analysis: Analysis, me: int) -> Iterator[tuple[str, int, int]]:
    """The cells of a row with the same tint next to each other: it, the first one, how many."""
    tints = (
        _tint(cell.mean) if cell and cell.mean is not None else ""
        for cell in (analysis.against[me][you] for you in analysis.order)
    )
    start = 0
    for kind, cells in groupby(tints):
        length = len(list(cells))
        if kind:
            yield kind, start, length
        start += length


# For the script -----------------------------------------------------------------------------


def _data(analysis: Analysis) -> Markup:
    """The bots by rank and, pair by pair, what templates/page.js says; in thousandths."""
    predicted = _predicted(analysis)
    data = {
        "bots": [printable(name) for name in analysis.names],
        "elo": [round(analysis.elo[bot].mean or 0, 1) for bot in analysis.order],
        "pairs": [
            number
            for one, other in combinations(analysis.order, 2)
            for number in _pair(analysis, one, other, predicted)
        ],
    }
    written = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return Markup(written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _predicted(analysis: Analysis) -> Mapping[tuple[int, int], float]:
    return {
        pair: score
        for told in analysis.residuals.pairs
        for pair, score in (
            ((told.first, told.second), told.predicted),
            ((told.second, told.first), 1 - told.predicted),
        )
    }


def _pair(
    analysis: Analysis, one: int, other: int, predicted: Mapping[tuple[int, int], float]
) -> list[int | None]:
    """The five numbers of a pair, none of them known where the two never met."""
    cell = analysis.against[one][other]
    if cell is None or cell.mean is None:
        return [None] * 5
    told = *cell, predicted.get((one, other)), analysis.ratings.superiority(one, other)
    return [None if number is None else round(1000 * number) for number in told]


def is_sure(cell: Estimate) -> bool:
    """Whether its interval leaves out an even score."""
    if cell.low is None or cell.high is None:
        return False
    return cell.low > _EVEN or cell.high < _EVEN
