"""Kernels: the rules of a game as functions of a row of whole numbers.

docs/how-to/kernels.md describes how to write one. From a kernel follow the plain state of the game,
and the loop in machine code at which compiled bots play.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from cantstop_arena.deals.payoff import Payoff
from cantstop_arena.game_api.decisions import Decision
from cantstop_arena.game_api.state import (
    Chance,
    Deal,
    Event,
    GameAuthorError,
    Question,
    Result,
    State,
)
from cantstop_arena.game_api.view import View
from cantstop_arena.native.kernel_code import CHANCE as CHANCE
from cantstop_arena.native.kernel_code import FUNCTIONS
from cantstop_arena.native.kernel_code import OVER as OVER

DRAW = "chance"
"""The first word in the names of a kernel's draws, and the kind of their events."""

Row: TypeAlias = Any
"""A row of whole numbers: a list, or an array of int64 in machine code. It begins as zeros."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """The rules of a game as plain functions that numba can compile.

    A state is a row of `size` numbers; at most `widest` actions are legal, which have the numbers
    of `Game.actions`; a seat sees `seen` numbers.

    `setup(state, rules, players)` gets the `numbers_of` the rules; `who(state)` is a seat, CHANCE
    or OVER. `legal(state, out)` writes the numbers of the legal actions, ascending, and returns how
    many; `act(state, number)` applies an action, or an outcome of chance. `observe(state, seat,
    out)` writes what a seat sees, `payoffs(state, out)` what each seat gets, in parts of the unit
    of `Game.payoff`; they are the points of the game, too. `outcomes(state)` is how many equally
    likely outcomes a draw has, and `name(state)` is a number that no other draw of the game has.

    `view` has, for each field of the view, the index of its number among those seen, or the slice.
    """

    size: int
    widest: int
    seen: int
    setup: Callable[[Row, Row, int], None]
    who: Callable[[Row], int]
    legal: Callable[[Row, Row], int]
    act: Callable[[Row, int], None]
    observe: Callable[[Row, int, Row], None]
    payoffs: Callable[[Row, Row], None]
    outcomes: Callable[[Row], int] | None = None
    name: Callable[[Row], int] | None = None
    view: Mapping[str, int | slice] = field(default_factory=dict)

    @property
    def functions(self) -> dict[str, Callable[..., Any] | None]:
        """The functions, by name."""
        return {name: getattr(self, name) for name in FUNCTIONS}


def numbers_of(rules: Any) -> tuple[int, ...]:
    """The rules as a kernel gets them: every whole number and flag, in the order of the fields."""
    return tuple(
        int(number)
        for value in parameters_of(rules).values()
        for number in (value if isinstance(value, tuple) else (value,))
    )


def parameters_of(rules: Any) -> dict[str, Any]:
    """The parameters that are whole numbers, flags, or tuples of them, by name."""
    names = getattr(rules, "_fields", None) or rules.__dataclass_fields__
    values = {name: getattr(rules, name) for name in names}
    return {name: value for name, value in values.items() if _is_numeric(value)}


def _is_numeric(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, tuple) and all(map(_is_numeric, value)))


@lru_cache(maxsize=64)
def plain_state(kernel: Kernel, decision: Decision, payoff: Payoff | None = None) -> type[State]:
    """The states of a kernel's game in plain Python. Raises GameAuthorError.

    `decision` is the only one of the game; its view has the fields of `Kernel.view`.
    """
    _check_view(kernel, decision)

    class OwnState(KernelState):
        pass

    OwnState.kernel, OwnState.decision, OwnState.payoff = kernel, decision, payoff
    return OwnState


def _check_view(kernel: Kernel, decision: Decision) -> None:
    """Raise GameAuthorError unless the fields of the view are those that the kernel writes."""
    kind = decision.view
    if not (isinstance(kind, type) and issubclass(kind, View)):
        raise GameAuthorError(f"the first parameter of {decision.name} must be a View")
    own = [name for name in kind.__struct_fields__ if name not in View.__struct_fields__]
    if {*own} != {*kernel.view}:
        raise GameAuthorError(
            f"{kind.__name__} has the fields {', '.join(own) or 'none'}, but Kernel.view has"
            f" {', '.join(kernel.view) or 'none'}"
        )


class KernelState(State):
    """The state of a game with a kernel, whose functions run as plain Python."""

    kernel: Kernel
    decision: Decision
    payoff: Payoff | None

    def __init__(self, deal: Deal) -> None:
        self.numbers = [0] * self.kernel.size
        super().__init__(deal)

    def setup(self) -> None:
        self.kernel.setup(self.numbers, numbers_of(self.rules), self.players)

    def question(self) -> Question | Chance | None:
        kernel, numbers = self.kernel, self.numbers
        who = kernel.who(numbers)
        if who == OVER:
            return None
        if who != CHANCE:
            return Question(self.decision.name, who, self._legal())
        if kernel.outcomes is None:
            raise GameAuthorError("who() says that chance decides, so the kernel needs outcomes")
        name = kernel.name(numbers) if kernel.name else 0
        return Chance((DRAW, name), range(kernel.outcomes(numbers)), mixed=True)

    def _legal(self) -> list[int]:
        out = [0] * self.kernel.widest
        return out[: self.kernel.legal(self.numbers, out)]

    def chance(self, outcome: int) -> list[Event]:
        self.kernel.act(self.numbers, outcome)
        return [{"event": DRAW, "outcome": outcome}]

    def answer(self, answers: Mapping[int, int]) -> list[Event]:
        ((seat, index),) = answers.items()
        action = self._legal()[index]
        self.kernel.act(self.numbers, action)
        return [{"event": self.decision.name, "seat": seat, "action": action}]

    def view(self, seat: int) -> Any:
        out = [0] * self.kernel.seen
        self.kernel.observe(self.numbers, seat, out)
        fields = {
            name: tuple(out[place]) if isinstance(place, slice) else out[place]
            for name, place in self.kernel.view.items()
        }
        return self.decision.view(seat, self.players, self.rules, **fields)

    def result(self) -> Result:
        if self.kernel.who(self.numbers) != OVER:
            return Result([])
        parts = [0] * self.players
        self.kernel.payoffs(self.numbers, parts)
        if self.payoff is None:
            return Result(Payoff().winners(parts), parts)
        return Result(None, parts, payoffs=[*map(self.payoff.value_of, parts)])
