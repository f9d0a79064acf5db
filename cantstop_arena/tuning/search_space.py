"""Search spaces of tuning, as written on the command line: option=LOW..HIGH or option=a,b,c."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.bot_options import Option, Search, did_you_mean
from cantstop_arena.tuning.cma_search import Numbers
from cantstop_arena.tuning.halving import MAX_NUMBERS, Range

FORM = (
    "a number is tuned as option=LOW..HIGH, like threshold=20..40, a choice as option=one,another,"
    " a list of numbers by its name"
)
_MAX_BOUND = 1e9
Point = Numbers | Sequence[float]


class Ranges(msgspec.Struct, frozen=True):
    """A search space of options that are numbers or choices, with their ranges."""

    names: tuple[str, ...]
    ranges: tuple[Range, ...]
    values: tuple[tuple[Any, ...], ...]
    """The choices of each option; empty for a number."""
    defaults: tuple[Any, ...]

    def options(self, point: Point) -> dict[str, Any]:
        """The options of a point: clipped to the ranges, rounded to integers where required."""
        return {
            name: _value(min(max(float(number), domain.low), domain.high), domain, values)
            for name, domain, values, number in zip(
                self.names, self.ranges, self.values, point, strict=True
            )
        }

    @property
    def start(self) -> Sequence[float]:
        """The start of a search: defaults that are numbers within the range, else its middle."""
        pairs = zip(self.defaults, self.ranges, strict=True)
        return [_start_value(default, domain) for default, domain in pairs]

    @property
    def steps(self) -> Sequence[float]:
        """The step sizes of a search: a quarter of each range."""
        return [(domain.high - domain.low) / 4 for domain in self.ranges]


class NumberList(msgspec.Struct, frozen=True):
    """A search space of one option that is a list of numbers."""

    name: str
    start: tuple[float, ...]
    steps: tuple[float, ...]

    @property
    def names(self) -> Sequence[str]:
        """The name of the option."""
        return (self.name,)

    def options(self, point: Point) -> dict[str, Any]:
        """The option with the numbers of a point."""
        return {self.name: [float(number) for number in point]}


def _start_value(default: Any, domain: Range) -> float:
    if isinstance(default, int | float) and domain.low <= default <= domain.high:
        return float(default)
    return (domain.low + domain.high) / 2


def _value(number: float, domain: Range, values: Sequence[Any]) -> Any:
    if domain.is_choice:
        return values[round(number)]
    return round(number) if domain.is_integer else round(number, 4)


def search_space_of(texts: Sequence[str], bot: BotDescription) -> Ranges | NumberList:
    """Parse a search space for the options of a bot.

    Raises UsageError for unknown options, and for those that cannot be tuned.
    """
    if not texts:
        raise UsageError(f"what is to be tuned? {FORM}")
    text_by_name = {}
    for text in texts:
        name, _, setting = text.partition("=")
        if name in text_by_name:
            raise UsageError(f"option {name} is given twice")
        text_by_name[_checked_option(name, bot)] = setting
    lists = [name for name in text_by_name if _is_list(bot.options[name])]
    if lists:
        return _number_list(lists[0], text_by_name, bot)
    return _ranges(text_by_name, bot)


def _checked_option(name: str, bot: BotDescription) -> str:
    if name not in bot.options:
        hint = did_you_mean(name, bot.options)
        names = ", ".join(bot.options) or "none"
        raise UsageError(f"{bot.name} has no option {name!r:.60}{hint}; options: {names}")
    return name


def _is_list(option: Option) -> bool:
    numbers = option.default
    is_list = isinstance(numbers, list | tuple) and len(numbers) > 0
    return is_list and all(type(number) in (int, float) for number in numbers)


def _number_list(name: str, text_by_name: Mapping[str, str], bot: BotDescription) -> NumberList:
    if len(text_by_name) > 1 or text_by_name[name]:
        raise UsageError(f"option {name} is a list of numbers, and tuned alone: {bot.name} {name}")
    option = bot.options[name]
    count = len(option.default)
    search = option.search or Search(
        option.default, tuple(max(1, abs(n) / 4) for n in option.default)
    )
    if not len(search.start) == len(search.steps) == count:
        raise UsageError(
            f"option {name}: start and steps of its annotation must be {count} numbers"
        )
    return NumberList(name, tuple(map(float, search.start)), search.steps)


def _ranges(text_by_name: Mapping[str, str], bot: BotDescription) -> Ranges:
    pairs = [_domain_and_values(bot.options[name], text) for name, text in text_by_name.items()]
    ranges, values = tuple(domain for domain, _ in pairs), tuple(values for _, values in pairs)
    if len(text_by_name) > MAX_NUMBERS and any(domain.is_choice for domain in ranges):
        raise UsageError(f"choices are tuned with at most {MAX_NUMBERS} options at once")
    return Ranges(
        tuple(text_by_name),
        ranges,
        values,
        tuple(bot.options[name].default for name in text_by_name),
    )


def _domain_and_values(option: Option, text: str) -> tuple[Range, tuple[Any, ...]]:
    choices = (False, True) if isinstance(option.default, bool) else option.choices
    if choices:
        values = _chosen_values(option.name, choices, text)
        return Range(0, len(values) - 1, True, is_choice=True), values
    if option.default is not None and type(option.default) not in (int, float):
        raise UsageError(f"option {option.name} is neither a number nor a choice; {FORM}")
    low, dots, high = text.partition("..")
    if not dots:
        raise UsageError(f"option {option.name} needs a range: {FORM}")
    return _number_range(option, low, high), ()


def _chosen_values(name: str, choices: Sequence[Any], text: str) -> tuple[Any, ...]:
    """The choices named in a text like "a,b"; all of them for an empty text."""
    value_by_label = {_label(value): value for value in choices}
    labels = list(dict.fromkeys(text.split(","))) if text else [*value_by_label]
    for label in labels:
        if label not in value_by_label:
            listing, hint = ", ".join(value_by_label), did_you_mean(label, value_by_label)
            raise UsageError(f"option {name} is one of {listing}, not {label!r:.60}{hint}")
    if len(labels) < 2:
        raise UsageError(f"option {name}: there is nothing to choose between; {FORM}")
    return tuple(value_by_label[label] for label in labels)


def _label(value: Any) -> str:
    """A choice as users write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number_range(option: Option, low: str, high: str) -> Range:
    try:
        bounds = float(low), float(high)
    except ValueError:
        raise UsageError(
            f"option {option.name}: {low!r:.40} and {high!r:.40} must be numbers"
        ) from None
    if not -_MAX_BOUND < bounds[0] < bounds[1] < _MAX_BOUND:
        raise UsageError(
            f"option {option.name}: {low} must be less than {high}, both within a billion of 0"
        )
    is_integer = type(option.default) is not float and all(bound.is_integer() for bound in bounds)
    if type(option.default) is int and not is_integer:
        raise UsageError(f"option {option.name} takes whole numbers, from {low} to {high} are not")
    return Range(*bounds, is_integer)
