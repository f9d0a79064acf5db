"""Short games of Cubus: when they end and how, who is asked, faults, and people who leave."""

from typing import Any

import pytest
from helpers.cubus.by_hand import (
    FEW,
    build,
    complaints,
    end,
    ending,
    idle,
    knock,
    passed,
    passes,
    take,
    whole_game,
    with_pool,
)
from helpers.cubus.random_games import header, ruleset


@pytest.mark.parametrize(("players", "turns"), [(2, 3), (3, 3), (4, 4), (6, 6)])
def test_passes_before_the_deck_was_empty_count(players: int, turns: int) -> None:
    """R20: the game ends with the deck, or after a round of passes, neither sooner nor later."""
    zero, everybody = [0] * players, list(range(players))
    assert complaints([*idle(turns, players), end(turns, zero, everybody)]) == []
    early = [*idle(turns - 1, players), end(turns - 1, zero, everybody)]
    assert complaints(early) == [f"line {turns + 1}: reason: the game is not over"]
    late = [*idle(turns + 1, players), end(turns + 1, zero, everybody)]
    assert complaints(late) == [f"line {turns + 2}: pass is out of place"]


def test_a_pass_taken_by_a_knock_does_not_count() -> None:
    """R20: after a right knock in the third turn two more passes are needed."""
    begun = [header(ruleset(**FEW), 2), *passes(3, "LTR")]
    record = [*begun, knock(3, 1, True, "2@0,0", points=1, hand="")]
    assert complaints([*record, end(3, [0, 1], [1])]) == ["line 6: reason: the game is not over"]
    more = [passed(4, None), passed(5, None)]
    assert complaints([*record, *more, end(5, [0, 1], [1])]) == []


def test_under_strict_nobody_passes_who_can_build_within_the_box() -> None:
    """R17: L and R make a pile of two, which a flat box does not hold."""
    drawn = passes(3, "LTR")
    for box, expected in (([1, 1, 2], ["line 4: pass: a legal build exists"]), ([2, 2, 1], [])):
        rules = ruleset(**FEW, duty="strict", box=box)
        assert complaints([header(rules, 2), *drawn, end(3, [0, 0], [0, 1])]) == expected


@pytest.mark.parametrize("duty", ["strict", "free"])
def test_nobody_knocks_but_under_knock(duty: str) -> None:
    """R17: Only under `knock` is anybody asked to knock."""
    record = [*idle(1, duty=duty), knock(1, 1, False, "1@0,0", points=0, hand="T")]
    assert "line 3: knock is out of place" in complaints(record)


def test_nobody_knocks_twice_and_nobody_after_a_right_knock() -> None:
    """R18: one build is asked of each, and a right one ends the turn."""
    begun = [header(ruleset(**FEW), 3), *passes(3, "LTR", 3)]
    wrong = knock(3, 0, False, "1@0,0", points=0, hand="R")
    assert complaints([*begun, wrong, wrong]) == ["line 6: seat 0 has knocked already"]
    again = [*begun, wrong, knock(3, 1, False, "", points=0, hand="R")]
    assert complaints([*again, end(3, [2, 2, 4], [2])]) == []


def test_after_a_right_knock_nobody_is_heard() -> None:
    """R18: the turn is over."""
    begun = [header(ruleset(**FEW), 2), *passes(3, "LTR")]
    right = knock(3, 1, True, "2@0,0", points=1, hand="")
    assert complaints([*begun, right, right]) == ["line 6: knock is out of place"]


def test_the_poorest_builds_with_the_pool_of_equals_the_first_to_come() -> None:
    """R22 `last`: after the third turn seat 1 would come first."""
    for seat, expected in ((1, []), (0, ["line 5: seat: 0 instead of 1"])):
        told = ending(seat, "2@0,0", points=1, hand="T")
        points = [0, 1] if seat else [1, 0]
        assert complaints([*with_pool("last", told), end(3, points, [seat])]) == expected


def test_fewest_points_come_before_the_turn() -> None:
    """R22 `last`: seat 1 has two points by a wrong knock of seat 0, who builds again and again."""
    begun = [header(ruleset(**FEW, ending="last"), 2), passed(1, "L"), passed(2, "T")]
    begun += [knock(2, 0, False, "1@0,0", points=0, hand="T"), passed(3, "R")]
    told = ending(0, "2@0,0", points=1, hand="T")
    assert complaints([*begun, told, end(3, [1, 2], [1])]) == []


@pytest.mark.parametrize(("seat", "right"), [(0, False), (1, True), (2, False)])
def test_of_two_with_fewest_points_the_first_to_come_builds(seat: int, right: bool) -> None:
    """R22 `last`: seats 1 and 2 have lost two points each to the other and to seat 0, who comes."""
    first, *others = passes(3, "LTR", 3)
    wrong = [knock(1, knocker, False, "1@0,0", points=0, hand="L") for knocker in (1, 2)]
    record = [header(ruleset(**FEW, ending="last"), 3), first, *wrong, *others]
    found = complaints([*record, ending(seat, "2@0,0", points=1, hand="T")])
    assert ("line 7: seat" not in found[0]) is right


def test_with_best_anybody_builds_but_once() -> None:
    """R22 `best`: one build with the pool is made."""
    first, second = (
        ending(0, "11@0,0", points=1, hand="L"),
        ending(0, "21@0,0", points=1, hand=""),
    )
    assert complaints([*with_pool("best", first), end(3, [1, 0], [0])]) == []
    assert complaints(with_pool("best", first, second)) == ["line 6: ending is out of place"]


def test_a_pile_without_open_cards_is_taken_down_at_the_origin() -> None:
    """R10's moving, in R23: nothing tells where a pile without open cards lies."""
    begun = [header(ruleset(**FEW, take_down=True), 2), *passes(3, "LTR")]
    begun += [knock(3, 1, True, "2@0,0", points=1, hand=""), passed(4, None), passed(5, None)]
    for pile, said in (("1@0,0", []), ("1@5,5", ["line 8: pile: '1@5,5' instead of '1@0,0'"])):
        taken = [take(6, pile, cards="LR"), take(7, "", cards="TLR")]
        assert complaints([*begun, *taken, end(7, [0, 1], [0], cards=[3, 2])]) == said


def test_open_cells_are_told_in_ascending_order() -> None:
    """A recorded game: `open`, by a build and by a take."""
    rules = ruleset(left=3, right=3, lids=2, open=2, take_down=True)
    begun = [header(rules, 2), *passes(6, "OLORLT")]
    for cells, wrong in (([[0, 0], [1, 0]], []), ([[1, 0], [0, 0]], ["line 8", "line 11"])):
        laid = build(7, "R", "11/10@0,0", *cells, points=2, hand="")
        over = [laid, passed(8, None), passed(9, None), take(10, "11@0,0", *cells, cards="TL")]
        found = complaints([*begun, *over, end(10, [2, 0], [], reason="left", cards=[0, 2])])
        assert [complaint.split(": open: ")[0] for complaint in found] == wrong


# --- Faults, and people who leave -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("duty", "winners"),
    [("knock", [[0, 1], [0, 2], [1, 2]]), ("free", [[0, 2]]), ("strict", [[0, 2]])],
)
def test_at_fault_is_one_who_is_asked(duty: str, winners: list[list[int]]) -> None:
    """After the first turn seat 1 comes; under `knock` the others may be asked as well."""
    record = idle(1, players=3, duty=duty)
    for allowed in ([0, 1], [0, 2], [1, 2], [], [0], [0, 1, 2]):
        found = complaints([*record, end(1, [0, 0, 0], allowed, reason="fault")])
        assert (found == []) is (allowed in winners), allowed


def test_a_fault_in_the_first_turn_leaves_none() -> None:
    """A recorded game: `turns` is 0 if no line has a turn."""
    record = idle(0)
    assert complaints([*record, end(0, [0, 0], [1], reason="fault")]) == []
    assert complaints([*record, end(1, [0, 0], [1], reason="fault")]) != []


def test_who_leaves_lets_nobody_win() -> None:
    """A recorded game: reason `left`, only while there is somebody to be asked."""
    assert complaints([*idle(2), end(2, [0, 0], [], reason="left")]) == []
    assert complaints([*idle(2), end(2, [0, 0], [1], reason="left")]) != []
    assert complaints([*idle(3), end(3, [0, 0], [], reason="left")]) != []


def test_a_fault_with_the_pool_is_the_builders() -> None:
    """R22 `last`: nobody else is asked, before the first build with the pool or after it."""
    told = ending(1, "2@0,0", points=1, hand="T")
    for endings, points in (([], [0, 0]), ([told], [0, 1])):
        record = with_pool("last", *endings)
        assert complaints([*record, end(3, points, [0], reason="fault")]) == []
        assert complaints([*record, end(3, points, [1], reason="fault")]) != []


def test_a_fault_in_taking_down_counts_what_was_won() -> None:
    """R23: the next to take is at fault; before the first take `cards` may be null too."""
    record = whole_game()
    told: dict[str, Any] = {"reason": "fault", "cards": [2, 0]}
    assert complaints([*record[:13], end(9, [3, 2], [0], **told)]) == []
    assert complaints([*record[:13], end(9, [3, 2], [1], **told)]) != []
    for won, right in ((None, True), ([0, 0], True), ([1, 0], False)):
        stopped = [*record[:12], end(8, [3, 2], [1], reason="fault", cards=won)]
        assert (complaints(stopped) == []) is right
