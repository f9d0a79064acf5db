"""What a compiled bot reads from its turn: what is reckoned, besides the record's `fields`."""

import operator
from collections.abc import Callable
from typing import Any

from numba.extending import overload, overload_attribute, overload_method

from cantstop_arena.games.cantstop.engine import moves
from cantstop_arena.games.cantstop.engine.compiling.compiler import part
from cantstop_arena.games.cantstop.engine.native.types import (
    INLINE,
    RivalClaims,
    Rivals,
    Rules,
    Spaces,
    Turn,
    as_columns,
    game_of,
    memory_of,
    space_in,
    spaces_at,
)
from cantstop_arena.games.cantstop.engine.state import COLUMNS, FIELDS
from cantstop_arena.games.cantstop.rules import LANDINGS, STOPS

# Turn ---------------------------------------------------------------------------------------

_MARKERS = FIELDS["markers"][1]
_ROW = 8 * COLUMNS


def _attribute(kind: type, name: str, read: Callable[..., Any]) -> None:
    overload_attribute(kind, name, jit_options=INLINE)(lambda view: read)


_attribute(Turn, "usable", lambda view: as_columns(moves.usable_columns(game_of(view))))
_attribute(Turn, "memory", lambda view: memory_of(game_of(view), game_of(view).seat))


@overload_attribute(Turn, "dice", jit_options=INLINE)
def _turn_dice(turn):
    def read(turn):
        roll, sides = game_of(turn).roll, game_of(turn).sides
        last, roll = roll % sides + 1, roll // sides
        third, roll = roll % sides + 1, roll // sides
        return (roll // sides + 1, roll % sides + 1, third, last)

    return read


@overload_method(Turn, "position", jit_options=INLINE)
def _turn_position(turn, column):
    return lambda turn, column: moves.position(game_of(turn), column)


@overload_method(Turn, "next_space", jit_options=INLINE)
def _turn_next_space(turn, column, space):
    return lambda turn, column, space: moves.next_space(game_of(turn), column, space)


@overload_method(Turn, "chance", jit_options=INLINE)
def _turn_chance(turn, column):
    def read(turn, column):
        game = game_of(turn)
        if not 2 <= column <= 2 * game.sides:
            raise IndexError("there is no such column")
        return game.chances[moves.at(1 << column - 2)]

    return read


@overload_method(Turn, "bust_chance", jit_options=INLINE)
def _turn_bust_chance(turn):
    def read(turn):
        game = game_of(turn)
        return 1.0 - game.chances[moves.at(moves.usable_columns(game) >> 2)]

    return read


@overload_method(Turn, "random", jit_options=INLINE)
def _turn_random(turn):
    return lambda turn: moves.draw(game_of(turn))


@overload(operator.getitem, jit_options=INLINE)
def _spaces_item(spaces, column):
    if not isinstance(spaces, Spaces):
        return None

    def read(spaces, column):
        if not 0 <= column < COLUMNS:
            raise IndexError("there is no such column")
        return space_in(spaces, column)

    return read


@overload(operator.getitem, jit_options=INLINE)
def _rivals_item(rivals, index):
    if not isinstance(rivals, Rivals):
        return None

    def read(rivals, index):
        game = game_of(rivals)
        return spaces_at(rivals, _MARKERS + _ROW * _rival_seat(game, index))

    return read


@overload(operator.getitem, jit_options=INLINE)
def _rival_claims_item(claims, index):
    if not isinstance(claims, RivalClaims):
        return None

    def read(claims, index):
        game = game_of(claims)
        return game.claims[_rival_seat(game, index)]

    return read


@part
def _rival_seat(game, index):
    if not 0 <= index < game.players - 1:
        raise IndexError("there is no such rival")
    seat = game.seat + 1 + index
    return seat - game.players if seat >= game.players else seat  # a division would take longer


@overload(len, jit_options=INLINE)
def _rivals_length(rivals):
    if not isinstance(rivals, Rivals | RivalClaims):
        return None
    return lambda rivals: game_of(rivals).players - 1


# Rules --------------------------------------------------------------------------------------

_attribute(Rules, "columns", lambda view: range(2, 2 * game_of(view).sides + 1))
_attribute(Rules, "landing", lambda view: LANDINGS[game_of(view).landing])
_attribute(Rules, "stop", lambda view: STOPS[game_of(view).stop])
