"""What bots are shown and may ask, and bad input of every kind."""

from functools import partial

import pytest
from helpers.cubus.games import seen
from hypothesis import given, settings
from hypothesis import strategies as st

from cantstop_arena.errors import RulesError, UsageError
from cantstop_arena.extensions.cubus.builds.build import Build
from cantstop_arena.extensions.cubus.builds.cards import Cards, cards_from_text
from cantstop_arena.extensions.cubus.builds.piles import IllegalBuild, parse
from cantstop_arena.extensions.cubus.choices.targets import for_build, target_of_groups
from cantstop_arena.extensions.cubus.rules import LEAFLET, NAMED, derive


def test_a_view_cannot_be_written() -> None:
    view = seen("22/21@0,0", "TL")
    for name in (*view._fields, "pile", "open", "other"):
        with pytest.raises(AttributeError):
            setattr(view, name, 1)


def test_what_a_view_tells_of_the_pile() -> None:
    view = seen("02/22@3,4", "TL", [(4, 4)])
    assert view.pile.text == "02/22@3,4"
    assert (view.pile.heights, view.pile.x, view.pile.y) == (((0, 2), (2, 2)), 3, 4)
    assert (view.pile.crates, view.pile.cards) == (6, Cards(2, 1, 4, 4))
    assert view.open == ((4, 4),)


def test_the_first_target_is_the_best_and_targets_come_lazily() -> None:
    view = seen("22/21@0,0", "TOL")
    first = next(view.iter_targets())
    assert view.targets()[0] == first
    best = view.best()
    assert best is not None and view.check(best) == first.points
    assert next(view.iter_targets("none")).points >= first.points


@pytest.mark.parametrize("corner", [(0, 0), (3, 4), (200, -99)])
def test_the_options_kept_are_all_targets_in_their_order(corner: tuple[int, int]) -> None:
    x, y = corner
    view = seen(f"22/21@{x},{y}", "TOLR", [(x, y)])
    for option in view.options():
        assert view.keep(option, 0)
    query, numbers = for_build(view.table, view.hand, view.rules), [n for _, n in view.kept]
    count = len(view.targets())
    targets = [
        target_of_groups(query, view.rules.box, numbers, partial(min, index))
        for index in range(count)
    ]
    assert targets == view.targets()
    assert target_of_groups(query, view.rules.box, [], lambda _: 0) is None


def test_best_lays_the_open_cards_that_lids_lack_on_the_first_places() -> None:
    view = seen("1@0,0", "OL")
    assert view.best() == Build("1/1@0,0", ((0, 0),))


def test_sliding_leaves_the_picture_and_carries_open_cards_along() -> None:
    view = seen("21/11@0,0", "LR", [(0, 0)])
    assert view.slide(2) == Build("43/33@2,2", ((2, 2),))


def test_what_a_build_and_a_target_leave() -> None:
    view = seen("1@0,0", "OLL")
    after = view.after(Build("1/1@0,0", ((0, 1),)))
    assert after == (2, Cards(1, 1, 2, 1), cards_from_text("L"))
    assert view.cards("1/1@0,0") == after


def test_a_take_lays_freed_open_cards_only_for_want_of_lids() -> None:
    view = seen("11@0,0", "", [(0, 0), (1, 0)])
    assert view.takes() == [("1@0,0", 2), ("1@1,0", 2)]
    assert view.take_build("1@1,0") == Build("1@1,0", ((1, 0),))


def test_bound_of_this_and_of_another_position() -> None:
    view = seen("1@0,0", "LR")
    assert view.bound() == 1
    assert view.bound(hand="T") == 0
    assert view.bound(pile="22/21@0,0", hand="") == 3


def test_check_raises_with_the_rule() -> None:
    with pytest.raises(IllegalBuild) as refused:
        seen("1@0,0", "T").check(Build("11@0,0"))
    assert refused.value.rule == 13


@pytest.mark.parametrize("box", ["all", [5, 1, 1], [1, 1], 7, [1, 1, True], {"x": 1}])
def test_a_box_that_is_none_is_refused(box: object) -> None:
    with pytest.raises(UsageError, match="a box must be three whole numbers from 1 to 4"):
        seen("1@0,0", "").targets(box)


LONG = [
    ("1" * 10**6 + "@0,0", 13),
    ("/".join(["9" * 300] * 300) + "@0,0", 13),
    (("10" * 100_000)[:-1] + "@0,0", 4),
    ("1/" * 500_000 + "0@0,0", 3),
    ("1@" + "9" * 10**6 + ",0", 3),
    ("z" * 28_000 + "@0,0", 13),
    ("", 3),
    ("1@0,0\n", 3),
    ("¹@0,0", 3),
    ("1@0,-0", 3),
    ("01/10@0,0 ", 3),
    ("10/01@0,0", 4),
    ("00/11@0,0", 3),
    ("1/11@0,0", 3),
    ("0@0,0", 3),
    (f"1@{10**18},-{10**18}", 16),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "rule"), LONG, ids=[text[:20] for text, _ in LONG])
def test_foul_pile_texts_name_their_rule_in_a_sentence(text: str, rule: int) -> None:
    with pytest.raises(IllegalBuild) as refused:
        seen("1@0,0", "TLR").check(Build(text))
    assert refused.value.rule == rule
    assert len(str(refused.value)) < 200


def test_open_cells_far_away_name_their_rule() -> None:
    view = seen("22/21@0,0", "O", [(0, 0)])
    for cells in (((10**18, 0),), ((10**5000, 1),), ((0, 0),) * 10**5):
        with pytest.raises(IllegalBuild) as refused:
            view.check(Build("22/22@0,0", cells))
        assert refused.value.rule == 11
        assert len(str(refused.value)) < 200


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="0123/@,-z ", max_size=12))
def test_any_text_is_a_pile_or_names_a_rule(text: str) -> None:
    try:
        pile = parse(text)
    except IllegalBuild as refused:
        assert refused.rule in (3, 4, 5, 6)
    else:
        assert parse(pile.text) == pile and pile.text == text


def test_positions_far_from_the_origin_have_the_same_targets_elsewhere() -> None:
    near = seen("33/22@0,0", "TLR", [(0, 1)]).targets()
    far = seen("33/22@1000,-500", "TLR", [(1000, -499)]).targets()
    moved = [parse(target.pile) for target in near]
    back = {pile.moved(pile.x + 1000, pile.y - 500).text for pile in moved}
    assert {target.pile for target in far} == back
    assert far == sorted(far, key=lambda target: (-target.points, target.pile))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"left": 1}, "left"),
        ({"right": 17}, "right"),
        ({"lids": True}, "lids"),
        ({"open": 5}, "open"),
        ({"open": -1}, "open"),
        ({"swap": "any"}, "swap"),
        ({"swap": ["place"]}, "swap"),
        ({"more_crates": 1}, "more_crates"),
        ({"duty": None}, "duty"),
        ({"wrong_knock": 11}, "wrong_knock"),
        ({"ending": "first"}, "ending"),
        ({"take_down": "yes"}, "take_down"),
        ({"box": [4, 4, 5]}, "box"),
        ({"box": "none"}, "box"),
        ({"left": 10**5000}, "left"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_rules_that_make_no_sense_name_the_field(changes: dict[str, object], field: str) -> None:
    with pytest.raises(RulesError) as refused:
        derive(LEAFLET, changes)
    assert [name for name, _ in refused.value.faults] == [field]


def test_named_rule_sets_differ_from_the_leaflet_as_their_names_say() -> None:
    assert {name: rules.name for name, (rules, _) in NAMED.items()} == {n: n for n in NAMED}
    closed = NAMED["closed"][0]
    assert (closed.lids, closed.open) == (16, 0)
    assert derive(LEAFLET, {"lids": 16, "open": 0})[1:] == closed[1:]
