"""Answers of every kind that a game may ask for: checked alike in this process and in others."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from cantstop_arena.bots.bot_server import MAX_ANSWER_LENGTH, answer_as_json
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.decisions import Decision, decision, decisions_of
from cantstop_arena.processes.json_lines import line_of


@dataclass(frozen=True)
class Offer:
    coins: int
    cards: tuple[str, ...] = ()


@decision
def share(view: Any) -> float:
    """Return a share."""
    raise NotImplementedError


@decision
def pair(view: Any) -> tuple[int, int]:
    """Return two numbers."""
    raise NotImplementedError


@decision
def order(view: Any) -> list[str]:
    """Return names."""
    raise NotImplementedError


@decision
def prices(view: Any) -> dict[int, float]:
    """Return a price for each number."""
    raise NotImplementedError


@decision
def offers(view: Any) -> tuple[Offer, ...]:
    """Return offers."""
    raise NotImplementedError


@decision
def offer(view: Any) -> Offer | None:
    """Return an offer, or None."""
    raise NotImplementedError


DECISIONS: Mapping[str, Decision] = decisions_of((share, pair, order, prices, offers, offer))

LEGAL: list[tuple[str, Any, Any]] = [
    ("share", 0.25, 0.25),
    ("share", 1, 1.0),
    ("pair", (1, 2), (1, 2)),
    ("pair", [1, 2], (1, 2)),
    ("order", ["a", "b"], ["a", "b"]),
    ("order", ("a", "b"), ["a", "b"]),
    ("prices", {3: 0.5}, {3: 0.5}),
    ("offers", (Offer(1, ("T",)),), (Offer(1, ("T",)),)),
    ("offer", Offer(2), Offer(2)),
    ("offer", None, None),
]
ILLEGAL: list[tuple[str, Any]] = [
    ("share", math.nan),
    ("share", math.inf),
    ("share", "half"),
    ("pair", (1, 2, 3)),
    ("pair", (1, 2.5)),
    ("order", ["a", 1]),
    ("prices", {"three": 0.5}),
    ("offers", [SimpleNamespace(coins=1)]),
    ("offer", {"coins": "many"}),
    ("offer", 1.5),
]


def travelled(decision: Decision, answer: object) -> object:
    """An answer of an isolated bot, as it arrives."""
    return json.loads(line_of({decision.key: answer_as_json(decision, answer)}))[decision.key]


def verdict(check: Callable[[], object]) -> object:
    """What is made of an answer; that it is illegal."""
    try:
        return check()
    except IllegalAnswer:
        return IllegalAnswer


@pytest.mark.parametrize(("name", "answer", "taken"), LEGAL)
def test_legal_answers_are_taken_wherever_the_bot_runs(name: str, answer: Any, taken: Any) -> None:
    asked = DECISIONS[name]
    for found in (asked.checked(answer), asked.checked(travelled(asked, answer))):
        assert (found, type(found)) == (taken, type(taken))


@pytest.mark.parametrize(("name", "answer"), ILLEGAL)
def test_illegal_answers_are_refused_wherever_the_bot_runs(name: str, answer: Any) -> None:
    asked = DECISIONS[name]
    assert verdict(lambda: asked.checked(answer)) is IllegalAnswer
    assert verdict(lambda: asked.checked(travelled(asked, answer))) is IllegalAnswer


def test_complaint_names_what_is_wanted() -> None:
    with pytest.raises(IllegalAnswer, match=r"pair must return tuple\[int, int\], not 7"):
        DECISIONS["pair"].checked(7)


def test_answer_too_long_for_a_line_is_no_answer() -> None:
    asked = DECISIONS["order"]
    arrived = travelled(asked, ["a"] * MAX_ANSWER_LENGTH)
    assert verdict(lambda: asked.checked(arrived)) is IllegalAnswer
