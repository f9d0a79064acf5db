"""What is to be tuned, as it is said on a command line: option=LOW..HIGH, or option=a,b,c."""

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
_LARGEST = 1e9
Point = Numbers | Sequence[float]


class Ranges(msgspec.Struct, frozen=True):
    """Options that are numbers or choices, and the ranges in which they are looked for."""

    names: tuple[str, ...]
    ranges: tuple[Range, ...]
    values: tuple[tuple[Any, ...], ...]
    """Of each option the values to choose from, none where it is a number."""
    defaults: tuple[Any, ...]

    def options(self, point: Point) -> dict[str, Any]:
        """A point as options, within the ranges, whole where only whole numbers will do."""
        return {
            name: _value(min(max(float(number), item.low), item.high), item, values)
            for name, item, values, number in zip(
                self.names, self.ranges, self.values, point, strict=True
            )
        }

    @property
    def start(self) -> Sequence[float]:
        """The defaults, where they are numbers within the range; else its middle."""
        pairs = zip(self.defaults, self.ranges, strict=True)
        return [_begin(default, item) for default, item in pairs]

    @property
    def steps(self) -> Sequence[float]:
        """Quarters of the ranges."""
        return [(item.high - item.low) / 4 for item in self.ranges]


class NumberList(msgspec.Struct, frozen=True):
    """An option that is a list of numbers."""

    name: str
    start: tuple[float, ...]
    steps: tuple[float, ...]

    @property
    def names(self) -> Sequence[str]:
        """The option."""
        return (self.name,)

    def options(self, point: Point) -> dict[str, Any]:
        """A point as the option."""
        return {self.name: [float(number) for number in point]}


def _begin(default: Any, item: Range) -> float:
    if isinstance(default, int | float) and item.low <= default <= item.high:
        return float(default)
    return (item.low + item.high) / 2


def _value(number: float, item: Range, values: Sequence[Any]) -> Any:
    if item.is_choice:
        return values[round(number)]
    return round(number) if item.is_integer else round(number, 4)


def search_space_of(texts: Sequence[str], bot: BotDescription) -> Ranges | NumberList:
    """Read what is to be tuned. Raises UsageError for what the bot has not, or cannot be tuned."""
    if not texts:
        raise UsageError(f"what is to be tuned? {FORM}")
    data = {}
    for text in texts:
        name, _, what = text.partition("=")
        if name in data:
            raise UsageError(f"option {name} is given twice")
        data[_checked_option(name, bot)] = what
    lists = [name for name in data if _is_list(bot.options[name])]
    if lists:
        return _number_list(lists[0], data, bot)
    return _ranges(data, bot)


def _checked_option(name: str, bot: BotDescription) -> str:
    if name not in bot.options:
        hint = did_you_mean(name, bot.options)
        existing = ", ".join(bot.options) or "none"
        raise UsageError(f"{bot.name} has no option {name!r:.60}{hint}; options: {existing}")
    return name


def _is_list(option: Option) -> bool:
    numbers = option.default
    is_list = isinstance(numbers, list | tuple) and len(numbers) > 0
    return is_list and all(type(number) in (int, float) for number in numbers)


def _number_list(name: str, data: Mapping[str, str], bot: BotDescription) -> NumberList:
    if len(data) > 1 or data[name]:
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


def _ranges(data: Mapping[str, str], bot: BotDescription) -> Ranges:
    read = [_read(bot.options[name], what) for name, what in data.items()]
    ranges, values = tuple(item for item, _ in read), tuple(values for _, values in read)
    if len(data) > MAX_NUMBERS and any(item.is_choice for item in ranges):
        raise UsageError(f"choices are tuned with at most {MAX_NUMBERS} options at once")
    return Ranges(tuple(data), ranges, values, tuple(bot.options[name].default for name in data))


def _read(option: Option, what: str) -> tuple[Range, tuple[Any, ...]]:
    possible = (False, True) if isinstance(option.default, bool) else option.choices
    if possible:
        values = _chosen(option.name, possible, what)
        return Range(0, len(values) - 1, True, is_choice=True), values
    if option.default is not None and type(option.default) not in (int, float):
        raise UsageError(f"option {option.name} is neither a number nor a choice; {FORM}")
    low, dots, high = what.partition("..")
    if not dots:
        raise UsageError(f"option {option.name} needs a range: {FORM}")
    return _range(option, low, high), ()


def _chosen(name: str, possible: Sequence[Any], what: str) -> tuple[Any, ...]:
    """The choices that are named, or all of them."""
    by_name = {
        str(value).lower() if isinstance(value, bool) else str(value): value for value in possible
    }
    expected = list(dict.fromkeys(what.split(","))) if what else [*by_name]
    for item in expected:
        if item not in by_name:
            listed, hint = ", ".join(by_name), did_you_mean(item, by_name)
            raise UsageError(f"option {name} is one of {listed}, not {item!r:.60}{hint}")
    if len(expected) < 2:
        raise UsageError(f"option {name}: there is nothing to choose between; {FORM}")
    return tuple(by_name[item] for item in expected)


def _spelt(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _range(option: Option, low: str, high: str) -> Range:
    try:
        bounds = float(low), float(high)
    except ValueError:
        raise UsageError(
            f"option {option.name}: {low!r:.40} and {high!r:.40} must be numbers"
        ) from None
    if not -_LARGEST < bounds[0] < bounds[1] < _LARGEST:
        raise UsageError(
            f"option {option.name}: {low} must be less than {high}, both within a billion of 0"
        )
    is_complete = type(option.default) is not float and all(bound.is_integer() for bound in bounds)
    if type(option.default) is int and not is_complete:
        raise UsageError(f"option {option.name} takes whole numbers, from {low} to {high} are not")
    return Range(*bounds, is_complete)
