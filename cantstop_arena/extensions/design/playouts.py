"""Values of positions by playing on, and what they say about games.

The value of a position is the chance of each side to win from there, as these bots play. It is
estimated by *playouts*: games to the end with other chance and new instances of the bots, in two
halves A and B. What is chosen by the values of A, such as the lowest point of a game or the best
move, is valued by B, and a variance is a mean of products (A - mean of A)(B - mean of B): so noise
is not taken for drama, and adds nothing on average.

With values V, a result R without random bots has Var(R) = E sum Var(V) over the draws: the values
are a martingale, which only chance moves.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.position import Position
from cantstop_arena.game_api.streams import DealChance, Stream
from cantstop_arena.table.position_with_bots import SeatedPlayers
from cantstop_arena.table.seated_bot import SeatedBot

Floats = NDArray[np.float64]
Sides = Sequence[Sequence[int]]

MAX_BRANCHES = 8  # outcomes, or moves, that are valued at one position
MAX_POINTS = 12  # draws, decisions, and other moments that are valued in one game
MIN_POINTS = 4  # draws, and decisions, of a long game
SHORT = 40  # draws and decisions of a game in which `MAX_POINTS` of each are valued
DECIDED = 0.9  # the chance of winning from which a game counts as decided
QUARTERS = (1 / 3, 1 / 2, 2 / 3)
"""The shares of a game at which it is asked who is last."""


def max_playouts(per_half: int) -> int:
    """The most playouts of a game."""
    return 2 * per_half * (2 * MAX_POINTS * MAX_BRANCHES + MAX_POINTS + 1)


class NoPlayouts(UsageError):
    """Why a game has no playouts."""


class AnalysedGame(msgspec.Struct, frozen=True):
    """What the playouts of one game say.

    `seats` are the bots by seat, `result` is the share of the win of each side. `luck` and `skill`
    are sums, over the draws and the decisions, of the variances of the values of outcomes and of
    moves. `weights` has for decisions what the best move is worth above the second. `lowest` is the
    lowest chance of the winner, None if several share the win; `decided` is the share of the game
    after which its chance stays high. `came_back` has what the side that was last at each of the
    `QUARTERS` won. `choices` has the number of legal moves of every decision, as far as they can
    be counted.
    """

    seats: tuple[int, ...]
    result: tuple[float, ...]
    playouts: int
    choices: tuple[int, ...]
    luck: float | None = None
    skill: float | None = None
    weights: tuple[float, ...] = ()
    lowest: float | None = None
    decided: float | None = None
    came_back: tuple[float, ...] = ()


class Moment(msgspec.Struct, frozen=True):
    """A moment of a game: a copy of the position, before what happened there."""

    position: Position
    choices: tuple[Any, ...] | None
    """The actions that can be taken, else the moves; None where they cannot be listed, or a draw
    is due."""


class Playouts:
    """Games that bots play on from positions, all with different chance.

    `per_half` playouts make a half. Without them only `Game.value` gives values.
    """

    def __init__(self, game: Game, bots: Sequence[SeatedBot], per_half: int, seed: int) -> None:
        self.game = game
        self.per_half = per_half
        self.played = 0
        self._bots = bots
        self._seed = seed

    def values(self, position: Position, seats: Sequence[int]) -> Floats:
        """The values of each side by both halves: a row each. `seats` are the bots by seat.

        Raises FaultError, and UsageError for a game that draws from streams.
        """
        sides = self.game.sides(position.players)
        if position.is_over:
            return np.array([result_of(position, sides)] * 2)
        if (exact_value := self.game.value(position)) is not None:
            return np.array([exact_value] * 2, np.float64)
        values = np.zeros((2, len(sides)))
        for half in values:
            for _ in range(self.per_half):
                half += result_of(self._played_on(position, seats), sides)
        return values / self.per_half

    def _played_on(self, position: Position, seats: Sequence[int]) -> Position:
        """The end of a game from a position, with chance of its own."""
        self.played += 1
        bots = [self._bots[bot] for bot in seats]
        return self.game.play_on(position, self._seed + self.played, bots)


def result_of(position: Position, sides: Sides) -> list[float]:
    """What each side has won of a game that is over; all share a game that nobody won."""
    won = [any(seat in position.winners for seat in side) for side in sides]
    count = sum(won)
    return [each / count for each in won] if count else [1 / len(sides)] * len(sides)


def choices_at(position: Position) -> tuple[Any, ...] | None:
    """The legal actions by number, else the moves; None where neither can be listed."""
    try:
        return tuple(position.legal)
    except UsageError:
        return None if position.offered is None else tuple(position.offered)


def is_numbered(position: Position) -> bool:
    """Whether the actions of a position have numbers."""
    try:
        return position.action_count > 0
    except UsageError:
        return False


def walk(position: Position, players: SeatedPlayers, drawing: Stream) -> Iterator[Moment]:
    """Play a game whose chance is given, and yield every moment of it.

    Raises FaultError, and NoPlayouts for a draw that has no list of outcomes.
    """
    while not position.is_over:
        if position.is_chance:
            yield Moment(position.clone(), None)
            position.give(_sampled(position.outcomes(), drawing))
        else:
            yield Moment(position.clone(), choices_at(position))
            players.play(position)


def _sampled(outcomes: Sequence[tuple[int, float]], drawing: Stream) -> int:
    """The number of an outcome that is drawn. Raises UsageError where there are none."""
    if not outcomes:
        raise NoPlayouts("a draw has no list of outcomes (Chance with sample)")
    remainder = drawing()
    for outcome, chance in outcomes:
        remainder -= chance
        if remainder < 0:
            return outcome
    return outcomes[-1][0]


class PlayoutAnalysis:
    """Analyses games of bots under some rules by playouts."""

    def __init__(self, game: Game, rules: Any, bots: Sequence[SeatedBot], per_half: int, seed: int):
        self.game, self.rules, self.bots = game, rules, bots
        self.per_half, self.seed = per_half, seed

    def game_of(self, number: int, seats: Sequence[int]) -> AnalysedGame:
        """The analysis of a game by its number: all of its chance follows from that.

        Raises FaultError, and NoPlayouts for a game whose chance cannot be given.
        """
        try:
            return self._game_of(number, seats)
        except NoPlayouts:
            raise
        except UsageError as error:  # of Deal.stream or with_chance_of, wherever it draws
            raise NoPlayouts(
                f"{self.game.title} draws from deal.stream, so its chance cannot be drawn anew"
            ) from error

    def choices_of(self, number: int, seats: Sequence[int]) -> AnalysedGame:
        """The legal moves in a game with the chance of its own: no playouts. Raises FaultError."""
        position = self.game.position(self.rules, len(seats), self.seed, number, track=False)
        bots = [self.bots[bot] for bot in seats]
        players = SeatedPlayers(
            self.game, bots, self.rules, _key(DealChance(self.seed, number), "bots")
        )
        moments = [*walk(position, players, Stream(0))]
        result = result_of(position, self.game.sides(len(seats)))
        return AnalysedGame(tuple(seats), tuple(result), 0, _counted(moments))

    def _game_of(self, number: int, seats: Sequence[int]) -> AnalysedGame:
        chance = DealChance(self.seed, number)
        position = self.game.position(self.rules, len(seats), track=False)
        players = SeatedPlayers(
            self.game, [self.bots[bot] for bot in seats], self.rules, _key(chance, "bots")
        )
        moments = [*walk(position, players, chance.stream("draws"))]
        sides = self.game.sides(len(seats))
        result = result_of(position, sides)
        playouts = Playouts(self.game, self.bots, self.per_half, _key(chance, "playouts"))
        pick = chance.stream("picks")
        figures = _figures(moments, sides, result, lambda at: playouts.values(at, seats), pick)
        return AnalysedGame(
            tuple(seats), tuple(result), playouts.played, _counted(moments), **figures
        )


def _counted(moments: Sequence[Moment]) -> tuple[int, ...]:
    """The number of choices at each decision where they can be listed."""
    return tuple(len(each.choices) for each in moments if each.choices is not None)


def _key(chance: DealChance, name: str) -> int:
    """A seed of 63 bits."""
    return chance.stream(name).below(1 << 63)


Values = Callable[[Position], Floats]


def _figures(
    moments: Sequence[Moment], sides: Sides, result: Sequence[float], values: Values, pick: Stream
) -> Mapping[str, Any]:
    """What the values at a game's moments say."""
    draws = [moment.position for moment in moments if moment.position.is_chance]
    choices = [each for each in moments if each.choices is not None and len(each.choices) > 1]
    listed = all(moment.choices is not None or moment.position.is_chance for moment in moments)
    # A playout of a long game takes long: such a game has fewer, and the profile wider intervals.
    points = max(MIN_POINTS, min(MAX_POINTS, MAX_POINTS * SHORT // max(1, len(moments))))
    valued_draws, valued = _some(draws, points, pick), _some(choices, points, pick)
    decisions = [_decision(moment, sides, values, pick) for moment in valued]
    luck = sum(_luck(position, values, pick) for position in valued_draws)
    skill = sum(weighted_variance for weighted_variance, _ in decisions)
    return {
        "luck": luck * len(draws) / max(1, len(valued_draws)),
        "skill": skill * len(choices) / max(1, len(valued)) if listed else None,
        "weights": tuple(weight for _, weight in decisions),
        **_trajectory([moment.position for moment in moments], result, values),
    }


def _some(items: Sequence[Any], points: int, pick: Stream) -> list[Any]:
    """At most so many of the items, drawn without replacement."""
    return [*items] if len(items) <= points else pick.shuffled(items)[:points]


def _luck(position: Position, values: Values, pick: Stream) -> float:
    """The variance of the value over the outcomes of a draw, the mean of all sides."""
    outcomes = position.outcomes()
    chances = np.array([chance for _, chance in outcomes])
    numbers = [number for number, _ in outcomes]
    correction = 1.0
    if len(outcomes) > MAX_BRANCHES:  # a sample of the outcomes, as they are drawn
        numbers = [_sampled(outcomes, pick) for _ in range(MAX_BRANCHES)]
        chances = np.full(MAX_BRANCHES, 1 / MAX_BRANCHES)
        correction = MAX_BRANCHES / (MAX_BRANCHES - 1)
    after = np.array([values(_given(position, number)) for number in numbers])
    return correction * float(_variance(after, chances).mean())


def _given(position: Position, outcome: int) -> Position:
    copy = position.clone()
    copy.give(outcome)
    return copy


def _variance(after: Floats, chances: Floats) -> Floats:
    """The variance of each side's value, from values of branches by halves by sides: products of
    both halves, so that noise adds nothing on average."""
    away = after - np.tensordot(chances, after, axes=1)
    variance: Floats = chances @ (away[:, 0] * away[:, 1])
    return variance


def _decision(moment: Moment, sides: Sides, values: Values, pick: Stream) -> tuple[float, float]:
    """The variance over the moves of the value for the side that decides, and how much the best is
    above the second."""
    position, choices = moment.position, moment.choices or ()
    side = next(index for index, seats in enumerate(sides) if position.seat in seats)
    tried = choices if len(choices) <= MAX_BRANCHES else pick.shuffled(choices)[:MAX_BRANCHES]
    after = np.array([values(_taken(position, choice)) for choice in tried])[:, :, side]
    away = after - after.mean(axis=0)
    weighted_variance = float((away[:, 0] * away[:, 1]).mean())
    if len(tried) < len(choices):
        weighted_variance *= len(tried) / (len(tried) - 1) * (len(choices) - 1) / len(choices)
    second, best = after[:, 0].argsort(kind="stable")[-2:]
    return weighted_variance, float(after[best, 1] - after[second, 1])


def _taken(position: Position, choice: Any) -> Position:
    copy = position.clone()
    if is_numbered(copy):
        copy.step(choice)
    else:
        copy.take(choice)
    return copy


def _trajectory(
    positions: Sequence[Position], result: Sequence[float], values: Values
) -> Mapping[str, Any]:
    """What the values in the course of a game say."""
    count = len(positions)
    if not count or len(result) < 2:
        return {}
    times = sorted({round(index * (count - 1) / MAX_POINTS) for index in range(MAX_POINTS + 1)})
    path = np.array([values(positions[time]) for time in times])  # times, halves, sides
    behind = [_last_at(share * count, times, path) for share in QUARTERS]
    figures: dict[str, Any] = {
        "came_back": tuple(float(np.array(result)[last].mean()) for last in behind)
    }
    if max(result) == 1.0:
        winner = int(np.argmax(result))
        figures["lowest"] = float(path[path[:, 0, winner].argmin(), 1, winner])
        safe = path[:, :, winner].mean(axis=1) >= DECIDED
        unsafe = np.flatnonzero(~safe)
        later = times[unsafe[-1] + 1] if len(unsafe) and unsafe[-1] + 1 < len(times) else count
        figures["decided"] = (later if len(unsafe) else 0) / count
    return figures


def _last_at(time: float, times: Sequence[int], path: Floats) -> NDArray[np.intp]:
    """The sides with the lowest value, by half A, at the moment nearest to a time."""
    nearest = min(range(len(times)), key=lambda index: abs(times[index] - time))
    lowest = path[nearest, 0]
    return np.flatnonzero(lowest == lowest.min())
