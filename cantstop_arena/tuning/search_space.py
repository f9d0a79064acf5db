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
            name: _value(min(max(float(number), one.low), one.high), one, values)
            for name, one, values, number in zip(
                self.names, self.ranges, self.values, point, strict=True
            )
        }

    @property
    def start(self) -> Sequence[float]:
        """The defaults, where they are numbers within the range; else its middle."""
        pairs = zip(self.defaults, self.ranges, strict=True)
        return [_begin(default, one) for default, one in pairs]

    @property
    def steps(self) -> Sequence[float]:
        """Quarters of the ranges."""
        return [(one.high - one.low) / 4 for one in self.ranges]


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


def _begin(default: Any, one: Range) -> float:
    if isinstance(default, int | float) and one.low <= default <= one.high:
        return float(default)
    return (one.low + one.high) / 2


def _value(number: float, one: Range, values: Sequence[Any]) -> Any:
    if one.is_choice:
        return values[round(number)]
    return round(number) if one.is_integer else round(number, 4)


def search_space_of(texts: Sequence[str], bot: BotDescription) -> Ranges | NumberList:
    """Read what is to be tuned. Raises UsageError for what the bot has not, or cannot be tuned."""
    if not texts:
        raise UsageError(f"what is to be tuned? {FORM}")
    told = {}
    for text in texts:
        name, _, what = text.partition("=")
        if name in told:
            raise UsageError(f"option {name} is given twice")
        told[_known(name, bot)] = what
    lists = [name for name in told if _is_list(bot.options[name])]
    if lists:
        return _list_wish(lists[0], told, bot)
    return _ranges_wish(told, bot)


def _known(name: str, bot: BotDescription) -> str:
    if name not in bot.options:
        hint = did_you_mean(name, bot.options)
        known = ", ".join(bot.options) or "none"
        raise UsageError(f"{bot.name} has no option {name!r:.60}{hint}; options: {known}")
    return name


def _is_list(option: Option) -> bool:
    numbers = option.default
    is_list = isinstance(numbers, list | tuple) and len(numbers) > 0
    return is_list and all(type(number) in (int, float) for number in numbers)


def _list_wish(name: str, told: Mapping[str, str], bot: BotDescription) -> NumberList:
    if len(told) > 1 or told[name]:
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


def _ranges_wish(told: Mapping[str, str], bot: BotDescription) -> Ranges:
    read = [_read(bot.options[name], what) for name, what in told.items()]
    ranges, values = tuple(one for one, _ in read), tuple(values for _, values in read)
    if len(told) > MAX_NUMBERS and any(one.is_choice for one in ranges):
        raise UsageError(f"choices are tuned with at most {MAX_NUMBERS} options at once")
    return Ranges(tuple(told), ranges, values, tuple(bot.options[name].default for name in told))


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
    known = {
        str(value).lower() if isinstance(value, bool) else str(value): value for value in possible
    }
    wanted = list(dict.fromkeys(what.split(","))) if what else [*known]
    for one in wanted:
        if one not in known:
            listed, hint = ", ".join(known), did_you_mean(one, known)
            raise UsageError(f"option {name} is one of {listed}, not {one!r:.60}{hint}")
    if len(wanted) < 2:
        raise UsageError(f"option {name}: there is nothing to choose between; {FORM}")
    return tuple(known[one] for one in wanted)


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
    whole = type(option.default) is not float and all(bound.is_integer() for bound in bounds)
    if type(option.default) is int and not whole:
        raise UsageError(f"option {option.name} takes whole numbers, from {low} to {high} are not")
    return Range(*bounds, whole)
