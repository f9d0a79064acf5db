"""The rule book of a game: rule sets as dataclasses or NamedTuples, and what is refused."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from cantstop_arena.errors import RulesError
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.rulebook import (
    Named,
    RuleBook,
    Values,
    choice_check,
    integer_check,
    whole,
)
from cantstop_arena.games.registry import all_games, game_named
from cantstop_arena.games.validation import game_faults


@dataclass(frozen=True)
class Plain:
    """Rules with a checked parameter, and one whose type is that of its default."""

    name: str = "plain"
    prizes: int = whole(7, 1, 20)
    order: tuple[int, ...] = (1, 2)


class Tower(NamedTuple):
    """Rules whose checks are in the rule book."""

    name: str = "tower"
    floors: int = 3
    heights: tuple[int, ...] = (1, 1, 1)
    colour: str = "red"


def heights_problem(heights: Any, values: Values) -> str | None:
    """One height for each floor."""
    return None if len(heights) == values["floors"] else f"must be {values['floors']} heights"


def equal_heights(base: Tower, changes: Values) -> Values:
    """Heights of 1, unless they are given."""
    given = "heights" in changes or "floors" not in changes
    return {} if given else {"heights": [1] * changes["floors"]}


PLAIN = RuleBook(Plain())
TOWER = RuleBook(
    Tower(),
    (Named(Tower(), "a source"), Named(Tower("blue", colour="blue"))),
    checks={
        "floors": integer_check(1, 9),
        "heights": heights_problem,
        "colour": choice_check("red", "blue"),
    },
    complete=equal_heights,
)


def faults_of(book: RuleBook[Any], changes: Values) -> dict[str, str]:
    """The messages by parameter."""
    with pytest.raises(RulesError) as refused:
        book.derive(book.default, changes)
    return dict(refused.value.faults)


def test_a_named_tuple_goes_through_the_book() -> None:
    assert TOWER.parameters == ("floors", "heights", "colour")
    assert TOWER.named["tower"].source == "a source"
    assert TOWER.derive(Tower(), {"floors": 2}) == Tower("tower, floors 2", 2, (1, 1))
    assert TOWER.derive(Tower(), {"floors": 2, "heights": [4, 5]}, "mine") == Tower(
        "mine", 2, (4, 5)
    )
    for rules in (Tower(), TOWER.derive(Tower(), {"floors": 5})):
        assert TOWER.from_dict(TOWER.as_dict(rules)) == rules


def test_all_checks_are_made_whatever_changes() -> None:
    faults = faults_of(TOWER, {"heights": [1], "colour": "green", "width": 2})
    assert list(faults) == ["width", "heights", "colour"]
    assert faults["heights"] == "must be 3 heights"


def test_a_field_is_checked_when_it_changes() -> None:
    assert list(faults_of(PLAIN, {"order": 5, "prizes": 0})) == ["order", "prizes"]
    assert PLAIN.derive(Plain(prizes=99), {"order": [3]}) == Plain("plain, order [3]", 99, (3,))


def test_rules_come_back_from_json() -> None:
    assert PLAIN.from_dict(PLAIN.as_dict(Plain())) == Plain()
    with pytest.raises(RulesError, match="order: is missing"):
        PLAIN.from_dict({"name": "plain", "prizes": 1})


def test_a_huge_number_is_refused_by_a_sentence() -> None:
    assert "such a int" in faults_of(PLAIN, {"prizes": 10**5000})["prizes"]


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_built_in_games_are_what_is_asked_of_others(game: Game) -> None:
    assert game_faults(game) == []


@pytest.mark.usefixtures("second_game")
def test_a_named_tuple_needs_checks() -> None:
    class Towers(type(game_named("salvage"))):  # type: ignore[misc]
        rules = RuleBook(Tower(), checks={"floors": integer_check(1, 9)})

    assert game_faults(Towers()) == ["its RuleBook has no checks for heights, colour"]
