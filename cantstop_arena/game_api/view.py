"""The base class of views: what a seat sees of a game."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from cantstop_arena.errors import UsageError

SENT_ONCE = ("rules", "random")
"""The fields that a bot in another process gets once a game, not with each view."""


def no_random_numbers() -> float:
    """The random numbers of a view that no bot has. Raises UsageError."""
    raise UsageError("this view has no random numbers: it was made for nobody's decision")


class _ViewType(msgspec.StructMeta):
    """The type of views. `@dataclass`, which games of release 0.2 have here, changes nothing."""

    def __setattr__(cls, name: str, value: Any) -> None:
        if not name.startswith("__"):
            super().__setattr__(name, value)


class _SeatedView(msgspec.Struct, frozen=True, kw_only=True, eq=False, metaclass=_ViewType):
    # Behind all fields of subclasses, since it is an argument by keyword only.
    random: Callable[[], float] = no_random_numbers


class View(_SeatedView, frozen=True, eq=False):
    """What a seat sees: subclass it with the fields of a game.

    Fields may be numbers, texts, bools, None, tuples, mappings with texts as keys, and structs or
    frozen dataclasses of these. `random()` is the next number, in [0, 1), of the bot's own stream;
    the table sets it. Views are equal if all other fields are.
    """

    seat: int
    players: int
    rules: Any

    def features(self) -> Sequence[float]:
        """The view as numbers from 0 to 1 for learners: own seat first, of one length at every
        position of the same rules and number of seats. Games may leave it out."""
        raise NotImplementedError(f"{type(self).__name__} has no features()")

    def own_fields(self) -> Iterator[tuple[str, Any]]:
        """The names and values of all fields but the rules and the random numbers."""
        for name in self.__struct_fields__:
            if name not in SENT_ONCE:
                yield name, getattr(self, name)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.rules == other.rules and [*self.own_fields()] == [*other.own_fields()]

    def __ne__(self, other: object) -> bool:
        return not self == other  # a struct's own is not derived from __eq__

    def __hash__(self) -> int:
        return hash(tuple(self.own_fields()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.own_fields())
        return f"{type(self).__name__}({fields})"
