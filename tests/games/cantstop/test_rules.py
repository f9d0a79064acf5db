"""Rule sets: the published ones, what differs from them, and what is refused."""

from typing import Any

import pytest
from helpers.naive import check_rules

from cantstop_arena.errors import RulesError, UsageError
from cantstop_arena.games.cantstop.rules import (
    CLASSIC,
    NAMED,
    PARAMETERS,
    RULES,
    RuleSet,
    derive,
    standard_lengths,
)

MOUNTAIN = (3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3)


def faults_of(**changes: Any) -> dict[str, str]:
    """The fields that are refused in a rule set with these changes, with the messages."""
    with pytest.raises(RulesError) as refused:
        derive(CLASSIC, changes)
    return dict(refused.value.faults)


def test_classic_is_the_game_of_the_boxes() -> None:
    """Board, Landing, End: what F, P and S have in common."""
    assert RULES.as_dict(CLASSIC) == {
        "name": "classic",
        "sides": 6,
        "column_lengths": list(MOUNTAIN),
        "runners": 3,
        "columns_to_win": 3,
        "landing": "share",
        "stop": "any-time",
        "turn_limit": 1000,
    }


@pytest.mark.parametrize(
    ("name", "differs"),
    [
        ("classic", {}),
        ("korean", {"stop": "after-all-runners"}),
        ("jump", {"landing": "jump"}),
        ("leave", {"landing": "leave"}),
        ("long4", {"columns_to_win": 4}),
        ("long5", {"columns_to_win": 5}),
    ],
)
def test_a_named_rule_set_differs_from_classic_as_published(
    name: str, differs: dict[str, Any]
) -> None:
    """Named rule sets: everything but the named parameter is as in classic."""
    assert RULES.as_dict(NAMED[name][0]) == RULES.as_dict(CLASSIC) | {"name": name} | differs


def test_six_rule_sets_are_named_each_by_its_own_name() -> None:
    """Named rule sets: the table of the rules, and each key is the rule set's name."""
    assert list(NAMED) == ["classic", "korean", "jump", "leave", "long4", "long5"]
    assert all(name == rules.name for name, (rules, _) in NAMED.items())


@pytest.mark.parametrize("name", NAMED)
def test_a_named_rule_set_passes_the_referee(name: str) -> None:
    """A recorded game: the header's rules are all there and of the right types."""
    check_rules(RULES.as_dict(NAMED[name][0]))


@pytest.mark.parametrize(
    ("sides", "lengths"),
    [
        (2, (3, 5, 3)),
        (3, (3, 5, 7, 5, 3)),
        (6, MOUNTAIN),
        (8, (3, 5, 7, 9, 11, 13, 15, 17, 15, 13, 11, 9, 7, 5, 3)),
    ],
)
def test_the_standard_board_is_a_mountain(sides: int, lengths: tuple[int, ...]) -> None:
    """Board: two spaces more from column to column up to the middle, then down again."""
    assert standard_lengths(sides) == lengths


def test_columns_and_lengths_go_by_column_number() -> None:
    """`rules.lengths[7]` is the length of column 7, and 2 to 2n are the columns."""
    assert CLASSIC.lengths[7] == 13
    assert [CLASSIC.lengths[column] for column in CLASSIC.columns] == list(MOUNTAIN)
    assert derive(CLASSIC, {"sides": 2}).columns == range(2, 5)


def test_every_parameter_combines_with_every_other() -> None:
    """Named rule sets: korean with jump and five columns is a rule set."""
    rules = derive(NAMED["korean"][0], {"landing": "jump", "columns_to_win": 5})
    assert (rules.stop, rules.landing, rules.columns_to_win) == ("after-all-runners", "jump", 5)
    assert rules.column_lengths == MOUNTAIN


def test_a_derived_rule_set_says_what_it_is() -> None:
    """Two different rule sets do not share a name by accident; a given name is kept."""
    assert derive(CLASSIC, {}).name == "classic"
    assert derive(CLASSIC, {"landing": "jump", "sides": 4}).name == "classic, sides 4, landing jump"
    assert derive(CLASSIC, {"landing": "jump"}, name="mine").name == "mine"


def test_deriving_leaves_the_base_as_it_was() -> None:
    """A rule set is a value."""
    derive(CLASSIC, {"column_lengths": [1] * 11})
    assert CLASSIC.column_lengths == MOUNTAIN
    with pytest.raises(AttributeError):
        CLASSIC.runners = 4  # type: ignore[misc]


def test_other_dice_bring_their_own_board() -> None:
    """The mountain of the new dice, unless lengths are given."""
    assert derive(CLASSIC, {"sides": 4}).column_lengths == standard_lengths(4)
    given = derive(CLASSIC, {"sides": 3, "column_lengths": [4, 1, 1, 1, 9]})
    assert given.column_lengths == (4, 1, 1, 1, 9)
    assert isinstance(given.column_lengths, tuple)


def test_the_same_dice_keep_a_board_of_ones_own() -> None:
    """Naming the sides again does not put the standard board back."""
    own = derive(CLASSIC, {"column_lengths": [2] * 11})
    assert derive(own, {"sides": 6, "runners": 2}).column_lengths == (2,) * 11


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sides", 1),
        ("sides", 9),
        ("sides", 6.0),
        ("sides", True),
        ("sides", "6"),
        ("sides", None),
        ("column_lengths", 5),
        ("column_lengths", "35797531"),
        ("column_lengths", []),
        ("column_lengths", [3] * 10),
        ("column_lengths", [3] * 12),
        ("column_lengths", [3] * 10 + [0]),
        ("column_lengths", [3] * 10 + [-1]),
        ("column_lengths", [3] * 10 + [101]),
        ("column_lengths", [3] * 10 + [2.5]),
        ("column_lengths", [3] * 10 + [True]),
        ("runners", 0),
        ("runners", 12),
        ("runners", 2.5),
        ("runners", True),
        ("columns_to_win", 0),
        ("columns_to_win", 12),
        ("columns_to_win", "3"),
        ("landing", "Jump"),
        ("landing", ""),
        ("landing", None),
        ("landing", ["jump"]),
        ("stop", "anytime"),
        ("stop", False),
        ("turn_limit", 0),
        ("turn_limit", -1),
        ("turn_limit", 1_000_001),
        ("turn_limit", 1e3),
    ],
)
def test_nonsense_is_refused_by_the_name_of_its_field(field: str, value: object) -> None:
    """Named rule sets: only the field that is wrong is blamed, and its value is told."""
    faults = faults_of(**{field: value})
    assert list(faults) == [field]
    assert field in str(RulesError(list(faults.items())))


@pytest.mark.parametrize(
    ("field", "low", "high"),
    [("sides", 2, 8), ("runners", 1, 11), ("columns_to_win", 1, 11), ("turn_limit", 1, 1_000_000)],
)
def test_the_extremes_of_a_parameter_are_allowed(field: str, low: int, high: int) -> None:
    """One more or one less is nonsense; these are not."""
    assert all(getattr(derive(CLASSIC, {field: value}), field) == value for value in (low, high))


def test_lengths_from_1_to_100_are_allowed() -> None:
    """A column may be as short as one space."""
    assert derive(CLASSIC, {"column_lengths": [1] * 10 + [100]}).column_lengths[-1] == 100


def test_a_small_board_bounds_runners_and_columns_to_win() -> None:
    """Named rule sets: seven runners on three columns, more columns to win than there are."""
    faults = faults_of(sides=2, runners=7, columns_to_win=4)
    assert set(faults) == {"runners", "columns_to_win"}
    assert all("1 to 3" in message for message in faults.values())


def test_all_faults_are_told_at_once() -> None:
    """Every problem in one go, unknown parameters among them."""
    faults = faults_of(sides=0, landing="fly", stop="never", turn_limit=0, runner=3)
    assert set(faults) == {"sides", "landing", "stop", "turn_limit", "runner"}


def test_the_column_that_is_too_short_is_named() -> None:
    """The eleventh length is that of column 12."""
    assert "column 12" in faults_of(column_lengths=[3] * 10 + [0])["column_lengths"]


def test_refused_rules_are_a_usage_error() -> None:
    """The program then exits with code 2."""
    assert issubclass(RulesError, UsageError)
    assert RulesError.exit_code == 2


def test_a_parameter_is_what_a_rule_set_holds_besides_its_name() -> None:
    """What a tournament file may write inline."""
    assert ("name", *PARAMETERS) == RuleSet._fields
    assert RULES.from_dict(RULES.as_dict(CLASSIC)) == CLASSIC
