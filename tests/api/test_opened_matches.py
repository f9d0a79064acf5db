"""What an opened match says is what it said when it was played."""

from pathlib import Path
from typing import Any

import pytest

import cantstop_arena as ca

ANSWERS = ("headline", "score", "elo", "payoff", "ahead", "accepted", "verdict", "bots", "name")


@pytest.mark.parametrize("keys", [{}, {"sprt": (0, 200)}], ids=["games", "test"])
def test_an_opened_match_has_the_answers_of_the_played_one(
    keys: dict[str, Any], tmp_path: Path
) -> None:
    played = ca.match("rule28", "cautious", games=400, seed=1, results=tmp_path, **keys)
    assert played.folder
    opened = ca.open(played.folder)
    for name in ANSWERS:
        assert getattr(opened, name) == getattr(played, name), name
