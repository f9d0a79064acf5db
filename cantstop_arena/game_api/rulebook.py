"""The rule sets of a game: parameters, named rule sets, and the validation of others.

A game's rules are a frozen dataclass with a `name` and a field for each parameter:

    @dataclass(frozen=True)
    class Rules:
        name: str = "standard"
        prizes: int = whole(7, 1, 20)
        protest: bool = flag(True)
        order: str = choice("shuffled", "ascending")

They may as well be a NamedTuple; `RuleBook.checks` then has the check of each parameter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, replace
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from cantstop_arena.errors import RulesError
from cantstop_arena.game_api.bot_options import MAX_QUOTE_LENGTH

Values = Mapping[str, Any]
"""Values of parameters, by name."""
Check = Callable[[Any, Values], str | None]
"""Returns what is wrong with a value, as text; None when it is valid. It also gets the values of
all parameters, not yet checked, as one may depend on another."""

_CHECK = "check"  # the key of a field's metadata under which its check stands


class Rules(Protocol):
    """A rule set of some game: it has a name, is compared by value, and is immutable."""

    @property
    def name(self) -> str:
        """The name of the rule set."""
        ...


AnyRules = TypeVar("AnyRules", bound=Rules)


class Named(NamedTuple, Generic[AnyRules]):
    """A named rule set, and its source."""

    rules: AnyRules
    source: str = ""


# --- Checks of one parameter ----------------------------------------------------------------------


def integer_check(low: int, high: int) -> Check:
    """The value is an integer from `low` to `high`."""

    def check(value: object, values: Values) -> str | None:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return None
        return f"must be a whole number from {low} to {high}, not {quoted_value(value)}"

    return check


def flag_check(value: object, values: Values) -> str | None:
    """The value is true or false."""
    return None if isinstance(value, bool) else f"must be true or false, not {quoted_value(value)}"


def choice_check(*choices: str) -> Check:
    """The value is one of several words."""

    def check(value: object, values: Values) -> str | None:
        if isinstance(value, str) and value in choices:
            return None
        return f"must be {' or '.join(choices)}, not {quoted_value(value)}"

    return check


def integers_check(count: int, low: int, high: int) -> Check:
    """The value is a list of so many integers from `low` to `high`."""
    item_check = integer_check(low, high)

    def check(value: object, values: Values) -> str | None:
        is_list = isinstance(value, list | tuple) and len(value) == count
        if is_list and not any(item_check(item, values) for item in value):  # type: ignore[attr-defined]
            return None
        must = f"must be a list of {count} whole numbers from {low} to {high}"
        return f"{must}, not {quoted_value(value)}"

    return check


def quoted_value(value: object) -> str:
    """A value for a message, shortened if its text is long."""
    try:
        return f"{value!r:.{MAX_QUOTE_LENGTH}}"
    except ValueError:  # an integer with more digits than Python converts to text
        return f"such a {type(value).__name__}"


# --- Parameters as the fields of a dataclass ------------------------------------------------------


def whole(default: int, low: int, high: int) -> Any:
    """A parameter that is an integer from `low` to `high`."""
    return _parameter(default, integer_check(low, high))


def flag(default: bool) -> Any:
    """A parameter that is true or false."""
    return _parameter(default, flag_check)


def choice(default: str, *others: str) -> Any:
    """A parameter that is one of several words."""
    return _parameter(default, choice_check(default, *others))


def wholes(default: Sequence[int], low: int, high: int) -> Any:
    """A parameter that is a list of as many integers from `low` to `high`; stored as a tuple."""
    return _parameter(tuple(default), integers_check(len(default), low, high))


def _parameter(default: object, check: Check) -> Any:
    return field(default=default, metadata={_CHECK: check})


# --- The rule book --------------------------------------------------------------------------------


def _nothing_more(base: Any, changes: Values) -> Values:
    """No further changes."""
    return {}


@dataclass(frozen=True)
class RuleBook(Generic[AnyRules]):
    """The rule sets of a game.

    `variants` are named rule sets, the default among them if it has a source. `checks` has checks
    by parameter, for parameters whose fields have none; all of them are applied whatever changes.
    `complete` returns what else changes with some changes of a rule set. `check` returns what is
    wrong with a combination of valid parameters, as (parameter, message) pairs.
    """

    default: AnyRules
    variants: Sequence[Named[AnyRules]] = ()
    check: Callable[[AnyRules], Sequence[tuple[str, str]]] = lambda rules: ()
    listed_parameters: Sequence[str] = ()  # parameters that differ between named rule sets
    sources: Mapping[str, str] = field(default_factory=dict)  # descriptions of sources
    checks: Mapping[str, Check] = field(default_factory=dict)
    complete: Callable[[AnyRules, Values], Values] = _nothing_more

    @property
    def named(self) -> Mapping[str, Named[AnyRules]]:
        """The rule sets by name, the default first."""
        first = {self.default.name: Named(self.default)}
        return first | {variant.rules.name: variant for variant in self.variants}

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(key for key in _values_of(self.default) if key != "name")

    def as_dict(self, rules: AnyRules) -> dict[str, Any]:
        """The name and every parameter, as values that JSON can represent. Raises TypeError."""
        if type(rules) is not type(self.default):
            expected = type(self.default).__name__
            raise TypeError(f"expected a {expected} as a rule set, not a {type(rules).__name__}")
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in _values_of(rules).items()
        }

    def from_dict(self, values: Values) -> AnyRules:
        """The rule set with the values of `as_dict`. Raises RulesError."""
        missing = [(key, "is missing") for key in self.parameters if key not in values]
        if missing:
            raise RulesError(missing)
        changes = {key: value for key, value in values.items() if key != "name"}
        return self.derive(self.default, changes, str(values.get("name", "custom")))

    def derive(self, base: AnyRules, changes: Values, name: str | None = None) -> AnyRules:
        """A rule set that differs from `base` in some parameters.

        Raises RulesError naming every parameter that is unknown or invalid.
        """
        all_changes = {**changes, **self.complete(base, changes)}
        if faults := self._faults({**_values_of(base), **all_changes}, changes):
            raise RulesError(faults)
        new_values = {key: _frozen(value) for key, value in all_changes.items()}
        derived: AnyRules = _changed(
            base, {**new_values, "name": name or self._derived_name(base, changes)}
        )
        if problems := self.check(derived):
            raise RulesError(problems)
        return derived

    def _faults(self, values: Values, changes: Values) -> list[tuple[str, str]]:
        parameters = self.parameters
        unknown = [
            (str(key), "is no parameter of the rules") for key in changes if key not in parameters
        ]
        by_field = [key for key in changes if key in parameters and key not in self.checks]
        checks = {**self.checks, **{key: self._field_check(key) for key in by_field}}
        wrong = [
            (key, message)
            for key, check in checks.items()
            if (message := check(values[key], values)) is not None
        ]
        return unknown + wrong

    def _field_check(self, parameter: str) -> Check:
        """The check that the field of a parameter declares, or one for the type of its default."""
        declared = _fields_of(self.default).get(parameter)
        if declared is None or declared.default is MISSING:
            return _no_check
        check: Check = declared.metadata.get(_CHECK) or _kind_check(declared.default)
        return check

    def _derived_name(self, base: AnyRules, changes: Values) -> str:
        changed = ", ".join(f"{key} {changes[key]}" for key in self.parameters if key in changes)
        return f"{base.name}, {changed}" if changed else base.name


def is_named_tuple(rules: Any) -> bool:
    """Whether a rule set is a NamedTuple; else it is a dataclass."""
    return isinstance(rules, tuple) and hasattr(rules, "_replace")


def _fields_of(rules: Any) -> Mapping[str, Field[Any]]:
    """The fields of a rule set that is a dataclass, by name; none of a NamedTuple."""
    return {} if is_named_tuple(rules) else {field.name: field for field in fields(rules)}


def _values_of(rules: Any) -> dict[str, Any]:
    """The name and every parameter of a rule set."""
    values: dict[str, Any] = rules._asdict() if is_named_tuple(rules) else asdict(rules)
    return values


def _changed(rules: Any, values: Values) -> Any:
    """The rule set with other values."""
    return rules._replace(**values) if is_named_tuple(rules) else replace(rules, **values)


def _frozen(value: object) -> object:
    """An immutable copy of a value: lists become tuples."""
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _no_check(value: object, values: Values) -> None:
    """Any value is valid."""


def _kind_check(default: object) -> Check:
    """The value has the type of the default; a list will do for a tuple."""

    def check(value: object, values: Values) -> str | None:
        if type(_frozen(value)) is type(default):
            return None
        return f"must be like {default!r}, not {quoted_value(value)}"

    return check
