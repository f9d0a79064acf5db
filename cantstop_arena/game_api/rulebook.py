"""The rule sets of a game: parameters, named rule sets, and the validation of others.

A game's rules are a frozen dataclass with a `name` and a field for each parameter:

    @dataclass(frozen=True)
    class Rules:
        name: str = "standard"
        prizes: int = whole(7, 1, 20)
        protest: bool = flag(True)
        order: str = choice("shuffled", "ascending")
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, replace
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from cantstop_arena.errors import RulesError
from cantstop_arena.game_api.bot_options import MAX_QUOTE_LENGTH

_CHECK = "check"  # the key of a field's metadata under which its check stands
Check = Callable[[Any], str | None]
"""Returns what is wrong with a value, as text; None when it is valid."""


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


# --- Parameters -----------------------------------------------------------------------------------


def whole(default: int, low: int, high: int) -> Any:
    """A parameter that is an integer from `low` to `high`."""

    def check(value: object) -> str | None:
        if type(value) is int and low <= value <= high:
            return None
        return f"must be a whole number from {low} to {high}, not {value!r:.{MAX_QUOTE_LENGTH}}"

    return field(default=default, metadata={_CHECK: check})


def flag(default: bool) -> Any:
    """A parameter that is true or false."""

    def check(value: object) -> str | None:
        if isinstance(value, bool):
            return None
        return f"must be true or false, not {value!r:.{MAX_QUOTE_LENGTH}}"

    return field(default=default, metadata={_CHECK: check})


def choice(default: str, *others: str) -> Any:
    """A parameter that is one of several words."""
    choices = (default, *others)

    def check(value: object) -> str | None:
        if value in choices:
            return None
        return f"must be {' or '.join(choices)}, not {value!r:.{MAX_QUOTE_LENGTH}}"

    return field(default=default, metadata={_CHECK: check})


def wholes(default: Sequence[int], low: int, high: int) -> Any:
    """A parameter that is a list of as many integers from `low` to `high`; stored as a tuple."""
    count = len(default)

    def check(value: object) -> str | None:
        if (
            isinstance(value, list | tuple)
            and len(value) == count
            and all(type(item) is int and low <= item <= high for item in value)
        ):
            return None
        must = f"must be a list of {count} whole numbers from {low} to {high}"
        return f"{must}, not {value!r:.{MAX_QUOTE_LENGTH}}"

    return field(default=tuple(default), metadata={_CHECK: check})


# --- The rule book --------------------------------------------------------------------------------


@dataclass(frozen=True)
class RuleBook(Generic[AnyRules]):
    """The rule sets of a game.

    `check` returns what is wrong with a combination of valid parameters, as (parameter, message)
    pairs. `named` has the rule sets by name, the default included.
    """

    default: AnyRules
    variants: Sequence[Named[AnyRules]] = ()
    check: Callable[[AnyRules], Sequence[tuple[str, str]]] = lambda rules: ()
    listed_parameters: Sequence[str] = ()  # parameters that differ between named rule sets
    sources: Mapping[str, str] = field(default_factory=dict)  # descriptions of sources

    @property
    def named(self) -> Mapping[str, Named[AnyRules]]:
        """The rule sets by name, the default first."""
        first = {self.default.name: Named(self.default)}
        return first | {variant.rules.name: variant for variant in self.variants}

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(parameter.name for parameter in self._fields if parameter.name != "name")

    def as_dict(self, rules: AnyRules) -> dict[str, Any]:
        """The name and every parameter, as values that JSON can represent."""
        values = asdict(rules)  # type: ignore[call-overload]
        return {
            key: list(value) if isinstance(value, tuple) else value for key, value in values.items()
        }

    def from_dict(self, values: Mapping[str, Any]) -> AnyRules:
        """The rule set with the values of `as_dict`. Raises RulesError."""
        missing = [(key, "is missing") for key in self.parameters if key not in values]
        if missing:
            raise RulesError(missing)
        changes = {key: value for key, value in values.items() if key != "name"}
        return self.derive(self.default, changes, str(values.get("name", "custom")))

    def derive(
        self, base: AnyRules, changes: Mapping[str, Any], name: str | None = None
    ) -> AnyRules:
        """A rule set that differs from `base` in some parameters.

        Raises RulesError naming every parameter that is unknown or invalid.
        """
        if faults := [*self._faults(changes)]:
            raise RulesError(faults)
        values = {key: _frozen(value) for key, value in changes.items()}
        named = name or self._derived_name(base, changes)
        derived: AnyRules = replace(base, **values, name=named)  # type: ignore[type-var]
        if problems := self.check(derived):
            raise RulesError(problems)
        return derived

    @property
    def _fields(self) -> Sequence[Field[Any]]:
        return fields(self.default)  # type: ignore[arg-type]

    def _faults(self, changes: Mapping[str, Any]) -> list[tuple[str, str]]:
        checks = {parameter.name: _check_of(parameter) for parameter in self._fields}
        unknown = [
            (key, "is no parameter of the rules") for key in changes if key not in self.parameters
        ]
        wrong = [
            (key, message)
            for key, value in changes.items()
            if key in self.parameters and (message := checks[key](value)) is not None
        ]
        return unknown + wrong

    def _derived_name(self, base: AnyRules, changes: Mapping[str, Any]) -> str:
        changed = ", ".join(f"{key} {changes[key]}" for key in self.parameters if key in changes)
        return f"{base.name}, {changed}" if changed else base.name


def _frozen(value: object) -> object:
    """An immutable copy of a value: lists become tuples."""
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _check_of(parameter: Field[Any]) -> Check:
    """The declared check of a parameter, or a check for the type of its default."""
    if declared := parameter.metadata.get(_CHECK):
        check: Check = declared
        return check
    kind = type(parameter.default) if parameter.default is not MISSING else object

    def same_kind(value: object) -> str | None:
        if type(value) is kind or kind is object:
            return None
        return f"must be like {parameter.default!r}, not {value!r:.{MAX_QUOTE_LENGTH}}"

    return same_kind
