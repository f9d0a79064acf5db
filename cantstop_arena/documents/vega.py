"""Charts from Vega-Lite specifications to drawings that stand in a page as they are.

They are drawn when the page is written. With the libraries that draw them on opening, each page
would have 0.9 MB of JavaScript in it, which takes longer to put together than the drawings, and
shows nothing where scripts are off. Colours are the page's own variables, so that a drawing is
light or dark as the page is.
"""

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from threading import Thread
from typing import Any, TypeAlias

import vl_convert
from markupsafe import Markup

from cantstop_arena.documents.document import Chart
from cantstop_arena.documents.formats.escaping import printable
from cantstop_arena.errors import PageError
from cantstop_arena.runtime.system import lacks_room
from cantstop_arena.texts import in_a_line

Spec: TypeAlias = dict[str, Any]
Row: TypeAlias = Mapping[str, object]

VERSION = "6.1"
INK, FAINT, LINE = "var(--ink)", "var(--faint)", "var(--line)"
HOVER = "hover"  # the field of a row that tells what its mark shows
_ROOM = 72 << 30  # bytes of address space that V8, which draws, reserves; without it, it crashes
_GUIDES = ("axis", "legend", "title")  # what Vega has beside marks
_SVG = "http://www.w3.org/2000/svg"
_CONFIG = {
    "font": "sans-serif",
    "padding": {"left": 28, "right": 8, "top": 5, "bottom": 5},  # a reader's font may be wider
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": LINE,
        "domainColor": LINE,
        "tickColor": LINE,
        "labelFontSize": 12,
        "labelSeparation": 6,
        "labelLimit": 0,  # Vega would cut names in the middle of a sign, and fail
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "axisX": {"labelFlush": False},
    "text": {"color": INK, "fontSize": 12},
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "labelLimit": 0,
        "orient": "top",
    },
}


def drawn(key: str, title: str, words: str, spec: Spec, rows: Sequence[Row]) -> Chart:
    """The chart of some rows; its `key` is the only one on the page."""
    safe = [
        {name: printable(value) if isinstance(value, str) else value for name, value in row.items()}
        for row in rows
    ]
    whole = {"background": None, "config": _CONFIG, "data": {"values": safe}, **spec}
    fits = not isinstance(spec["width"], Mapping)  # so much a step is as wide as it must be
    if lack := lacks_room(_ROOM):
        raise PageError(f"The chart {title!r} cannot be drawn: {lack}")
    try:
        svg = vl_convert.vegalite_to_svg(whole, vl_version=VERSION)
    except ValueError as error:
        raise PageError(f"The chart {title!r} cannot be drawn: {in_a_line(str(error))}") from error
    return Chart(title, words, _embedded(svg, key, title, fits))


def warm_up() -> None:
    """Begin to load what draws, which takes as long as ten drawings, while there is other work."""
    if lacks_room(_ROOM):
        return
    nothing: Spec = {"data": {"values": []}, "mark": "point"}
    Thread(
        target=vl_convert.vegalite_to_svg,
        args=(nothing,),
        kwargs={"vl_version": VERSION},
        daemon=True,
    ).start()


def _embedded(svg: str, key: str, title: str, fits: bool) -> Markup:
    """A drawing that is one picture to a screen reader, and tells under the mouse what it shows.

    On a narrow screen it shrinks, if it `fits`.
    """
    root = ET.fromstring(svg)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        _tell(element)
    _clear(root)
    root.attrib.update({"role": "img", "aria-labelledby": f"{key}-name"})
    if fits:
        root.set("class", "fits")
    named = ET.Element("title", {"id": f"{key}-name"})
    named.text = title
    root.insert(0, named)
    return Markup(ET.tostring(root, encoding="unicode", short_empty_elements=False))


def _tell(element: ET.Element) -> None:
    """What Vega tells screen readers about a mark, told to everybody."""
    label = element.get("aria-label")
    is_symbol = element.get("role") == "graphics-symbol"
    is_mark = is_symbol and element.get("aria-roledescription") not in _GUIDES
    _clear(element)
    if label and is_mark:
        ET.SubElement(element, "title").text = label


def _clear(element: ET.Element) -> None:
    """Without what nobody reads: the page has no use for Vega's classes and roles."""
    for name in ("class", "role", "aria-label", "aria-hidden", "aria-roledescription"):
        element.attrib.pop(name, None)
    element.attrib.pop("pointer-events", None)
