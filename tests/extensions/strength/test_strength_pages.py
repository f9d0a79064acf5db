"""Pages of `arena solve` and `arena judge` in a browser."""

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.arena import Arena


@pytest.mark.slow
@pytest.mark.parametrize("words", ["solve 2,2", "judge cautious random --rules 2,2 --deals 12"])
def test_the_page_that_a_command_writes_has_no_defect(
    arena: Arena, check_page: Callable[..., None], words: str
) -> None:
    arena(*words.split(), "--html", "page.html")
    html = Path("page.html").read_text("utf-8")
    check_page(html)
    check_page(html, dark=True, widths=(1280, 390))
