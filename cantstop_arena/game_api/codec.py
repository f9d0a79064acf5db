"""What is shown to bots, as JSON and back: for bots in processes of their own, and records.

A view goes over the pipe field by field, but for the rules and the random numbers, which are told
once a game. On the other side each field is made again of the type that it is annotated with.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, get_type_hints

import msgspec

_SENT_ONCE = ("rules", "random")


class Codec:
    """How the views, the moves and the answers of a game travel. Games may replace any part."""

    def view_as_json(self, view: Any) -> dict[str, Any]:
        """What a bot is shown, as JSON has it."""
        return {
            field.name: msgspec.to_builtins(getattr(view, field.name))
            for field in fields(view)
            if field.name not in _SENT_ONCE
        }

    def view_from_json(
        self, kind: Any, data: Mapping[str, Any], rules: Any, random: Callable[[], float]
    ) -> Any:
        """The view that was told."""
        hints = get_type_hints(kind)
        by_name = {"rules": rules, "random": random}
        return kind(
            **{
                field.name: by_name[field.name]
                if field.name in by_name
                else msgspec.convert(data[field.name], hints[field.name])
                for field in fields(kind)
            }
        )

    def moves_as_json(self, moves: Sequence[Any]) -> Any:
        """What there is to choose from, as JSON has it."""
        return msgspec.to_builtins(moves)

    def moves_from_json(self, texts: Sequence[Any]) -> Sequence[Any]:
        """The moves that were told: lists become tuples."""
        return tuple(map(_unlisted, texts))


def _unlisted(value: Any) -> Any:
    return tuple(map(_unlisted, value)) if isinstance(value, list) else value
