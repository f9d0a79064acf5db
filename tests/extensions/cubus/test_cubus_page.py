"""The page of a match of Cubus in a browser."""

from collections.abc import Callable

import pytest
from helpers.arena import Arena


@pytest.mark.slow
def test_the_page_of_a_match_with_its_games_has_no_defect(
    arena: Arena, check_page: Callable[..., None]
) -> None:
    html = arena("match greedy hasty --game cubus --games 40 --seed 1 --quiet --page").page
    check_page(html)
    check_page(html, dark=True, widths=(1280, 390))
