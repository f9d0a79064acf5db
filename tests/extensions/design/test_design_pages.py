"""Pages of `arena profile` and `arena design` in a browser."""

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.arena import Arena


@pytest.mark.slow
def test_the_page_of_a_profile_has_no_defect(arena: Arena, check_page: Callable[..., None]) -> None:
    arena("profile cautious random --games 20 --html page.html")
    html = Path("page.html").read_text("utf-8")
    check_page(html)
    check_page(html, dark=True, widths=(1280, 390))


@pytest.mark.slow
@pytest.mark.parametrize("first_seat", ["[30%, 70%]", "[49.9%, 50.1%]", "[90%, 95%]"])
def test_the_page_of_a_design_has_no_defect(
    arena: Arena, check_page: Callable[..., None], first_seat: str
) -> None:
    """Rules hold, are open, or all miss."""
    text = (
        "bots: [cautious, random]\nvary: {columns_to_win: 1..4, runners: [2, 3]}\n"
        f"targets: {{first_seat: {first_seat}, better_bot: [40%, 95%]}}\n"
    )
    arena("design", "short.yaml", "--quiet", "--page", yaml=text)
    html = Path("results/short/report.html").read_text("utf-8")
    check_page(html)
    check_page(html, dark=True, widths=(1280, 390))
