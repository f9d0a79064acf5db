"""Conversion of views and moves to JSON and back, for isolated bots and for records.

A view is sent field by field, without the rules and the random numbers, which are sent once per
game. The receiver converts each field to the type of its annotation.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, get_type_hints

import msgspec

_SENT_ONCE = ("rules", "random")


class Codec:
    """Converts the views, moves and answers of a game. Games may override any method."""

    def view_as_json(self, view: Any) -> dict[str, Any]:
        """A view as values that JSON can represent."""
        return {
            field.name: msgspec.to_builtins(getattr(view, field.name))
            for field in fields(view)
            if field.name not in _SENT_ONCE
        }

    def view_from_json(
        self, kind: Any, data: Mapping[str, Any], rules: Any, random: Callable[[], float]
    ) -> Any:
        """The view of type `kind` that `view_as_json` has converted to `data`."""
        hints = get_type_hints(kind)
        shared = {"rules": rules, "random": random}
        return kind(
            **{
                field.name: shared[field.name]
                if field.name in shared
                else msgspec.convert(data[field.name], hints[field.name])
                for field in fields(kind)
            }
        )

    def moves_as_json(self, moves: Sequence[Any]) -> Any:
        """Moves as values that JSON can represent."""
        return msgspec.to_builtins(moves)

    def moves_from_json(self, data: Sequence[Any]) -> Sequence[Any]:
        """The moves that `moves_as_json` has converted to `data`; lists become tuples."""
        return tuple(map(_as_tuples, data))


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value
