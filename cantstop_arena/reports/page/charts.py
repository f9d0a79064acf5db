"""The kinds of charts that pages have, as Vega-Lite specifications of rows.

A row has the name of what it is about, its numbers, and what its mark says under the mouse. Charts
are as wide as a phone.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from cantstop_arena.reports.model import Estimate
from cantstop_arena.reports.page.document import Chart
from cantstop_arena.reports.page.vega import FAINT, HOVER, INK, Row, Spec, drawn

WIDTH = 340
LABEL = 110  # for a name; the rest is for what is drawn
ROW = 20  # the height of a line with a name
SQUARE = 300
MOST_NUMBERED = 12  # bots whose crosstable has room for its numbers
MOST_LINES = 8  # that can be told apart
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
    limit: int = LABEL,
) -> Chart:
    """Points with error bars, one below the other as the rows are; a line at the middle.

    Names are cut where they are wider than the `limit`.
    """
    value = {"type": "quantitative", "scale": {"zero": False}, "title": axis}
    name = {"y": _names(rows, limit), **_TOLD}
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


def _names(rows: Sequence[Row], limit: int = LABEL, grid: bool = True) -> Spec:
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
            "labelLimit": limit,
        },
    }


def heat_map(key: str, title: str, words: str, rows: Sequence[Row], bots: int) -> Chart:
    """A square of scores; where there is room, with the numbers in it.

    Rows have `name`, the `place` of the column, a `score` around 0.5 and its `text`.
    """
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
                "legend": {"columns": 2, "labelLimit": LABEL},
            },
            **_TOLD,
        },
    }
    return drawn(key, title, words, spec, rows)


def scatter(key: str, title: str, words: str, axes: tuple[str, str], rows: Sequence[Row]) -> Chart:
    """Points in a plane, at `x` and, from 0, `y`, each with its `label`."""
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
