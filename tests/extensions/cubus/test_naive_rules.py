"""The naive reading of the rules of Cubus, rule by rule, on the smallest piles that show them."""

from collections.abc import Sequence
from itertools import combinations_with_replacement

import pytest
from helpers.cubus.naive.builds import DEFAULTS, Build, Position, after, check
from helpers.cubus.naive.piles import (
    START,
    Cell,
    Refusal,
    cards,
    check_pile,
    crates,
    is_pile,
    picture,
    read,
    slide,
    surplus,
    write,
)
from helpers.cubus.naive.shapes import Limits, shapes
from helpers.cubus.naive.takes import check_take, freed_and_takes
from helpers.cubus.naive.targets import bound, nearby, places, targets

CUBE_OF_TWO = Limits(4, 4, 4, (2, 2, 2))
CUBE_OF_THREE = Limits(9, 9, 9, (3, 3, 3))


def at(pile: str, *open_cells: Cell, hand: str = "", **changes: object) -> Position:
    """A position under the leaflet's rules, with some parameters changed."""
    return Position(read(pile), frozenset(open_cells), hand, DEFAULTS | changes)


def broken(position: Position, pile: str, *open_cells: Cell) -> int | None:
    """The rule that refuses a build, None if it is legal."""
    try:
        check(position, Build(pile, open_cells))
    except Refusal as refusal:
        return refusal.rule
    return None


# --- Texts, piles and pictures --------------------------------------------------------------------


@pytest.mark.parametrize("text", [START, "02/22@0,0", "22/20@-3,14", "z1@0,-9", "a@10,0"])
def test_a_pile_text_is_read_and_written_again(text: str) -> None:
    """Pile text: heights to z, cells before and behind zero."""
    assert write(read(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "@0,0", "0@0,0", "1@0", "1@0,0,0", "1@ 0,0", "1@0,0\n", "1@+0,0", "1@-0,0"),
        *("1@00,0", "1@0.0,0", "A@0,0", "1 1@0,0", "11/1@0,0", "1/@0,0", "/1@0,0", "01@0,0"),
        *("10@0,0", "0/1@0,0", "1/0@0,0", "00/00@0,0", "01/01@0,0", "\u0661@0,0"),
    ],
)
def test_what_is_no_pile_text_breaks_r3(text: str) -> None:
    """Pile text: rows of one length, none at an edge empty, one way to write a number."""
    with pytest.raises(Refusal, match="breaks R3"):
        read(text)


@pytest.mark.parametrize(
    ("text", "rule"),
    [("10/01@0,0", 4), ("101@0,0", 4), ("110/011@0,0", 5), ("111/101@0,0", 5), ("1/2@0,0", 6)],
)
def test_the_first_rule_that_a_pile_breaks_is_named(text: str, rule: int) -> None:
    """R4, R5 and R6."""
    with pytest.raises(Refusal) as refusal:
        check_pile(read(text))
    assert refusal.value.rule == rule
    assert not is_pile(read(text))


def rows_of(length: int, highest: int) -> list[str]:
    """All rows of characters for heights 0 to `highest`, rising or not."""
    if not length:
        return [""]
    return [f"{h}{row}" for h in range(highest + 1) for row in rows_of(length - 1, highest)]


def test_the_piles_of_a_small_box_are_those_that_keep_r3_to_r6() -> None:
    """R4 to R6 row by row say the same: of all heights in 2x2 cells, those listed by shape."""
    texts = [
        f"{row[:x]}{'/' if len(row) > x else ''}{row[x:]}@0,0"
        for x, y in ((1, 1), (2, 1), (1, 2), (2, 2))
        for row in rows_of(x * y, 2)
    ]
    listed = {f"{text}@0,0" for found in shapes(CUBE_OF_TWO).values() for text in found}
    assert {text for text in texts if keeps_rules(text)} == listed


def keeps_rules(text: str) -> bool:
    """Whether a text is that of a pile."""
    try:
        return is_pile(read(text))
    except Refusal:
        return False


def test_the_counts_of_a_picture_are_sums_of_heights() -> None:
    """R7, R8 and C2 for all 2,464 piles of a cube of three."""
    for counts, texts in shapes(CUBE_OF_THREE).items():
        for pile in (read(f"{text}@0,0") for text in texts):
            seen = cards(pile)
            assert (seen["T"], seen["L"], seen["R"], crates(pile)) == counts
            assert crates(pile) ** 2 <= seen["T"] * seen["L"] * seen["R"]


def test_sliding_moves_no_card() -> None:
    """The floor is always z = 0: the old picture stays, a layer comes under it."""
    old, new = picture(read("21@0,0")), picture(slide(read("21@0,0"), 1))
    assert new["T"] == old["T"]
    assert set(old["L"]) < set(new["L"]) and set(old["R"]) < set(new["R"])
    assert write(slide(read("21@0,0"), 3)) == "54@3,3"


def test_the_full_cube_has_all_cards() -> None:
    """C1: 64 crates and 48 cards, F = 144; the start has none."""
    cube = read("4444/4444/4444/4444@0,0")
    assert (crates(cube), cards(cube).total(), surplus(cube)) == (64, 48, 144)
    assert surplus(read(START)) == 0


# --- Builds ---------------------------------------------------------------------------------------


def test_two_cards_build_only_with_two_of_different_types() -> None:
    """Facts and C3: one build each for TL, TR and LR, with O as T, none for others or for one."""
    builders = {"TL": 1, "TR": 1, "OL": 1, "OR": 1, "LR": 1}
    hands = ["".join(hand) for n in (1, 2) for hand in combinations_with_replacement("TOLR", n)]
    for hand in hands:
        assert len(targets(at(START, hand=hand), None)) == builders.get(hand, 0), hand


def test_the_first_open_card_may_lie_anywhere_the_second_not() -> None:
    """R14: once one lies, no place that had a lid before; under `free` any."""
    assert broken(at("11@0,0", hand="OL"), "21@0,0", (0, 0)) == 13
    assert broken(at("11@0,0", hand="OLR"), "21@0,0", (0, 0)) is None
    lying = at("11@0,0", (0, 0), hand="OTLRR")
    assert broken(lying, "11/11@0,0", (0, 0), (1, 0)) == 14
    assert broken(lying, "11/11@0,0", (0, 0), (1, 1)) is None
    free = at("11@0,0", (0, 0), hand="OTLRR", swap="free")
    assert broken(free, "11/11@0,0", (0, 0), (1, 0)) is None


def test_places_are_those_without_a_top_before() -> None:
    """`places`: R12 and R14, cells ascending; `least` counts the lids that are missing."""
    lying = at("11@0,0", (0, 0), hand="OOL")
    square = read("11/11@0,0")
    assert places(lying, square) == [(0, 1), (1, 1)]
    assert ("11/11@0,0", 3, 2, 2) in targets(lying, (2, 2, 1))


def test_an_open_card_keeps_its_place_at_another_depth() -> None:
    """R12: what is drawn at the same place may lie further back."""
    lying = at(START, (0, 0), hand="LR")
    assert [target[0] for target in targets(lying, None)] == ["2@1,1"]
    assert after(lying, Build("2@1,1", ((1, 1),))).hand == ""


def test_without_open_cards_a_build_is_moved_to_the_origin() -> None:
    """R10: the build with the first open card as well."""
    laid = after(at(START, hand="OR"), Build("11@7,-2", ((8, -2),)))
    assert (write(laid.pile), sorted(laid.open)) == ("11@0,0", [(1, 0)])


def test_nearby_finds_what_changes_one_cell_or_slides_a_layer() -> None:
    """nearby (a) a cell raised or added, (b) a layer, (c) a layer and then a cell."""
    found = {target[0] for target in nearby(at(START, hand="TTLLLRRR"))}
    assert found == {
        "2@0,0",
        "11@0,0",
        "1/1@0,0",
        "3@0,0",
        "22@0,0",
        "21@0,0",
        "2/2@0,0",
        "2/1@0,0",
    }


def test_bound_is_the_most_any_pile_of_the_cards_brings() -> None:
    """`bound`: with all cards known as many points as the best target, never below 0."""
    for hand in ("", "L", "TL", "TLR", "TTLLRR", "TTTLLLRRR"):
        position = at(START, hand=hand)
        found = targets(position, None)
        assert bound(position) == (found[0][1] if found else 0)
    assert bound(at("1111@0,0")) == 0


def test_bound_knows_neither_places_nor_more_crates() -> None:
    """`bound`: open places ignored, R15 ignored."""
    assert bound(at("1111@0,0", hand="L", more_crates=True)) == 1
    assert bound(at("02/22@0,0", (0, 1), (1, 0), (1, 1), hand="T")) == 5


def test_piles_with_their_back_corner_have_as_many_crates_as_any() -> None:
    """`bound`: for any counts up to six, cutting off the back corner does not help."""
    found = shapes(Limits(6, 6, 6, (6, 6, 6)))
    for counts, texts in found.items():
        better = [other for other in found if other[:3] <= counts[:3] and fits(other, counts)]
        most = max(3 * other.crates - sum(other[:3]) for other in better if corners(found[other]))
        assert 3 * counts.crates - sum(counts[:3]) <= most, texts


def fits(counts: Sequence[int], room: Sequence[int]) -> bool:
    """Whether the cards of one are among those of the other."""
    return all(a <= b for a, b in zip(counts[:3], room[:3], strict=True))


def corners(texts: list[str]) -> list[str]:
    """The piles that have their back corner."""
    return [text for text in texts if text[0] != "0"]


# --- Taking down ----------------------------------------------------------------------------------


def refused_take(position: Position, pile: str, *open_cells: Cell) -> int | None:
    """The rule that refuses a take, None if it may be made."""
    try:
        check_take(position, Build(pile, open_cells))
    except Refusal as refusal:
        return refusal.rule
    return None


def test_an_open_card_is_freed_only_where_none_can_be_kept() -> None:
    """R24: of two in a row of two one is freed, laid again or won; one in a tower is kept."""
    both = at("11@0,0", (0, 0), (1, 0))
    assert freed_and_takes(both, (2, 2, 2))[0] == 1
    assert refused_take(both, "1@0,0", (0, 0)) is None
    assert refused_take(both, "1@0,0") == 23
    tower = at("2@0,0", (0, 0))
    assert refused_take(tower, "1@0,0", (0, 0)) == 24
    assert refused_take(tower, "1@-1,-1", (-1, -1)) is None


def test_freed_cards_may_be_laid_again_on_any_top() -> None:
    """R24: one of four is freed; it lies elsewhere, or is won where a lid does in its stead."""
    four = at("21/11@0,0", (0, 0), (0, 1), (1, 0), (1, 1))
    assert freed_and_takes(four, (4, 4, 4))[0] == 1
    assert refused_take(four, "11/11@0,0", (0, 0), (0, 1), (1, 0), (1, 1)) is None
    assert refused_take(four, "11/11@0,0", (0, 1), (1, 0), (1, 1)) == 23


def test_where_a_box_holds_no_move_all_open_cards_are_free() -> None:
    """R24: if no move exists for any k, k is all of them."""
    lying = at("222@0,0", (0, 0), (2, 0), box=[1, 1, 1])
    assert freed_and_takes(lying, (1, 1, 1)) == (2, [])
    assert refused_take(lying, "221@0,0") == 23
    assert refused_take(lying, "221@0,0", (1, 0), (2, 0)) is None
    assert refused_take(at("222@0,0", (0, 0), (2, 0)), "221@0,0", (1, 0), (2, 0)) == 24


def test_a_take_is_one_crate_less_of_the_cards_that_lie_there() -> None:
    """R23: neither more crates taken nor cards that are not on the table."""
    lying = at("22@0,0")
    assert refused_take(lying, "11@0,0") == 23
    assert refused_take(lying, "3@0,0") == 23
    assert refused_take(at("22/22@0,0"), "22/21@0,0") is None
    assert refused_take(lying, "12@0,0") == 6
    assert refused_take(lying, "21@0,0", (2, 0)) == 11
    assert refused_take(lying, "21@0,0") is None
