"""The page of a training in a browser."""

from collections.abc import Callable

import pytest

from cantstop_arena.extensions.learn.training_page import training_page
from cantstop_arena.game_api.training import ExactLoss, NetTrial


@pytest.mark.slow
@pytest.mark.parametrize("rival", ["tuned", ""], ids=["against a bot", "alone"])
@pytest.mark.parametrize("trials", [1, 12, 100])
def test_the_page_of_a_training_has_no_defect(
    check_page: Callable[..., None], rival: str, trials: int
) -> None:
    lost = ExactLoss(1.25, 0.5, 100) if trials == 12 else None
    tried = [
        (number, NetTrial("", "champion", rival, number / 100 if rival else 8.0, half, 400, lost))
        for number, half in enumerate([None, *[0.04] * (trials - 1)], start=1)
    ]
    html = training_page(
        "Nets", "Can't Stop, classic rules, 2 players", tried, "arena train classic"
    )
    check_page(html)
    check_page(html, dark=True, widths=(1280, 390))
