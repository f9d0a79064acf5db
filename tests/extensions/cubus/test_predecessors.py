"""The table of the effect of sitting after each bot: its sentences."""

import pytest
from helpers.arena import Arena


@pytest.mark.slow
def test_an_effect_that_is_not_significant_is_named_so(arena: Arena) -> None:
    options = "--game cubus --players 3 --games 12 --seed 1 --no-page --table predecessors"
    text = arena(f"match random greedy {options}").text
    assert "The data do not show whether sitting right after " in text
