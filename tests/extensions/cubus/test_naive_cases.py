"""The naive reading of the rules of Cubus against all cases, and against the facts of the rules."""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import pytest
from helpers.cubus.naive.builds import DEFAULTS, Build, Position, after, check
from helpers.cubus.naive.pictures import piles_of
from helpers.cubus.naive.piles import Cell, Refusal, crates, picture, read
from helpers.cubus.naive.shapes import Box, Limits, shapes
from helpers.cubus.naive.takes import freed_and_takes
from helpers.cubus.naive.targets import FEW_CARDS, Target, nearby, targets
from helpers.paths import TESTS

Case = dict[str, Any]

LINES = (TESTS / "data/cubus/cases.jsonl").read_text(encoding="utf-8").splitlines()
CASES: list[Case] = [json.loads(line) for line in LINES]


def cells(pairs: Iterable[list[int]]) -> list[Cell]:
    """Cells or places as JSON has them."""
    return [(x, y) for x, y in pairs]


def position_of(case: Case) -> Position:
    """The position of a case; cases of taking have no hand."""
    rules = DEFAULTS | case.get("rules", {})
    return Position(read(case["pile"]), frozenset(cells(case["open"])), case.get("hand", ""), rules)


def build_of(case: Case) -> Build:
    """The build of a case."""
    return Build(case["build"]["pile"], cells(case["build"]["open"]))


def box_of(case: Case) -> Box | None:
    """The box of a case, none where it says null."""
    return tuple(case["box"]) if case["box"] else None


def needs_long(case: Case) -> bool:
    """Whether so many piles are to be tried that a case is left to the slow tests."""
    return case["kind"] in ("position", "take") and position_of(case).held.total() > FEW_CARDS


def some(kind: str, *, slow: bool = False) -> list[Case]:
    """The cases of a kind, the slow or the quick ones."""
    return [case for case in CASES if case["kind"] == kind and needs_long(case) is slow]


# --- The cases ------------------------------------------------------------------------------------


def test_there_are_as_many_cases_of_each_kind_as_there_were() -> None:
    """352 in all, each of a kind that a test below asks for."""
    kinds = {"position": 161, "illegal": 87, "legal": 36, "picture": 30, "no-picture": 10}
    found = {kind: len(some(kind)) + len(some(kind, slow=True)) for kind in [*kinds, "take"]}
    assert found == {**kinds, "take": 28}
    assert len(CASES) == 352


@pytest.mark.parametrize("case", some("illegal"))
def test_an_illegal_build_is_refused_by_the_first_rule_it_breaks(case: Case) -> None:
    """R3 to R16, in their order."""
    with pytest.raises(Refusal) as refusal:
        check(position_of(case), build_of(case))
    assert refusal.value.rule == case["breaks"]


@pytest.mark.parametrize("case", some("legal"))
def test_a_legal_build_brings_its_points_and_leaves_its_hand(case: Case) -> None:
    """Points, and R13 for the hand afterwards."""
    position, build = position_of(case), build_of(case)
    assert check(position, build) == case["points"]
    assert after(position, build).hand == case["hand_after"]


@pytest.mark.parametrize("case", some("picture"))
def test_pile_and_picture_determine_each_other(case: Case) -> None:
    """R7 and R8, there and back."""
    pile = read(case["pile"])
    places = {card: cells(case[card]) for card in "TOLR"}
    assert picture(pile, cells(case["open"])) == places
    assert crates(pile) == case["crates"]
    assert piles_of(places["T"] + places["O"], places["L"], places["R"]) == [pile]


@pytest.mark.parametrize("case", some("no-picture"))
def test_what_is_no_picture_has_no_pile(case: Case) -> None:
    """R7: cards that no pile shows."""
    assert piles_of(cells(case["T"]), cells(case["L"]), cells(case["R"])) == []


def hash_of(found: list[Target]) -> str:
    """The hash of a list of targets, as the cases have it."""
    return sha256("\n".join(" ".join(map(str, target)) for target in found).encode()).hexdigest()


def check_targets(case: Case) -> None:
    """Count, order, points, least and most of all targets, and the number of near ones."""
    position = position_of(case)
    found = targets(position, box_of(case))
    assert (len(found), len(nearby(position))) == (case["count"], case["nearby"])
    listed = [list(target) for target in found]
    if "builds" in case:
        assert listed == case["builds"]
    else:
        assert (listed[:5], hash_of(found)) == (case["first"], case["hash"])


def check_takes(case: Case) -> None:
    """R24's k, and all that can be taken."""
    freed, found = freed_and_takes(position_of(case), (4, 4, 4))
    assert case["box"] == [4, 4, 4]
    assert (freed, len(found)) == (case["freed"], case["count"])
    listed = found if len(found) <= 40 else found[:5]
    assert [list(take) for take in listed] == case["takes"]


@pytest.mark.parametrize("case", some("position"))
def test_the_targets_of_a_position_with_few_cards(case: Case) -> None:
    """R3 to R16 with R12's places, within a box and without."""
    check_targets(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", some("position", slow=True))
def test_the_targets_of_a_position_with_many_cards(case: Case) -> None:
    """The same with up to 48 cards: all 1,241,646 piles of the box are listed once."""
    check_targets(case)


@pytest.mark.parametrize("case", some("take"))
def test_the_takes_of_a_position_with_few_cards(case: Case) -> None:
    """R23 and R24."""
    check_takes(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", some("take", slow=True))
def test_the_takes_of_a_position_with_many_cards(case: Case) -> None:
    """R23 and R24 with up to 48 cards."""
    check_takes(case)


# --- The facts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("box", "number"),
    [
        ((2, 2, 2), 24),
        ((3, 3, 3), 2464),
        pytest.param((4, 4, 3), 145827, marks=pytest.mark.slow),
        pytest.param((4, 4, 4), 1241646, marks=pytest.mark.slow),
    ],
)
def test_a_box_holds_the_known_number_of_piles(box: Box, number: int) -> None:
    """Facts: piles in a box, up to moving."""
    x, y, z = box
    assert sum(map(len, shapes(Limits(x * y, y * z, x * z, box)).values())) == number


def exactly(tops: int, left: int, right: int) -> dict[int, int]:
    """How many piles there are of exactly these cards, by the number of their crates."""
    found = shapes(Limits(tops, left, right, (tops, tops, left)))
    return {
        counts.crates: len(texts)
        for counts, texts in found.items()
        if counts[:3] == (tops, left, right)
    }


@pytest.mark.parametrize(("cards", "number"), [(4, 5), (6, 101)])
def test_without_a_box_there_is_the_known_number_of_piles(cards: int, number: int) -> None:
    """Facts: piles of exactly so many cards of each type."""
    assert sum(exactly(cards, cards, cards).values()) == number


@pytest.mark.parametrize(("cards", "most"), [(3, 4), (4, 8), (7, 15)])
def test_so_many_cards_hold_the_known_number_of_crates(cards: int, most: int) -> None:
    """Facts: most crates with exactly these cards."""
    assert max(exactly(cards, cards, cards)) == most


@pytest.mark.slow
def test_nine_cards_of_each_type_make_the_cube_of_three() -> None:
    """Facts: 8,621 piles, 27 crates at most."""
    found = exactly(9, 9, 9)
    assert (sum(found.values()), max(found)) == (8621, 27)
