"""The tests of a game in plain Python. Each plays one random game, and raises Defect."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from cantstop_arena.check.random_games import CheckedPosition, Defect, RandomGame, play_on
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.codec import check_round_trip
from cantstop_arena.game_api.position import IllegalAction
from cantstop_arena.game_api.state import GameAuthorError
from cantstop_arena.game_api.view import View
from cantstop_arena.table.game_checks import check_events

if TYPE_CHECKING:
    from cantstop_arena.game_api.decisions import Decision

_MAX_MOVES = 8  # that are tried at a decision
_COPIES = 6  # that are played on in a game
_STORED = 6  # positions of a game that are written and read
_MAX_COPY_DECISIONS = 200


def ends(game: RandomGame) -> None:
    """It ends, and its result is valid."""
    for _ in game:
        pass


def asking_changes_nothing(game: RandomGame) -> None:
    """Questions, views, checks and the result change nothing when they are computed again."""
    for position in game:
        first = _answers(position)  # what it computes once and stores is there from now on
        before = snapshot(position)
        if differing := _differing(first, _answers(position)):
            raise Defect(f"{differing[0]} returns something else when it is called again")
        if differing := _differing(before, snapshot(position)):
            raise Defect(
                "question(), view(), check(), result() or draw() changes the state: "
                + ", ".join(differing)
            )


def _answers(position: CheckedPosition) -> dict[str, Any]:
    """What the methods return that must change nothing."""
    seats = range(position.players)
    values = [] if position.is_over else position.listed_values()
    return {
        "question()": frozen(position.question()),
        "view()": frozen([position.seat_view(seat) for seat in seats]),
        "check()": len(values),
        "result()": frozen(position.result),
        "draw()": [position.state.draw(seat) for seat in seats],
    }


def repeats(game: RandomGame) -> None:
    """The same answers in the same deal lead to the same game."""
    first = [step_text(position) for position in game]
    number = _first_difference(first, game.again())
    if number is None:
        without = _first_difference(first, game.again(recording=False))
        if without is None:
            return
        number = _first_difference(first, game.again())  # what is random is the same now and then
        if number is None:
            raise Defect(
                "the same answers lead elsewhere where `recording` is False, first at decision"
                f" {without}: only events may depend on it"
            )
    raise Defect(
        f"the same answers in the same deal lead elsewhere, first at decision {number}: it draws"
        " from something else than Chance or deal.stream, or keeps something between games"
    )


def _first_difference(texts: Sequence[str], again: Iterator[CheckedPosition]) -> int | None:
    """The number of the first decision that is another in the same game; None if all are alike."""
    return next((n for n, text in enumerate(texts) if _next_text(again) != text), None)


def _next_text(positions: Iterator[CheckedPosition]) -> str:
    """What the next position shows; empty where what was taken is no longer possible."""
    try:
        return step_text(next(positions))
    except (IllegalAction, StopIteration):
        return ""


def moves_can_be_made(game: RandomGame) -> None:
    """Every move that is offered can be made, and features are numbers from 0 to 1."""
    size: int | None = None
    for position in game:
        for seat in range(position.players):
            size = _checked_features(position, seat, size)
        if position.is_over:
            return
        _ = _legal_numbers(position)
        for value in _sample(position.values(), game):
            if copy := _copy_of(position):
                copy.take(value)


def _checked_features(position: CheckedPosition, seat: int, size: int | None) -> int | None:
    """The number of features of a view. Raises Defect unless it is `size`."""
    features = getattr(position.view(seat), "features", None)
    try:
        numbers = [float(number) for number in features()] if features else []
    except NotImplementedError:
        return size
    if size is not None and len(numbers) != size:
        raise Defect(f"features() returns {len(numbers)} numbers here, {size} before")
    wrong = [number for number in numbers if not (isfinite(number) and 0 <= number <= 1)]
    if wrong:
        raise Defect(f"features() has {wrong[0]:g}; they must be from 0 to 1")
    return len(numbers)


def _legal_numbers(position: CheckedPosition) -> list[int]:
    """The legal actions, in a game in which they have numbers."""
    if position.game.actions(position.rules, position.players) is None:
        return []
    return position.legal


def _sample(values: Sequence[Any], game: RandomGame) -> Sequence[Any]:
    if len(values) <= _MAX_MOVES:
        return values
    return [values[game.random.below(len(values))] for _ in range(_MAX_MOVES)]


def _copy_of(position: CheckedPosition) -> CheckedPosition | None:
    """A copy; none where the state cannot be copied, which is another test's finding."""
    try:
        return position.clone()
    except GameAuthorError:
        return None


def copies_are_independent(game: RandomGame) -> None:
    """What happens to a copy does not reach the original, and a copy plays on alike."""
    length = sum(1 for _ in game)
    sampled = range(0, length, max(1, length // _COPIES))
    for number, position in enumerate(game.again()):
        if number in sampled and not position.is_over:
            _check_copy(position, game)


def _check_copy(position: CheckedPosition, game: RandomGame) -> None:
    before, random = snapshot(position), game.random.clone()
    copy, second = position.clone(), position.clone()
    play_on(copy, game.random, _MAX_COPY_DECISIONS)
    if differing := _differing(before, snapshot(position)):
        raise Defect(
            f"a copy shares {', '.join(differing)} with its original: override State.clone"
        )
    play_on(second, random, _MAX_COPY_DECISIONS)
    if step_text(copy) != step_text(second):
        raise Defect("two copies of a position play on differently: override State.clone")


def survives_json(game: RandomGame) -> None:
    """Events, views, moves and positions are the same when they are written as JSON and read."""
    codec = game.game.codec
    for position in game:
        check_events(position.take_events())
        if position.is_over:
            break
        decision, view = game.game.decisions[position.decision], position.view(position.seat)
        try:
            check_round_trip(codec, decision, view)
            _check_moves(position, decision)
        except Exception as error:
            raise Defect(
                f"a view or moves of {decision.name} cannot be sent to another process: {error}"
            ) from error
    length = len(game.values)
    sampled = range(0, length, max(1, length // _STORED))
    for index, position in enumerate(game.again()):
        if index in sampled or position.is_over:
            _check_stored(position)


def _check_moves(position: CheckedPosition, decision: Decision) -> None:
    """Raise ValueError unless moves are the same as JSON and back."""
    if not decision.has_moves:
        return
    codec, moves = position.game.codec, position.moves or ()
    text = json.dumps(codec.moves_as_json(moves))
    read = codec.moves_from_json(json.loads(text))
    if json.dumps(codec.moves_as_json(read)) != text:
        raise ValueError(f"the moves {moves!r:.100} come back as {read!r:.100}")


def _check_stored(position: CheckedPosition) -> None:
    text = position.dumps()
    try:
        restored = CheckedPosition.loads(position.game, text)
    except UsageError as error:
        raise Defect(f"a position that was stored cannot be read: {error}") from error
    assert isinstance(restored, CheckedPosition)
    if step_text(restored) != step_text(position):
        raise Defect("a position that was stored and read is another one")


# --- What is compared -----------------------------------------------------------------------------


def step_text(position: CheckedPosition) -> str:
    """All that a position shows, as text that is the same in every process."""
    seats = range(position.players)
    views = [position.seat_view(seat) for seat in seats]
    state = (position.question(), position.seat, views, position.result)
    return repr(frozen((*state, [] if position.is_over else position.listed_values())))


def trace(game: RandomGame) -> list[int]:
    """A checksum of each step of a game: what it showed, and the events."""
    return [
        zlib.crc32(repr((step_text(position), frozen(position.take_events()))).encode())
        for position in game
    ]


def snapshot(position: CheckedPosition) -> dict[str, Any]:
    """The fields of a state, but for its deal and rules, as values that nothing changes later."""
    return {
        name: frozen(value)
        for name, value in vars(position.state).items()
        if name != "deal" and value is not position.rules
    }


def _differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """The names of the entries that differ."""
    return [name for name in {**first, **second} if first.get(name) != second.get(name)]


_PLAIN = frozenset((int, float, str, bool, bytes, type(None)))


def frozen(value: Any, above: tuple[int, ...] = ()) -> Any:
    """A value as nested tuples that can be compared; of objects their types and fields.

    Sets are sorted, so that its text is the same in every process.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind in (list, tuple) and _PLAIN.issuperset(map(type, value)):  # most values, at no cost
        return tuple(value)
    if id(value) in above:
        return "..."
    above = (*above, id(value))
    if isinstance(value, int | float | str | bytes):  # of a subclass
        return value
    if isinstance(value, np.ndarray | array):
        return value.tolist()
    if isinstance(value, Mapping):
        return tuple((frozen(key, above), frozen(item, above)) for key, item in value.items())
    if isinstance(value, set | frozenset):
        return tuple(sorted((frozen(item, above) for item in value), key=repr))
    if isinstance(value, Collection):
        return tuple(frozen(item, above) for item in value)
    if callable(value) and not hasattr(value, "clone"):
        return getattr(value, "__qualname__", type(value).__qualname__)
    named = _fields(value)
    return (type(value).__qualname__, tuple((name, frozen(item, above)) for name, item in named))


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    """The names and values of an object's fields."""
    if isinstance(value, View):
        yield from value.own_fields()
        return
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    for name in dict.fromkeys((*slots, *getattr(value, "__struct_fields__", ()))):
        if hasattr(value, name):
            yield name, getattr(value, name)
    yield from getattr(value, "__dict__", {}).items()
