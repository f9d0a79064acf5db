"""Rule sets of Cubus: the parameters in which editions and readings of the rules differ.

Sources: C, the German leaflet (Reinhold Wittig, 1987); V, reviews of other editions.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from cantstop_arena.errors import RulesError

PLAYERS = range(2, 7)
SWAPS = ("place", "free")
DUTIES = ("knock", "strict", "free")
ENDINGS = ("none", "last", "best")
MAX_TOPS = 16
MAX_CARDS = 16
MAX_SIDE_LENGTH = 4
CUBE = MAX_SIDE_LENGTH**3  # crates of the full cube
_MAX_QUOTE_LENGTH = 60

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

    def as_dict(self) -> dict[str, Any]:
        """All parameters, in the order and with the types of a recorded game."""
        return {**self._asdict(), "box": list(self.box)}


PARAMETERS = tuple(field for field in RuleSet._fields if field != "name")

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

SOURCES: Mapping[str, str] = {
    "C": "the German leaflet (Reinhold Wittig, 1987)",
    "V": "reviews of other editions",
}
NAMED: Mapping[str, tuple[RuleSet, str]] = {
    "leaflet": (LEAFLET, "C"),
    "reviews": (LEAFLET._replace(name="reviews", more_crates=True), "V"),
    "exchange": (LEAFLET._replace(name="exchange", swap="free"), "C, read more freely"),
    "closed": (LEAFLET._replace(name="closed", lids=16, open=0), "C without open cards"),
    "last": (LEAFLET._replace(name="last", ending="last"), "C, first other ending"),
    "best": (LEAFLET._replace(name="best", ending="best"), "C, second other ending"),
    "strict": (LEAFLET._replace(name="strict", duty="strict"), "C, without knocking"),
    "takedown": (LEAFLET._replace(name="takedown", take_down=True), "C, its take-down game"),
}


def derive(base: RuleSet, changes: Mapping[str, Any], name: str | None = None) -> RuleSet:
    """A rule set that differs from `base` in the given parameters.

    Raises RulesError with every unknown or invalid field.
    """
    values = {**base.as_dict(), **changes}
    if faults := find_faults(values):
        raise RulesError(faults)
    values["box"] = tuple(values["box"])
    values["name"] = name or _derived_name(base, changes)
    return RuleSet(**values)


def from_record(values: Mapping[str, Any]) -> RuleSet:
    """The rule set of a recorded game. The default name is `custom`."""
    return derive(LEAFLET, values, str(values.get("name", "custom")))


def _derived_name(base: RuleSet, changes: Mapping[str, Any]) -> str:
    changes_text = ", ".join(f"{key} {changes[key]}" for key in PARAMETERS if key in changes)
    return f"{base.name}, {changes_text}" if changes_text else base.name


def find_faults(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The faults in the parameters of a rule set, as pairs (field, message)."""
    unknown = [(str(key), "is no parameter of the rules") for key in values if key not in _CHECKS]
    wrong = [
        (field, message)
        for field, check in _CHECKS.items()
        if (message := check(values[field])) is not None
    ]
    return unknown + wrong or _too_many_tops(values)


def box_fault(value: object) -> str | None:
    """The fault in the size of a box, as text; None when the size is valid."""
    fits = isinstance(value, list | tuple) and len(value) == 3
    if fits and all(_integer_check(1, MAX_SIDE_LENGTH)(side) is None for side in value):  # type: ignore[attr-defined]
        return None
    return f"must be three whole numbers from 1 to {MAX_SIDE_LENGTH}, not {_quoted(value)}"


def _too_many_tops(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    tops = values["lids"] + values["open"]
    if tops <= MAX_TOPS:
        return []
    return [("open", f"lids and open together must be at most {MAX_TOPS}, not {tops}")]


def _quoted(value: object) -> str:
    try:
        return f"{value!r:.{_MAX_QUOTE_LENGTH}}"
    except ValueError:  # an integer with more digits than Python converts to text
        return f"such a {type(value).__name__}"


def _integer_check(low: int, high: int) -> "Check":
    def check(value: object) -> str | None:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            return f"must be a whole number from {low} to {high}, not {_quoted(value)}"
        return None

    return check


def _choice_check(choices: tuple[str, ...]) -> "Check":
    def check(value: object) -> str | None:
        is_choice = isinstance(value, str) and value in choices
        return None if is_choice else f"must be {' or '.join(choices)}, not {_quoted(value)}"

    return check


def _true_or_false(value: object) -> str | None:
    return None if isinstance(value, bool) else f"must be true or false, not {_quoted(value)}"


Check = Callable[[object], str | None]

_CHECKS: Mapping[str, Check] = {
    "name": lambda value: None,
    "left": _integer_check(2, MAX_CARDS),
    "right": _integer_check(2, MAX_CARDS),
    "lids": _integer_check(2, MAX_CARDS),
    "open": _integer_check(0, 12),
    "swap": _choice_check(SWAPS),
    "more_crates": _true_or_false,
    "duty": _choice_check(DUTIES),
    "wrong_knock": _integer_check(0, 10),
    "ending": _choice_check(ENDINGS),
    "take_down": _true_or_false,
    "box": box_fault,
}
