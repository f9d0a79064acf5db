"""Games of Cubus played at random are right, and no longer once any of their fields is changed."""

import random
from typing import Any

import pytest
from helpers.cubus.by_hand import complaints
from helpers.cubus.random_games import Event, Player, Record, ruleset

KINDS = [
    {"duty": duty, "ending": ending_rule, "take_down": take_down}
    for duty in ("knock", "strict", "free")
    for ending_rule in ("none", "last", "best")
    for take_down in (False, True)
]


def game(changes: dict[str, Any], players: int, seed: int = 0) -> Record:
    """A game at random under some rules."""
    rng = random.Random(f"{changes} {players} {seed}")
    swap, more = rng.choice(["place", "free"]), rng.random() < 0.3
    return Player(ruleset(**changes, swap=swap, more_crates=more), players, rng).play()


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize("changes", KINDS, ids=str)
def test_games_played_at_random_are_right(changes: dict[str, Any], players: int) -> None:
    """Every duty with every ending, with taking down and without."""
    for seed in range(3):
        assert complaints(game(changes, players, seed)) == []


def other_values(value: Any) -> list[Any]:
    """What a field of an event cannot hold as well."""
    if type(value) is bool:
        return [not value]
    if type(value) is int:
        return [value + 1, value - 1, float(value), None]
    if isinstance(value, list):
        return [[*value, 9], [[9, 9]], None]
    return [f"{value}T", 0] + ([None] if value is not None else [])


def is_named_in_vain(event: Event, key: str) -> bool:
    """The build of a wrong knock may be any other illegal one."""
    return event["event"] == "knock" and not event["right"] and key in ("pile", "open")


def check_every_field(record: Record) -> None:
    """Every field of every line but the header's, changed in several ways, is complained of."""
    for number, event in list(enumerate(record))[1:]:
        for key in set(event) - {"event"}:
            for value in other_values(event[key]):
                changed = [*record[:number], {**event, key: value}, *record[number + 1 :]]
                assert is_named_in_vain(event, key) or complaints(changed) != [], (number, key)


@pytest.mark.slow
def test_no_field_of_a_game_played_at_random_can_be_changed() -> None:
    """A game with every kind of event."""
    record = game({"ending": "last", "take_down": True}, 3)
    kinds = {event["event"] for event in record}
    assert kinds == {"game", "pass", "build", "knock", "ending", "take", "end"}
    assert {event.get("right") for event in record} == {None, False, True}
    check_every_field(record)


@pytest.mark.slow
@pytest.mark.parametrize("changes", KINDS, ids=str)
def test_no_field_can_be_changed_under_any_rules(changes: dict[str, Any]) -> None:
    """The same under every duty with every ending, with taking down and without."""
    check_every_field(game(changes, 3))
