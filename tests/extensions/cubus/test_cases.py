"""Every position, build, picture and take-down move of the project's cases."""

import json
from hashlib import sha256
from typing import Any

import pytest
from helpers.cubus.pictures import Picture, picture, pile_in
from helpers.paths import TESTS

from cantstop_arena.extensions.cubus.builds.build import (
    Build,
    TableCards,
    build_result,
    carry_open_cards,
    cells_for_open,
)
from cantstop_arena.extensions.cubus.builds.cards import cards_from_text
from cantstop_arena.extensions.cubus.builds.piles import IllegalBuild, parse
from cantstop_arena.extensions.cubus.choices.takedown import (
    Where,
    freed,
    judge_take,
    take_build,
    takes,
)
from cantstop_arena.extensions.cubus.choices.targets import (
    for_build,
    nearby,
    targets,
    targets_without_box,
)
from cantstop_arena.extensions.cubus.rules import LEAFLET, RuleSet, derive

Case = dict[str, Any]

FILE = TESTS / "data" / "cubus" / "cases.jsonl"
KINDS = ("position", "illegal", "legal", "picture", "no-picture", "take")
CASES = [json.loads(line) for line in FILE.read_text().splitlines()]


def of(kind: str) -> list[Case]:
    return [case for case in CASES if case["kind"] == kind]


def cells(listed: list[list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((x, y) for x, y in listed)


def table(case: Case) -> TableCards:
    return TableCards(parse(case["pile"]), cells(case["open"]))


def rules(case: Case) -> RuleSet:
    return derive(LEAFLET, case.get("rules", {}))


def box(case: Case) -> Where:
    return tuple(case["box"]) if case["box"] else "none"


def build(case: Case) -> Build:
    return Build(case["build"]["pile"], cells(case["build"]["open"]))


def named(case: Case) -> str:
    return f"{case['pile']} {case.get('hand', '')}"


@pytest.mark.parametrize("case", of("position"), ids=named)
def test_targets_and_their_order(case: Case) -> None:
    wanted = for_build(table(case), cards_from_text(case["hand"]), rules(case))
    where = box(case)
    found = [
        list(t)
        for t in (targets_without_box(wanted) if where == "none" else targets(wanted, where))
    ]
    assert len(found) == case["count"]
    if "builds" in case:
        assert found == case["builds"]
    else:
        assert found[:5] == case["first"]
        lines = "\n".join(" ".join(map(str, target)) for target in found)
        assert sha256(lines.encode()).hexdigest() == case["hash"]


@pytest.mark.parametrize("case", [c for c in of("position") if "nearby" in c], ids=named)
def test_nearby_targets_are_targets(case: Case) -> None:
    wanted = for_build(table(case), cards_from_text(case["hand"]), rules(case))
    found = nearby(wanted)
    assert len(found) == case["nearby"]
    for target in found:
        assert judge_as(case, target.pile, target.least) == target.points


def judge_as(case: Case, pile: str, least: int) -> int:
    """Points of a target with its first possible open cards, by the check of builds."""
    before, target = table(case), parse(pile)
    new = cells_for_open(before, target, rules(case).swap)[:least]
    made = carry_open_cards(before, target, new)
    return build_result(before, cards_from_text(case["hand"]), made, rules(case)).points


@pytest.mark.parametrize("case", of("illegal"), ids=named)
def test_an_illegal_build_names_the_first_rule_it_breaks(case: Case) -> None:
    with pytest.raises(IllegalBuild) as refused:
        build_result(table(case), cards_from_text(case["hand"]), build(case), rules(case))
    assert refused.value.rule == case["breaks"]
    assert str(refused.value).startswith(f"R{case['breaks']}: ")


@pytest.mark.parametrize("case", of("legal"), ids=named)
def test_a_legal_build_scores_and_leaves_a_hand(case: Case) -> None:
    built = build_result(table(case), cards_from_text(case["hand"]), build(case), rules(case))
    assert (built.points, built.hand.text()) == (case["points"], case["hand_after"])


@pytest.mark.parametrize("case", of("picture"), ids=named)
def test_a_pile_and_its_picture_determine_each_other(case: Case) -> None:
    shown = Picture(*(cells(case[kind]) for kind in "TOLR"))
    pile, open_cells = table(case)
    assert picture(pile, open_cells) == shown
    assert pile.shape.crates == case["crates"]
    assert pile_in(shown) == (pile, open_cells)


@pytest.mark.parametrize("case", of("no-picture"), ids=lambda case: str(case["T"]))
def test_what_no_pile_looks_like_is_no_picture(case: Case) -> None:
    assert pile_in(Picture(*(cells(case[kind]) for kind in "TOLR"))) is None


@pytest.mark.parametrize("case", of("take"), ids=named)
def test_moves_of_the_take_down(case: Case) -> None:
    lying, where = table(case), box(case)
    found = takes(lying, where, LEAFLET.box)
    assert freed(lying, where) == case["freed"]
    assert len(found) == case["count"]
    assert [list(take) for take in found[: len(case["takes"])]] == case["takes"]
    for take in found[:20]:
        made = take_build(lying, parse(take.pile)) if take.pile else None
        assert judge_take(lying, made, LEAFLET.box).won.total == take.won


def test_no_case_is_left_out() -> None:
    assert sum(len(of(kind)) for kind in KINDS) == len(CASES) == 352
