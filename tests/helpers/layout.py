"""Defects of a page that only a browser sees: overlapping or clipped text, torn columns, axe."""

from pathlib import Path
from typing import Any

WIDTHS = (1280, 800, 390)
"""A desktop, a tablet, a phone."""

_DEFECTS = Path(__file__).with_suffix(".js").read_text("utf-8")


def defects(page: Any) -> list[str]:
    """The defects of the layout of an opened page, a text each."""
    found: list[str] = page.evaluate(_DEFECTS)
    return found


def axe_findings(page: Any) -> list[str]:
    """What axe finds on an opened page."""
    from axe_playwright_python.sync_playwright import Axe

    violations = Axe().run(page).response["violations"]
    return [f"axe: {each['id']}: {each['nodes'][0]['html'][:90]}" for each in violations]
