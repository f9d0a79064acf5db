"""Conversion of views and moves to JSON and back, for isolated bots and for records.

A view is sent field by field, without the rules and the random numbers, which are sent once per
game. The receiver converts each field to the type of its annotation.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

from cantstop_arena.game_api.view import SENT_ONCE, View

if TYPE_CHECKING:
    from cantstop_arena.game_api.decisions import Decision


class Codec:
    """Converts the views, moves and answers of a game. Games may override any method."""

    def view_as_json(self, view: Any) -> dict[str, Any]:
        """A view as values that JSON can represent."""
        return {name: msgspec.to_builtins(value) for name, value in view.own_fields()}

    def view_from_json(
        self, kind: Any, data: Mapping[str, Any], rules: Any, random: Callable[[], float]
    ) -> Any:
        """The view of type `kind` that `view_as_json` has converted to `data`."""
        hints = get_type_hints(kind)
        return kind(
            rules=rules,
            random=random,
            **{
                name: msgspec.convert(data[name], hints[name])
                for name in kind.__struct_fields__
                if name not in SENT_ONCE
            },
        )

    def moves_as_json(self, moves: Sequence[Any]) -> Any:
        """Moves as values that JSON can represent."""
        return msgspec.to_builtins(moves)

    def moves_from_json(self, data: Sequence[Any]) -> Sequence[Any]:
        """The moves that `moves_as_json` has converted to `data`; lists become tuples."""
        return tuple(map(_as_tuples, data))


def check_round_trip(codec: Codec, decision: "Decision", view: Any) -> None:
    """Raise an exception unless a view is the same when it has been sent as JSON."""
    data = json.loads(json.dumps(codec.view_as_json(view)))
    if isinstance(view, View):
        copy = codec.view_from_json(decision.view, data, view.rules, view.random)
        if copy != view:
            raise ValueError(f"{view} comes back as {copy}; are its fields annotated rightly?")


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value
