"""A heat map of scores by rank; a script displays the numbers of the cell under the mouse."""

import json
from collections.abc import Iterator, Mapping
from itertools import combinations, groupby

from markupsafe import Markup

from cantstop_arena.pages.document import Figure
from cantstop_arena.pages.elements import element, hidden, join_markup
from cantstop_arena.pages.number_text import percent, plain, share_ends
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import EVEN_PERCENT, half_away, interval_texts
from cantstop_arena.texts import middle_shortened, printable

STEPS = (
    2,
    6,
    12,
    20,
    32,
)  # points from an even score at which the tint gets stronger
MAX_WITH_ERRORS = 8  # bots whose cells have room for a number with its error
MAX_WITH_NUMBERS = 24
MAX_CELLS = 60  # bots; with more, the map is an SVG drawing
_EVEN = 0.5
_LETTER = 8.6, 6.7, 7.4  # pixels per letter: of a row's name, of a small one, of a vertical one
_MAX_LENGTH = 24  # letters of a name for which the map has room
_MIN_CELL, _MIN_WIDE_CELL = 25, 40  # pixels of a cell with a number, and with decimals
_MIN_NAMED = 10  # pixels of a column with a name


def heat_map(analysis: Analysis) -> Figure:
    """The figure of the scores of rows against columns, both by rank."""
    bots = len(analysis.order)
    of_what = "; of games that one of the two won" if analysis.results.players > 2 else ""
    caption = (
        "Score of the row's bot against the column's, in percent, both in order of rank"
        f"{of_what}. Bold: decided, after correction for all pairings. Predicted: by the ratings."
        " LOS: likelihood of superiority, in this field. All pairs are in pairs.csv."
    )
    return Figure(
        _map(analysis), caption, style=_size_styles(analysis) if bots <= MAX_CELLS else ""
    )


def _map(analysis: Analysis) -> Markup:
    body = _cells(analysis) if len(analysis.order) <= MAX_CELLS else _drawing(analysis)
    data = element("script", _data(analysis), type="application/json")
    above = element("div", _readout(), _legend(), class_="above")
    return element("div", above, body, data, class_=f"crosstable of{len(analysis.order)}")


def _readout() -> Markup:
    hint = element("span", "Point at a cell for its interval.", class_="scripts")
    content = join_markup("Score of the row's bot in %. ", hint)
    return element("p", content, class_="readout", aria_live="polite")


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


def tint(score: float) -> str:
    """The CSS class of a cell with that score."""
    off = 100 * (score - _EVEN)
    step = sum(abs(off) >= threshold for threshold in STEPS)
    return f"{'p' if off > 0 else 'n'}{step}" if step else "d0"


# As cells -----------------------------------------------------------------------------------


def _cells(analysis: Analysis) -> Markup:
    bots = len(analysis.order)
    size = "small"
    if bots <= MAX_WITH_NUMBERS:
        size = "middling" if bots > MAX_WITH_ERRORS else "large"
    label = "Scores; arrow keys go from cell to cell"
    corner = element("th", hidden("Row against column"), class_="corner")
    heads = [
        element("th", element("span", element("bdi", _short(name))), scope="col", title=name)
        for name in analysis.names
    ]
    rows = [
        element("tr", _name(rank, analysis.results.bots[bot]), *_row(analysis, bot))
        for rank, bot in enumerate(analysis.order, start=1)
    ]
    return element(
        "table",
        element("thead", element("tr", corner, *heads)),
        element("tbody", *rows, class_="cells", aria_label=label),
        class_=f"xt {size}",
        aria_label="Crosstable",
    )


def _name(rank: int, name: str) -> Markup:
    number = element("span", rank, class_="place-of")
    return element("th", number, element("bdi", _short(name)), scope="row", title=name)


def _short(name: str) -> str:
    """A name that fits, shortened in the middle; its cell has all of it as a title."""
    return middle_shortened(printable(name), _MAX_LENGTH)


def _row(analysis: Analysis, bot: int) -> Iterator[Markup]:
    bots = len(analysis.order)
    for rival in analysis.order:
        cell = analysis.against[bot][rival]
        if cell is None or cell.mean is None:
            yield element("td", class_="self" if bot == rival else None)
            continue
        kind = tint(cell.mean) + (" sure" if analysis.decided[bot][rival] else "")
        yield element("td", *_numbers(cell, bots), class_=kind)


def _numbers(cell: Estimate, bots: int) -> Iterator[Markup]:
    if bots > MAX_WITH_NUMBERS:
        return
    is_large = bots <= MAX_WITH_ERRORS
    yield element("b", percent(cell.mean or 0, 1 if is_large else 0).removesuffix("%"))
    if not is_large:
        return
    if half := interval_texts(cell, 1, 100, plain)[0]:
        yield element("i", f"± {half}")
    elif ends := share_ends(cell):
        yield element("i", ends.removesuffix("%"))


def _size_styles(analysis: Analysis) -> str:
    """CSS that depends on the number of bots and the length of their names."""
    bots = len(analysis.order)
    name_length = min(_MAX_LENGTH, max(len(printable(name_width)) for name_width in analysis.names))
    wide, small, tall = (round(name_length * letter) for letter in _LETTER)
    name_width, cell_width = 38 + wide, _MIN_WIDE_CELL if bots <= MAX_WITH_ERRORS else _MIN_CELL
    small += 8
    table = f".of{bots} .xt.xt"
    return (
        f".of{bots} .xt:not(.large) thead th{{height:{tall + 10}px}}"
        f".of{bots} .corner{{width:{name_width}px}}"
        f"@container xw (max-width:{max(639, name_width + bots * cell_width)}px){{"
        f".of{bots} .xt .corner{{width:{small}px}}{table} tbody th{{font-size:11px}}"
        f"{table} :is(.place-of,i){{display:none}}"
        f"{table} thead th{{height:{small + 6}px;font-size:11px}}{table} thead th span"
        "{writing-mode:vertical-rl;transform:rotate(180deg);white-space:nowrap}}"
        f"@container xw (max-width:{small + bots * cell_width}px){{{table} b{{font-size:0}}"
        f"{table} td{{height:{26 if bots <= MAX_WITH_ERRORS else 14}px}}"
        f"{table} tbody th{{line-height:1}}}}"
        f"@container xw (max-width:{small + bots * _MIN_NAMED}px){{"
        f"{table} thead th{{font-size:0;height:4px}}{table}{{border-spacing:0 1px}}}}"
    )


# As a drawing -------------------------------------------------------------------------------


def _drawing(analysis: Analysis) -> Markup:
    """The map as SVG, one path for each tint: thousands of elements would make the page slow."""
    bots = len(analysis.order)
    paths: dict[str, list[str]] = {}
    for row, bot in enumerate(analysis.order):
        for kind, start, length in _runs(analysis, bot):
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


def _runs(analysis: Analysis, bot: int) -> Iterator[tuple[str, int, int]]:
    """Runs of adjacent cells of a row with the same tint, as (tint, first index, length)."""
    tints = (
        tint(cell.mean) if cell and cell.mean is not None else ""
        for cell in (analysis.against[bot][rival] for rival in analysis.order)
    )
    start = 0
    for kind, cells in groupby(tints):
        length = len(list(cells))
        if kind:
            yield kind, start, length
        start += length


# For the script -----------------------------------------------------------------------------


def _data(analysis: Analysis) -> Markup:
    """JSON for templates/page.js: bots and Elo by rank, and five numbers per pair (see _pair)."""
    predicted = _predicted(analysis)
    data = {
        "bots": [printable(name) for name in analysis.names],
        "elo": [round(analysis.elo[bot].mean or 0, 1) for bot in analysis.order],
        "pairs": [
            number
            for first, second in combinations(analysis.order, 2)
            for number in _pair(analysis, first, second, predicted)
        ],
    }
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _predicted(analysis: Analysis) -> Mapping[tuple[int, int], float]:
    return {
        pair: score
        for residual in analysis.residuals.pairs
        for pair, score in (
            ((residual.first, residual.second), residual.predicted),
            ((residual.second, residual.first), 1 - residual.predicted),
        )
    }


def _pair(
    analysis: Analysis, first: int, second: int, predicted: Mapping[tuple[int, int], float]
) -> list[int | None]:
    """Score, low, high, prediction and LOS of a pair, in thousandths; None where they never met."""
    cell = analysis.against[first][second]
    if cell is None or cell.mean is None:
        return [None] * 5
    numbers = *cell, predicted.get((first, second)), analysis.ratings.superiority(first, second)
    return [
        None if number is None else round(10 * half_away(100 * number, 1, EVEN_PERCENT))
        for number in numbers
    ]
