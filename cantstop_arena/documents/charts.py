"""The kinds of charts that pages have, as Vega-Lite specifications of rows.

A row has the name of what it is about, its numbers, and what its mark says under the mouse. Charts
are as wide as a phone.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cantstop_arena.documents.document import Chart
from cantstop_arena.documents.formats.model import Estimate
from cantstop_arena.documents.vega import FAINT, HOVER, INK, Row, Spec, drawn
from cantstop_arena.texts import cut

WIDTH = 340
LETTERS = 16  # of a name that are shown; the rest of the width is for what is drawn
ROW = 20  # the height of a line with a name
SQUARE = 300
MOST_NUMBERED = 12  # bots whose crosstable has room for its numbers
MOST_LINES = 8  # that can be told apart
SAME, LEVEL, BESIDE = 0.02, 0.05, 0.5  # parts of a plane: how near points and labels are
DARKEST = 0.55  # of a cell, so that what is written on it can be read

_FIT = {"type": "fit-x", "contains": "padding"}
_TOLD = {"description": {"field": HOVER}}


def interval_rows(named: Iterable[tuple[str, Estimate, str]], scale: float = 1) -> list[Row]:
    """Rows for `intervals`: what each is about, its number with ends, and what it says."""
    rows: list[Row] = []
    for name, told, hover in named:
        if told.mean is None:
            continue
        low = told.mean if told.low is None else told.low
        high = told.mean if told.high is None else told.high
        ends = {"mean": scale * told.mean, "low": scale * low, "high": scale * high}
        rows.append({"name": name, **ends, HOVER: f"{name}: {hover}"})
    return rows


def intervals(
    key: str,
    title: str,
    words: str,
    axis: str,
    rows: Sequence[Row],
    middle: float | None = None,
    letters: int = LETTERS,
) -> Chart:
    """Points with error bars, one below the other as the rows are; a line at the middle.

    Names are cut after so many `letters`.
    """
    value = {"type": "quantitative", "scale": {"zero": False}, "title": axis}
    rows = _cut_names(rows, letters)
    name = {"y": _names(rows), **_TOLD}
    layers: list[Spec] = [
        {
            "mark": {"type": "rule", "color": "var(--accent)", "strokeWidth": 2},
            "encoding": {"x": {"field": "low", **value}, "x2": {"field": "high"}, **name},
        },
        {
            "mark": {"type": "point", "color": "var(--accent)", "filled": True, "opacity": 1},
            "encoding": {"x": {"field": "mean", **value}, "size": {"value": 60}, **name},
        },
    ]
    if middle is not None:
        across = {"type": "rule", "color": FAINT, "strokeDash": [4, 3]}
        layers.insert(0, {"mark": across, "encoding": {"x": {"datum": middle, **value}}})
    spec = {
        "width": WIDTH,
        "height": {"step": ROW},
        "autosize": _FIT,
        "layer": layers,
    }
    return drawn(key, title, words, spec, rows)


def _cut_names(rows: Sequence[Row], letters: int = LETTERS) -> list[Row]:
    """Rows with names that leave room; what their marks say still has the whole name."""
    shown: dict[str, str] = {}
    for name in dict.fromkeys(str(row["name"]) for row in rows):
        short = cut(name, letters)
        again = f"{short} ({len(shown) + 1})"  # two of them would be drawn as one
        shown[name] = again if short in shown.values() else short
    return [{**row, "name": shown[str(row["name"])]} for row in rows]


def _names(rows: Sequence[Row], grid: bool = True) -> Spec:
    return {
        "field": "name",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {
            "ticks": False,
            "domain": False,
            "grid": grid and len(rows) > 1,
            "tickBand": "extent",
        },
    }


def heat_map(key: str, title: str, words: str, rows: Sequence[Row], bots: int) -> Chart:
    """A square of scores; where there is room, with the numbers in it.

    Rows have `name`, the `place` of the column, a `score` around 0.5 and its `text`.
    """
    rows = _cut_names(rows)
    numbered = bots <= MOST_NUMBERED
    layers: list[Spec] = [
        {
            "mark": {"type": "rect"},
            "encoding": {
                "fill": {
                    "condition": {"test": "datum.score >= 0.5", "value": "var(--above)"},
                    "value": "var(--below)",
                },
                "fillOpacity": {
                    "field": "away",
                    "type": "quantitative",
                    "scale": {"domain": [0, 0.5], "range": [0.04, DARKEST]},
                    "legend": None,
                },
                **_TOLD,
            },
        }
    ]
    if numbered:
        text = {"text": {"field": "text", "type": "nominal"}, **_TOLD}
        layers.append({"mark": {"type": "text", "color": INK}, "encoding": text})
    spec = {
        "width": {"step": 36 if numbered else 16},
        "height": {"step": 26 if numbered else 16},
        "transform": [{"calculate": "abs(datum.score - 0.5)", "as": "away"}],
        "encoding": {
            "x": {
                "field": "place",
                "type": "ordinal",
                "title": None,
                "axis": {
                    "orient": "top",
                    "labelAngle": 0,
                    "labelFontSize": 12 if numbered else 9,
                    "ticks": False,
                    "domain": False,
                },
            },
            "y": _names(rows, grid=False),
        },
        "layer": layers,
    }
    return drawn(key, title, words, spec, rows)


def parts(
    key: str, title: str, words: str, axis: str, rows: Sequence[Row], kinds: Sequence[str]
) -> Chart:
    """Bars of parts that make a whole; rows have `kind`, its `order` and its `share`."""
    rows = _cut_names(rows)
    colours = ["var(--below)", "var(--above)", "var(--even)"]
    spec = {
        "width": WIDTH,
        "height": {"step": ROW},
        "autosize": _FIT,
        "mark": {"type": "bar"},
        "encoding": {
            "y": _names(rows, grid=False),
            "x": {
                "field": "share",
                "type": "quantitative",
                "title": axis,
                "scale": {"domain": [0, 100]},
            },
            "fill": {
                "field": "kind",
                "type": "nominal",
                "title": None,
                "scale": {"domain": list(kinds), "range": colours[: len(kinds)]},
            },
            "order": {"field": "order", "type": "quantitative"},
            **_TOLD,
        },
    }
    return drawn(key, title, words, spec, rows)


def bars(key: str, title: str, words: str, axis: str, rows: Sequence[Row]) -> Chart:
    """A bar from 0 to the `amount` of each row."""
    rows = _cut_names(rows)
    spec = {
        "width": WIDTH,
        "height": {"step": ROW},
        "autosize": _FIT,
        "mark": {"type": "bar", "color": "var(--accent)"},
        "encoding": {
            "y": _names(rows, grid=False),
            "x": {"field": "amount", "type": "quantitative", "title": axis},
            **_TOLD,
        },
    }
    return drawn(key, title, words, spec, rows)


def spreads(key: str, title: str, words: str, axis: str, rows: Sequence[Row]) -> Chart:
    """Where most of something lies: `low`, `from`, `middle`, `to` and `high` of each row."""
    rows = _cut_names(rows)
    value = {"type": "quantitative", "scale": {"zero": False, "padding": 4}, "title": axis}
    name = {"y": _names(rows), **_TOLD}

    def between(one: str, other: str, width: int) -> Spec:
        ends = {"x": {"field": one, **value}, "x2": {"field": other}}
        rule = {"type": "rule", "color": "var(--accent)", "strokeWidth": width}
        return {"mark": rule, "encoding": {**ends, **name}}

    middle = {
        "mark": {"type": "tick", "color": "var(--paper)", "thickness": 2, "size": 12},
        "encoding": {"x": {"field": "middle", **value}, **name},
    }
    spec = {
        "width": WIDTH,
        "height": {"step": ROW},
        "autosize": _FIT,
        "layer": [between("low", "high", 2), between("from", "to", 10), middle],
    }
    return drawn(key, title, words, spec, rows)


def curves(key: str, title: str, words: str, axes: tuple[str, str], rows: Sequence[Row]) -> Chart:
    """A line through the `share` at each `x` for each `name`."""
    rows = _cut_names(rows)
    names = list(dict.fromkeys(row["name"] for row in rows))
    colours = [f"var(--s{number})" for number in range(1, MOST_LINES + 1)][: len(names)]
    spec = {
        "width": WIDTH,
        "height": SQUARE,
        "autosize": _FIT,
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "title": axes[0]},
            "y": {"field": "share", "type": "quantitative", "title": axes[1]},
            "stroke": {
                "field": "name",
                "type": "nominal",
                "title": None,
                "scale": {"domain": names, "range": colours},
                "legend": {"columns": 2},
            },
            **_TOLD,
        },
    }
    return drawn(key, title, words, spec, rows)


def scatter(key: str, title: str, words: str, axes: tuple[str, str], rows: Sequence[Row]) -> Chart:
    """Points in a plane, at `x` and, from 0, `y`, each with a `label` that begins with a number.

    Where points are close only the numbers are written.
    """
    rows = _cut_labels(rows)
    across = {"type": "quantitative", "scale": {"zero": False, "nice": True, "padding": 12}}
    both = {
        "x": {"field": "x", "title": axes[0], **across},
        "y": {"field": "y", "title": axes[1], "type": "quantitative"},
        **_TOLD,
    }
    spec = {
        "width": WIDTH,
        "height": SQUARE,
        "autosize": _FIT,
        "layer": [
            {
                "mark": {"type": "point", "filled": True, "color": "var(--accent)", "opacity": 1},
                "encoding": {**both, "size": {"value": 60}},
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 7, "color": INK},
                "encoding": {**both, "text": {"field": "label", "type": "nominal"}},
            },
        ],
    }
    return drawn(key, title, words, spec, rows)


def _cut_labels(rows: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Rows with labels that do not run into each other; points in one place share theirs."""
    left, right = (end(row["x"] for row in rows) for end in (min, max))
    width, height = (right - left) or 1, max(row["y"] for row in rows) or 1
    labels: dict[int, str] = {}
    for place, row in enumerate(rows):
        away = [(abs(o["x"] - row["x"]) / width, abs(o["y"] - row["y"]) / height) for o in rows]
        level = [other for other, (x, y) in enumerate(away) if x < BESIDE and y < LEVEL]
        same = [other for other in level if max(away[other]) < SAME]
        numbers = [rows[other]["label"].partition(" ")[0] for other in same]
        if level == [place]:
            labels[place] = cut(row["label"], LETTERS)
        else:
            labels[place] = ", ".join(numbers) if same[0] == place else ""
    return [{**row, "label": labels[place]} for place, row in enumerate(rows)]


def lines(key: str, title: str, words: str, axes: tuple[str, str], rows: Sequence[Row]) -> Chart:
    """A line for each `name`, with error bars; at its last point stands its `label`."""
    names = list(dict.fromkeys(row["name"] for row in rows))
    colours = [f"var(--s{number})" for number in range(1, MOST_LINES + 1)][: len(names)]
    colour = {"field": "name", "type": "nominal", "scale": {"domain": names, "range": colours}}
    across: dict[str, Any] = {"field": "x", "type": "quantitative", "title": axes[0]}
    across |= {"scale": {"type": "log", "nice": False, "padding": 14}}
    across |= {"axis": {"values": list(dict.fromkeys(row["x"] for row in rows)), "format": ",d"}}
    upwards = {"type": "quantitative", "title": axes[1], "scale": {"zero": False}}
    stroke = {"stroke": {**colour, "legend": None}}
    fill = {"fill": {**colour, "legend": None}}
    at_mean = {"y": {"field": "mean", **upwards}}
    spec = {
        "width": WIDTH,
        "height": SQUARE,
        "autosize": _FIT,
        "encoding": {"x": across},
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {**at_mean, **stroke}},
            {
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.6},
                "encoding": {
                    "y": {"field": "low", **upwards},
                    "y2": {"field": "high"},
                    **stroke,
                    **_TOLD,
                },
            },
            {
                "mark": {"type": "point", "filled": True, "opacity": 1, "size": 50},
                "encoding": {**at_mean, **fill, **_TOLD},
            },
            {
                "transform": [{"filter": "isValid(datum.label)"}],
                "mark": {"type": "text", "align": "left", "dx": 8},
                "encoding": {**at_mean, **fill, "text": {"field": "label", "type": "nominal"}},
            },
        ],
    }
    return drawn(key, title, words, spec, rows)
