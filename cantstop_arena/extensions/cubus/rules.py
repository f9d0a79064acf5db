"""Rule sets of Cubus: the parameters in which editions and readings of the rules differ.

Sources: C, the German leaflet (Reinhold Wittig, 1987); V, reviews of other editions.
"""

from typing import NamedTuple

from cantstop_arena.game_api.rulebook import (
    Named,
    RuleBook,
    Values,
    choice_check,
    flag_check,
    integer_check,
    integers_check,
    quoted_value,
)

PLAYERS = range(2, 7)
SWAPS = ("place", "free")
DUTIES = ("knock", "strict", "free")
ENDINGS = ("none", "last", "best")
MAX_TOPS = 16
MAX_CARDS = 16
MAX_SIDE_LENGTH = 4
CUBE = MAX_SIDE_LENGTH**3  # crates of the full cube

Box = tuple[int, int, int]


class RuleSet(NamedTuple):
    """A rule set of Cubus. `box` is the size of the searched box: cells in x and y, height z."""

    name: str
    left: int
    right: int
    lids: int
    open: int
    swap: str
    more_crates: bool
    duty: str
    wrong_knock: int
    ending: str
    take_down: bool
    box: Box


LEAFLET = RuleSet(
    name="leaflet",
    left=16,
    right=16,
    lids=12,
    open=4,
    swap="place",
    more_crates=False,
    duty="knock",
    wrong_knock=2,
    ending="none",
    take_down=False,
    box=(4, 4, 4),
)


def box_fault(value: object) -> str | None:
    """The fault in the size of a box, as text; None when the size is valid."""
    if integers_check(3, 1, MAX_SIDE_LENGTH)(value, {}) is None:
        return None
    return f"must be three whole numbers from 1 to {MAX_SIDE_LENGTH}, not {quoted_value(value)}"


def _check_box(box: object, values: Values) -> str | None:
    return box_fault(box)


def _too_many_tops(rules: RuleSet) -> list[tuple[str, str]]:
    tops = rules.lids + rules.open
    if tops <= MAX_TOPS:
        return []
    return [("open", f"lids and open together must be at most {MAX_TOPS}, not {tops}")]


RULES = RuleBook(
    LEAFLET,
    (
        Named(LEAFLET, "C"),
        Named(LEAFLET._replace(name="reviews", more_crates=True), "V"),
        Named(LEAFLET._replace(name="exchange", swap="free"), "C, read more freely"),
        Named(LEAFLET._replace(name="closed", lids=16, open=0), "C without open cards"),
        Named(LEAFLET._replace(name="last", ending="last"), "C, first other ending"),
        Named(LEAFLET._replace(name="best", ending="best"), "C, second other ending"),
        Named(LEAFLET._replace(name="strict", duty="strict"), "C, without knocking"),
        Named(LEAFLET._replace(name="takedown", take_down=True), "C, its take-down game"),
    ),
    _too_many_tops,
    listed_parameters=("duty", "swap", "more_crates", "ending", "take_down"),
    sources={
        "C": "the German leaflet (Reinhold Wittig, 1987)",
        "V": "reviews of other editions",
    },
    checks={
        "left": integer_check(2, MAX_CARDS),
        "right": integer_check(2, MAX_CARDS),
        "lids": integer_check(2, MAX_CARDS),
        "open": integer_check(0, 12),
        "swap": choice_check(*SWAPS),
        "more_crates": flag_check,
        "duty": choice_check(*DUTIES),
        "wrong_knock": integer_check(0, 10),
        "ending": choice_check(*ENDINGS),
        "take_down": flag_check,
        "box": _check_box,
    },
)
NAMED = RULES.named
derive = RULES.derive
