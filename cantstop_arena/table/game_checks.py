"""Checks of what a game's own code returns: its questions, draws and results."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from cantstop_arena.deals.counting import Counts
from cantstop_arena.deals.payoff import LARGEST, Payoff
from cantstop_arena.game_api.codec import Codec
from cantstop_arena.game_api.decisions import Decision
from cantstop_arena.game_api.state import Chance, GameAuthorError, Question, Result

_WHOLE = {int}


def check_question(question: Any, decisions: Mapping[str, Decision], players: int) -> None:
    """Raise GameAuthorError unless this is a valid question."""
    if not isinstance(question, Question):
        raise GameAuthorError(
            f"question() must return a Question, a Chance or None, not {question!r:.60}"
        )
    decision = decisions.get(question.decision)
    if decision is None:
        names = ", ".join(decisions)
        raise GameAuthorError(f"no hook is called {question.decision!r:.60}; hooks are {names}")
    seats = _checked_seats(question.seats, players)
    if decision.has_moves != (question.moves is not None):
        needs = "needs moves" if decision.has_moves else "has no parameter moves, but got some"
        raise GameAuthorError(f"{question.decision} {needs}")
    if question.moves is not None:
        _check_moves(seats, question.moves)


def _checked_seats(seats: Any, players: int) -> Collection[int]:
    """The seats of a question, if they are valid. Raises GameAuthorError."""
    listed = (seats,) if isinstance(seats, int) else seats
    if not isinstance(listed, Collection) or isinstance(listed, str) or not listed:
        raise GameAuthorError(
            "the seats of a Question must be a seat, several, or a mapping of seats to their"
            f" views, not {seats!r:.40}"
        )
    for seat in listed:
        if type(seat) is not int or not 0 <= seat < players:
            raise GameAuthorError(
                f"a Question goes to seat {seat!r:.20}; seats are 0 to {players - 1}"
            )
    if len({*listed}) != len(listed):
        raise GameAuthorError(f"a Question goes to one seat twice: {[*listed]!r:.60}")
    return listed


def _check_moves(seats: Collection[int], moves: Any) -> None:
    by_seat = moves if isinstance(moves, Mapping) else dict.fromkeys(seats, moves)
    for seat in seats:
        own = by_seat.get(seat)
        if own is not None and not isinstance(own, Sequence):
            raise GameAuthorError(f"moves must be a list or a tuple, not {own!r:.60}")
        if own is None or not len(own):
            raise GameAuthorError(f"seat {seat} is asked to choose, but has no moves")


def check_chance(chance: Chance, names: set[Any]) -> None:
    """Raise GameAuthorError unless this draw is valid; `names` are those of the game, and get its.

    A second draw of the same name would give the same number again.
    """
    name = chance.name
    if not isinstance(name, tuple) or not all(type(word) in (str, int) for word in name):
        raise GameAuthorError(
            f"the name of a Chance must be a tuple of words and whole numbers, not {name!r:.60}"
        )
    if name[:1] in ((), ("bot",)):
        raise GameAuthorError(
            f"the name of a Chance must begin with a word other than 'bot', not {name!r:.60}"
        )
    if name in names:
        raise GameAuthorError(
            f"Chance {name!r} is drawn twice in a game and would give the same number again: put a"
            " turn or a count into its name"
        )
    names.add(name)
    if chance.sample is not None:
        return
    if not len(chance.outcomes):
        raise GameAuthorError(f"Chance {name!r} has no outcomes")
    weights = chance.weights
    if weights is None:
        return
    if (
        len(weights) != len(chance.outcomes)
        or any(type(weight) is not int or weight < 0 for weight in weights)
        or not any(weights)
    ):
        raise GameAuthorError(
            f"Chance {name!r} must have a whole number as the weight of each of its"
            f" {len(chance.outcomes)} outcomes, and not only zeros"
        )


def check_events(events: Iterable[Any]) -> None:
    """Raise GameAuthorError unless JSON can represent these events."""
    for event in events:
        if not isinstance(event, Mapping) or not isinstance(event.get("event"), str):
            raise GameAuthorError(
                f"an event must be a dict with its kind as 'event': {event!r:.60}"
            )
        _check_json(f"the event {event['event']}", event)


def check_view(codec: Codec, view: Any, seat: int) -> None:
    """Raise GameAuthorError unless the codec can represent this view in JSON."""
    try:
        data = codec.view_as_json(view)
    except Exception as error:
        raise GameAuthorError(f"the view of seat {seat} cannot be written: {error}") from error
    _check_json(f"the view of seat {seat}", data)


def _check_json(what: str, fields: Mapping[str, Any]) -> None:
    try:
        json.dumps(fields)  # all at once, which is quick
    except (TypeError, ValueError):
        _check_fields(what, fields)


def _check_fields(what: str, fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        try:
            json.dumps(value)
        except (TypeError, ValueError) as error:
            raise GameAuthorError(
                f"{what} holds what JSON has not: {name} is {value!r:.60} ({error})"
            ) from error


def checked_result(
    result: Result, counts: Counts, sides: Sequence[int], payoff: Payoff | None = None
) -> Result:
    """The result with its winners, if it is valid for seats of these `sides`.

    Raises GameAuthorError.
    """
    players = len(sides)
    if not isinstance(result, Result):
        raise GameAuthorError(f"result() must return a Result, not {result!r:.60}")
    named, result = result.winners, result.with_winners(payoff)
    winners = result.winners or ()
    wrong = [seat for seat in winners if type(seat) is not int or not 0 <= seat < players]
    if wrong or len({*winners}) != len(winners):
        raise GameAuthorError(
            f"winners {[*winners]!r:.60} are no seats; they are 0 to {players - 1}"
        )
    if named is not None and len({*sides}) < players:
        won = {sides[seat] for seat in winners}
        if len(winners) != sum(side in won for side in sides):
            raise GameAuthorError(
                f"winners {[*winners]!r:.60} are no whole sides; sides are {_sides_text(sides)}"
            )
    _check_integers("points", result.points, players)
    _check_integers("ranks", result.ranks, players)
    for name, values in result.counts.items():
        if name not in counts.names:
            raise GameAuthorError(
                f"the result counts {name!r}, which is none of the names of its Counts"
            )
        _check_integers(f"the count {name}", values, players)
    return result


def _check_integers(what: str, values: Sequence[int], players: int) -> None:
    """Raise GameAuthorError unless there is an integer, NumPy's too, for each seat, or none."""
    if {*map(type, values)} <= _WHOLE and len(values) in (0, players):
        return
    if len(values) not in (0, players) or any(not hasattr(value, "__index__") for value in values):
        text = f"{list(values)!r:.60}"
        raise GameAuthorError(
            f"{what} must be a whole number for each of {players} seats, not {text}"
        )


def _sides_text(sides: Sequence[int]) -> str:
    """The seats of each side, as text."""
    return " and ".join(
        str(tuple(seat for seat, other in enumerate(sides) if other == side))
        for side in dict.fromkeys(sides)
    )


def check_payoffs(payoffs: Sequence[Any], payoff: Payoff, sides: Sequence[int], games: int) -> None:
    """Raise GameAuthorError unless a game may pay this to seats of these `sides`, with so many
    games in a deal."""
    players, text = len(sides), f"payoffs {[*payoffs]!r:.80}"
    if len(payoffs) != players:
        raise GameAuthorError(f"{text} are not one for each of {players} seats")
    try:
        parts = [payoff.parts_of(value) for value in payoffs]
    except (TypeError, ValueError) as error:
        unit = payoff.unit if payoff.parts == 1 else f"1/{payoff.parts} of a {payoff.unit}"
        raise GameAuthorError(f"{text} must be whole multiples of a {unit}: {error}") from None
    total = sum(parts)
    if payoff.zero_sum and total:
        raise GameAuthorError(
            f"{text} add up to {total / payoff.parts:g}, not to 0, as the game is zero-sum"
        )
    for bound, extreme, wrong in ((payoff.low, min, "less than"), (payoff.high, max, "more than")):
        if isinstance(bound, int | float) and extreme([bound, *payoffs]) != bound:
            raise GameAuthorError(f"{text}: {extreme(payoffs)} is {wrong} the bound {bound:g}")
    if len({*zip(sides, parts, strict=True)}) > len({*sides}):
        raise GameAuthorError(
            f"{text} differ within a side; sides are {_sides_text(sides)}, and partners get the"
            " same"
        )
    if max(map(abs, parts)) * games > LARGEST:
        raise GameAuthorError(
            f"{text} are too large: {games} games of a deal may pay a bot {LARGEST:,} parts"
        )
