"""Exact values of tiny boards, worked out slowly: every turn unrolled by the naive reading of the
rules, and the values of all positions improved together, sweep by sweep, until they stand still."""

from dataclasses import dataclass
from itertools import product

from helpers import naive
from helpers.naive import Position, Rules

Runners = tuple[tuple[int, int], ...]
Key = tuple[Runners, ...]


@dataclass
class State:
    """A state of a turn: what rolls offer, as states, and what stopping leads to.

    `stop` is None where stopping is not allowed, else a key of a position of the next player, or
    a number where the game is over: the share of the win. `forced`: stopping is compulsory.
    """

    rolls: list[list[int]]
    stop: Key | float | None
    forced: bool


def values_of(rules: Rules, players: int, sweeps: int = 400) -> dict[Key, float]:
    """The value of every position that can come about, seen by the player on turn.

    For two players the share of the win, for one minus the turns still to come.
    """
    graphs: dict[Key, list[State]] = {}
    waiting = [Position(rules, 0, [{} for _ in range(players)])]
    while waiting:
        position = waiting.pop()
        if key_of(position) not in graphs:
            graphs[key_of(position)], later = unrolled(position)
            waiting += later
    return settled(graphs, players, sweeps)


def settled(graphs: dict[Key, list[State]], players: int, sweeps: int) -> dict[Key, float]:
    """The values at which sweeps over all positions stand still."""
    values = dict.fromkeys(graphs, 0.5 if players == 2 else -1.0)
    for _ in range(sweeps):
        most = 0.0
        for key, states in graphs.items():
            bust = 1 - values[other(key)] if players == 2 else values[key]
            found = turn_value(states, values, bust, players) - (players == 1)
            most, values[key] = max(most, abs(found - values[key])), found
        if most < 1e-13:
            return values
    raise AssertionError("the values do not stand still")


def key_of(position: Position) -> Key:
    """What tells a position from others, the player on turn first."""
    order = [
        (position.seat + step) % len(position.markers) for step in range(len(position.markers))
    ]
    return tuple(tuple(sorted(position.markers[seat].items())) for seat in order)


def other(key: Key) -> Key:
    """The same position, seen by the next player."""
    return (*key[1:], key[0])


def unrolled(position: Position) -> tuple[list[State], list[Position]]:
    """All states of a turn, the beginning first, and the positions that may come next."""
    states: list[State] = []
    numbers: dict[Runners, int] = {}
    later = [turned(position)]
    waiting = [position]
    numbers[()] = 0
    while len(states) < len(waiting):
        now = waiting[len(states)]
        forced, stop = ending(now, later)
        rolls = [] if forced else [offers(now, dice, numbers, waiting) for dice in all_dice(now)]
        states.append(State(rolls, stop, forced))
    return states, later


def all_dice(position: Position) -> list[tuple[int, ...]]:
    """Every roll of the dice."""
    return list(product(range(1, position.rules["sides"] + 1), repeat=4))


def offers(
    now: Position, dice: tuple[int, ...], numbers: dict[Runners, int], waiting: list[Position]
) -> list[int]:
    """The states that a roll can lead to; new ones are numbered, and wait."""
    reached = []
    for move in naive.legal_moves(now, dice):
        runners = naive.after(now, move)
        key = tuple(sorted(runners.items()))
        if key not in numbers:
            numbers[key] = len(waiting)
            waiting.append(naive.with_runners(now, runners))
        reached.append(numbers[key])
    return reached


def ending(now: Position, later: list[Position]) -> tuple[bool, Key | float | None]:
    """Whether the turn must be stopped here, and what stopping leads to."""
    if not naive.may_stop(now):
        return False, None
    left = naive.after_stop(now)
    result = naive.outcome(left)
    if result is None:
        later.append(turned(left))
        return False, key_of(later[-1])
    winners = result[0]
    if len(now.markers) == 1:
        return True, 0.0
    return now.seat in winners, 1 / len(winners) if now.seat in winners else 0.0


def turned(position: Position) -> Position:
    """The same board with the next player on turn."""
    seat = (position.seat + 1) % len(position.markers)
    return Position(position.rules, seat, position.markers, position.claimed)


def turn_value(states: list[State], values: dict[Key, float], bust: float, players: int) -> float:
    """The value of a turn, whose states lead only to states with more advances."""
    known: dict[int, float] = {}

    def value(number: int) -> float:
        if number not in known:
            state = states[number]
            stop = stop_value(state, values, players)
            known[number] = stop if state.forced else max(stop, rolling(state))
        return known[number]

    def rolling(state: State) -> float:
        worths = [max(map(value, offered)) if offered else bust for offered in state.rolls]
        return sum(worths) / len(worths)

    return value(0)


def stop_value(state: State, values: dict[Key, float], players: int) -> float:
    """What stopping is worth; nothing is worse than what is not allowed."""
    if state.stop is None:
        return float("-inf")
    if isinstance(state.stop, float):
        return state.stop
    return 1 - values[state.stop] if players == 2 else values[state.stop]
