"""Batches: the positions of many games as arrays, for bots that decide for all of them at once.

A game has the same row of its batches in every block, in a replay, and alone: see `row_of`. So what
a bot answers depends on what it sees and on the number of the game, and never on where the games of
a tournament are cut into blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.action_numbers import numbers_of
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.position import Observation, Position

if TYPE_CHECKING:
    from cantstop_arena.game_api.game import Game

DEFAULT_ROWS = 64  # of a batch; more gain nothing on a processor, and take longer to fill
MAX_ROWS = 1 << 16
NO_ACTION = -1


class Encoding(msgspec.Struct, frozen=True):
    """How observations and actions are numbered: `size` numbers from 0 to 1, `actions` actions.

    The `name` changes when any number, their order or their scale does. `fields` has, in their
    order, what the numbers are and how many there are of each; empty if the game does not say.
    """

    name: str
    size: int
    actions: int
    fields: Mapping[str, int] = {}


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """The positions of many games at a decision, each in a row; the arrays are for one call only.

    `observations` has float32 numbers as `encoding` says, each seen by the seat that decides, which
    is in `seats`; `legal` marks its legal actions, and `random` is its next number in [0, 1). In
    rows that are not `live` there is no game, and all is zero. The rules, the number of players and
    the name of the encoding are the same in all rows.
    """

    observations: NDArray[np.float32]
    legal: NDArray[np.bool_]
    live: NDArray[np.bool_]
    seats: NDArray[np.int64]
    random: NDArray[np.float64]
    rules: Any
    players: int
    encoding: str

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.live)

    def only(self, row: int) -> Batch:
        """A copy in which this is the only row with a game."""
        size, actions = self.observations.shape[1], self.legal.shape[1]
        encoding = Encoding(self.encoding, size, actions)
        copy = empty_batch(self.rows, encoding, self.rules, self.players)
        for name, array in copy.arrays().items():
            array[row] = getattr(self, name)[row]
        return copy

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name, each with a row for each game."""
        names = ("observations", "legal", "live", "seats", "random")
        return {name: getattr(self, name) for name in names}


def empty_batch(rows: int, encoding: Encoding, rules: Any, players: int) -> Batch:
    """A batch without any game; its arrays are filled in later."""
    return Batch(
        observations=np.zeros((rows, encoding.size), np.float32),
        legal=np.zeros((rows, encoding.actions), np.bool_),
        live=np.zeros(rows, np.bool_),
        seats=np.zeros(rows, np.int64),
        random=np.zeros(rows),
        rules=rules,
        players=players,
        encoding=encoding.name,
    )


def row_of(number: int, rows: int) -> int:
    """The row of a game, by its number: its deal times the seatings of a deal, plus its seating.

    Some libraries round a row differently by its place in a batch, so that is always the same.
    """
    return number % rows


@cache
def encoding_of(game: Game, rules: Any, players: int) -> Encoding | None:
    """The encoding of a game by its numbered actions and its observations; None without either."""
    try:
        position = game.position(rules, players, 0)
        size, actions = position.observation_size, position.action_count
    except UsageError:
        return None
    return Encoding(f"{game.name}/{game.encoding_version}", size, actions) if size else None


def encoding_or_error(game: Game, rules: Any, players: int) -> Encoding:
    """The encoding of a game. Raises UsageError if it has none."""
    encoding = game.encoding(rules, players)
    if encoding is None:
        raise UsageError(
            f"{game.title} has no batches: they need numbered actions (`Game.actions`) and"
            " observations (`View.features`)"
        )
    return encoding


# --- One decision -------------------------------------------------------------------------------


class NumberedDecision(NamedTuple):
    """A decision of a bot as numbers: what is seen, the answer that each legal action stands for,
    the text of any action, and the position where the game finds it."""

    observation: Observation
    answer_for: Callable[[int], Any]
    name_of: Callable[[int], str]
    position: Position | None = None


def numbered_decision(
    game: Game, name: str, view: Any, moves: Sequence[Any] | None
) -> NumberedDecision:
    """The decision of this name, from a bot's view and moves."""
    if game.has_positions:
        position = game.position_of(view, moves)
        observation = position.observation(position.seat)
        return NumberedDecision(observation, position.answer_for, position.action_name, position)
    numbers = numbers_of(game, view.rules, view.players)
    values = numbers.values(name) if moves is None else moves
    mask = numbers.mask([numbers.number(name, value) for value in values])

    def answer_for(action: int) -> Any:
        value = numbers.actions[action][1]
        return value if moves is None else [*moves].index(value)

    def name_of(action: int) -> str:
        return game.action_name(*numbers.actions[action])

    observation = Observation(np.asarray(view.features(), np.float32), mask)
    return NumberedDecision(observation, answer_for, name_of)


# --- Answers ------------------------------------------------------------------------------------

FINE, ILLEGAL_ACTION, NOT_A_NUMBER, NOTHING_LIKELY = range(4)
"""What is wrong with the answer in a row."""


def actions_in(
    answer: object, batch: Batch, temperature: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The action of each row, and what is wrong with it, from what a bot has returned.

    Integers are actions. Of floats, one for each action, the best legal one is taken, the lowest
    number of equal ones; with a `temperature` one is drawn from their softmax. Raises IllegalAnswer
    for anything else.
    """
    array = answer_array(answer)
    check_type(array.shape, array.dtype, batch)
    if array.dtype.kind == "f":
        return _actions_by_logits(array, batch, temperature)
    actions = array.astype(np.int64)
    return actions, _faults_of_actions(actions, batch)


def check_type(shape: tuple[int, ...], dtype: np.dtype[Any], batch: Batch) -> None:
    """Raise IllegalAnswer unless arrays of this shape and type may be answers to the batch."""
    are_actions = shape == batch.live.shape and dtype.kind in "iu"
    if not (are_actions or (shape == batch.legal.shape and dtype.kind == "f")):
        raise IllegalAnswer(
            f"decide: an array {shape} of {dtype} is no answer; it must be"
            f" {batch.live.shape} whole numbers or {batch.legal.shape} floats"
        )


def policy_output(outputs: Any, batch: Batch) -> Any:
    """The actions or logits among the outputs of a policy, of which there may be several.

    Of a mapping or a tuple, that named `logits`, else the first with a logit for each action or
    with an action for each row, else the first.
    """
    if isinstance(outputs, Mapping):
        if "logits" in outputs:
            return outputs["logits"]
        outputs = [*outputs.values()]
    if hasattr(outputs, "_fields") and "logits" in outputs._fields:
        return outputs.logits
    if not isinstance(outputs, tuple | list):
        return outputs
    for shape in (batch.legal.shape, batch.live.shape):
        for output in outputs:
            if tuple(getattr(output, "shape", ())) == shape:
                return output
    return outputs[0] if outputs else None


def answer_array(answer: Any) -> NDArray[Any]:
    """An array of NumPy, or of a library that can share it. Raises IllegalAnswer."""
    kind = type(answer)
    if hasattr(kind, "__array__"):
        return np.asarray(answer)
    if hasattr(kind, "__dlpack__"):
        return np.from_dlpack(answer)
    raise IllegalAnswer(f"decide must return an array, not a {kind.__name__}")


def _faults_of_actions(actions: NDArray[np.int64], batch: Batch) -> NDArray[np.int64]:
    inside = (actions >= 0) & (actions < batch.legal.shape[1])
    is_legal = batch.legal[np.arange(batch.rows), np.where(inside, actions, 0)] & inside
    return np.where(batch.live & ~is_legal, ILLEGAL_ACTION, FINE)


def _actions_by_logits(
    logits: NDArray[Any], batch: Batch, temperature: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    values = np.where(batch.legal, logits, -np.inf)
    actions = values.argmax(axis=1)
    best = values[np.arange(batch.rows), actions]
    faults = np.zeros(batch.rows, np.int64)
    if np.count_nonzero((best > -np.inf)[batch.live]) < np.count_nonzero(batch.live):
        faults[best == -np.inf] = NOTHING_LIKELY
        faults[np.isnan(best)] = NOT_A_NUMBER  # `argmax` finds the first NaN
        faults[~batch.live] = FINE
    if temperature > 0:
        rows = np.flatnonzero(batch.live & np.isfinite(best))
        if len(rows):
            actions[rows] = _sampled(values[rows], best[rows], batch.random[rows], temperature)
    return actions, faults


def _sampled(
    values: NDArray[Any], best: NDArray[Any], random: NDArray[np.float64], temperature: float
) -> NDArray[np.int64]:
    """An action of each row, drawn from the softmax of its values.

    Sums go from left to right, and `math.exp` takes one number after the other: so an action does
    not depend on the other rows.
    """
    ratios = (values.astype(np.float64) - best[:, None].astype(np.float64)) / temperature
    is_possible = ratios > -np.inf
    weights = np.zeros(values.shape)
    weights[is_possible] = [*map(exp, ratios[is_possible].tolist())]
    sums = weights.cumsum(axis=1)
    last = values.shape[1] - 1 - (weights > 0)[:, ::-1].argmax(axis=1)
    sampled: NDArray[np.int64] = np.minimum(
        (sums <= (random * sums[:, -1])[:, None]).sum(axis=1), last
    )
    return sampled


def complaint(fault: int, action: int, name_of: Callable[[int], str], actions: int) -> str:
    """What is wrong with the answer in a row, as a fault's message."""
    if fault == NOT_A_NUMBER:
        return "decide: a logit of a legal action is not a number"
    if fault == NOTHING_LIKELY:
        return "decide: every legal action has the logit -inf"
    name = f" ({name_of(action)})" if 0 <= action < actions else ""
    return f"decide: action {action}{name} is illegal there"
