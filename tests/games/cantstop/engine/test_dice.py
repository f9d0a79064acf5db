"""Keyed dice: a roll depends on (seed, deal, seat, the seat's turn, roll) and on nothing else."""

import random
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numba
import numpy as np
import pytest
from conftest import Tables, from_python
from helpers.naive_dice import MASK, circle, siphash, splitmix, stream
from numpy.typing import NDArray

from cantstop_arena.games.cantstop.engine import dice
from cantstop_arena.games.cantstop.engine.game_array import secret
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.records import Event
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, RuleSet, derive
from cantstop_arena.games.cantstop.turn import Turn, dice_of
from cantstop_arena.table.recording import record
from cantstop_arena.table.seated_bot import SeatedBot

Secret = NDArray[np.uint64]  # the 128 bits of a seed, as the engine has them
Key = tuple[int, int, int]  # a seat, one of its turns, a roll of that turn


def expected_dice(seed: int, deal: int, key: Key, sides: int) -> list[int]:
    """The four dice that a game must show."""
    seat, turn, roll = key
    number = splitmix(splitmix(stream(seed, deal, seat, 0), turn), roll)
    return list(dice_of((number >> 12) * sides**4 >> 52, sides))


def test_siphash_gives_the_reference_vector() -> None:
    """Aumasson and Bernstein's test vector for key 00..0f and message 00..0f."""
    low, high = np.frombuffer(bytes(range(16)), "<u8")
    assert from_python(dice.siphash)(low, high, low, high) == 0x3F2ACC7F57C29BDB
    assert siphash(bytes(range(16)), bytes(range(16))) == 0x3F2ACC7F57C29BDB


# What the dice of a game depend on ---------------------------------------------------------------


def rolled(events: Iterable[Event], players: int) -> dict[Key, list[int]]:
    """The dice of a recorded game by seat, the seat's turn and the roll of that turn."""
    found: dict[Key, list[int]] = {}
    for event in events:
        if event["event"] == "roll":
            turn = (event["turn"] - 1) // players + 1
            roll = sum(1 for key in found if key[:2] == (event["seat"], turn)) + 1
            found[event["seat"], turn, roll] = event["dice"]
    return found


def dice_in_game(
    tables: Tables, *bots: str, deal: int = 0, seed: int = 1980, rules: RuleSet = CLASSIC
) -> dict[Key, list[int]]:
    """The dice of one game of these bots."""
    table = tables.of(rules, bots, len(bots), seed)
    return rolled(record(table, tuple(range(len(bots))), deal), len(bots))


@pytest.mark.parametrize("seed", [0, 1980, 2**63 - 1, 2**64 - 1, 2**64, 2**128 - 1])
@pytest.mark.parametrize("sides", [2, 6, 8])
def test_every_roll_is_the_number_that_its_key_gives(tables: Tables, seed: int, sides: int) -> None:
    """The same dice on every machine, in every release: reckoned again with plain integers."""
    rules, bots = derive(CLASSIC, {"sides": sides}), ("random", "cautious", "rule28")
    for deal in (0, 17, 10**9):
        found = dice_in_game(tables, *bots, deal=deal, seed=seed, rules=rules)
        assert found
        bits = circle(seed, bots)
        assert all(dice == expected_dice(bits, deal, key, sides) for key, dice in found.items())


def shared(first: dict[Key, list[int]], second: dict[Key, list[int]]) -> float:
    """The share of equal rolls among those that two games both come to."""
    keys = first.keys() & second.keys()
    assert len(keys) > 10
    return sum(first[key] == second[key] for key in keys) / len(keys)


def test_a_circle_rolls_the_same_whoever_begins_and_by_whatever_rules(tables: Tables) -> None:
    """Rolls that two games both come to are equal: of other rules, of plain bots, in rotations."""
    game = dice_in_game(tables, "cautious", "random", "rule28")
    for same in (
        dice_in_game(tables, "random", "rule28", "cautious"),
        dice_in_game(tables, "rule28", "plain cautious", "random"),
        dice_in_game(tables, "cautious", "random", "rule28", rules=NAMED["jump"][0]),
    ):
        assert shared(game, same) == 1
    for other in (
        dice_in_game(tables, "random", "cautious", "rule28"),
        dice_in_game(tables, "cautious", "random", "daring"),
        dice_in_game(tables, "cautious", "random"),
        dice_in_game(tables, "cautious", "random", "random"),
    ):
        assert shared(game, other) < 0.2
    alone = dice_in_game(tables, "cautious")
    assert shared(alone, dice_in_game(tables, "rule28", rules=NAMED["jump"][0])) == 1


def test_twins_have_circles_of_their_own(tables: Tables) -> None:
    """Or a bot and copies of another would play the same few games in all their seatings."""
    table = tables.of(CLASSIC, ["daring", "cautious", "cautious"], 3)
    games = [rolled(record(table, seats, 0), 3) for seats in ((0, 1, 2), (0, 2, 1), (2, 0, 1))]
    assert shared(games[0], games[1]) < 0.2
    assert shared(games[0], games[2]) == 1
    assert shared(games[1], rolled(record(table, (2, 1, 0), 0), 3)) == 1


def test_other_seeds_deals_seats_turns_and_rolls_bring_other_dice(tables: Tables) -> None:
    """No part of the key is lost or mixed up with another: no roll comes far too often."""
    seen: list[list[int]] = []
    for number in range(10):
        seen += dice_in_game(tables, "cautious", "cautious", deal=number).values()
        seen += dice_in_game(tables, "cautious", "cautious", seed=number).values()
    assert len(seen) > 500
    assert max(seen.count(dice) for dice in seen) < 8


# Uniform, and independent -------------------------------------------------------------------------


def _rolls(secret: Secret, rolls: int, deals: int, turns: int) -> NDArray[np.int64]:
    """Roll numbers by deal, seat, turn and roll; compiled, so in the numba subset."""
    found = np.zeros((deals, 2, turns, 8), np.int64)
    for deal in range(deals):
        for seat in range(2):
            key = dice.stream_key(secret, deal, seat, dice.DICE)
            for turn in range(turns):
                turn_key = dice.number_at(key, turn + 1)
                for roll in range(8):
                    found[deal, seat, turn, roll] = dice.roll_at(turn_key, roll + 1, rolls)
    return found


def _fractions(secret: Secret, deals: int, count: int) -> NDArray[np.float64]:
    """A bot's random numbers by deal, seat and draw; compiled likewise."""
    found = np.zeros((deals, 2, count), np.float64)
    for deal in range(deals):
        for seat in range(2):
            key = dice.stream_key(secret, deal, seat, dice.BOT)
            for draw in range(count):
                found[deal, seat, draw] = dice.fraction_at(key, draw + 1)
    return found


def _of(number: int) -> Secret:
    return np.array(secret(number), np.uint64)


@cache
def some_rolls() -> NDArray[np.int64]:
    """Rolls of 1000 deals."""
    return np.asarray(numba.njit(_rolls)(_of(7), 1296, 1000, 40))


def coarse() -> NDArray[np.int64]:
    """The first two dice of each."""
    return some_rolls() // 36


@cache
def fractions() -> NDArray[np.float64]:
    """What bots draw in 1000 deals."""
    return np.asarray(numba.njit(_fractions)(_of(7), 1000, 320))


def is_uniform(cells: NDArray[Any], count: int) -> bool:
    """Whether cell numbers are spread as chance would: chi-square within four deviations."""
    found = np.bincount(cells.ravel(), minlength=count)
    expected = cells.size / count
    chi_square = float(((found - expected) ** 2 / expected).sum())
    return bool(found.size == count and abs(chi_square - count + 1) < 4 * (2 * count - 2) ** 0.5)


@pytest.mark.slow
def test_rolls_are_uniform() -> None:
    """All 1296 rolls alike, with a fixed seed; all numbers of sides alike."""
    assert is_uniform(some_rolls(), 1296)
    for sides in (2, 3, 4, 5, 7, 8):
        assert is_uniform(numba.njit(_rolls)(_of(8), sides**4, 100, 40), sides**4)


Pair = tuple[NDArray[Any], NDArray[Any]]


def drawn_pairs() -> Pair:
    """A number and the next one."""
    numbers = (fractions() * 36).astype(np.int64)
    return numbers[..., :-1], numbers[..., 1:]


def dice_and_bot() -> Pair:
    """Dice, and what the bot of the same seat draws."""
    return coarse().reshape(1000, 2, -1), (fractions() * 36).astype(np.int64)


PAIRS: dict[str, Callable[[], Pair]] = {
    "successive rolls": lambda: (coarse()[..., :-1], coarse()[..., 1:]),
    "successive turns": lambda: (coarse()[:, :, :-1], coarse()[:, :, 1:]),
    "two seats": lambda: (coarse()[:, 0], coarse()[:, 1]),
    "successive deals": lambda: (coarse()[:-1], coarse()[1:]),
    "a roll and the next turn's": lambda: (coarse()[:, :, :-1, 1:], coarse()[:, :, 1:, :-1]),
    "both halves of a roll": lambda: (coarse(), some_rolls() % 36),
    "dice and bot": dice_and_bot,
    "successive draws": drawn_pairs,
}


@pytest.mark.slow
@pytest.mark.parametrize("pairs", PAIRS.values(), ids=PAIRS.keys())
def test_numbers_tell_nothing_about_each_other(
    pairs: Callable[[], Pair],
) -> None:
    """Pairs of what must be independent fill their table of 36 x 36 evenly."""
    these, those = pairs()
    assert is_uniform(these * 36 + those, 1296)


# Bots' own random numbers -------------------------------------------------------------------------


@pytest.mark.slow
def test_a_bots_numbers_are_fractions() -> None:
    """From 0 up to but not including 1, the extremes reckoned from the formula."""
    assert 0 <= fractions().min() < 0.001
    assert 0.999 < fractions().max() < 1
    assert is_uniform((fractions() * 100).astype(np.int64), 100)
    assert from_python(dice.fraction_at)(np.uint64(0), np.int64(0)) == 0
    assert float(MASK >> 11) / (1 << 53) < 1


def handmade(choose_move: Callable[..., Any], roll_again: Callable[..., Any]) -> SeatedBot:
    """A plain bot of two functions."""
    return SeatedBot("handmade", Player(choose_move, roll_again), "handmade")


def beside(tables: Tables, bot: SeatedBot) -> EngineTable:
    """A table of three seats for a bot and two built-in ones."""
    others = [SeatedBot(name, tables.player(name), name) for name in ("random", "cautious")]
    return EngineTable(GAME, CLASSIC, [bot, *others], 3, 1980)


def test_a_bots_numbers_are_those_of_its_seat_and_deal(tables: Tables) -> None:
    """Drawn in any order of games and at any decision, they are reckoned again exactly."""
    drawn: list[float] = []

    def roll_again(turn: Turn) -> bool:
        drawn.append(turn.random())
        return False

    table = beside(tables, handmade(lambda turn, moves: 0, roll_again))
    for seats, deal in [((0, 1, 2), 5), ((1, 2, 0), 9), ((0, 2, 1), 5)]:
        drawn.clear()
        list(record(table, seats, deal))
        names = [table.seated_bots[bot].name for bot in seats]
        key = stream(circle(1980, names), deal, seats.index(0), 1)
        assert drawn == [(splitmix(key, n + 1) >> 11) / 2**53 for n in range(len(drawn))]
        assert len(drawn) > 3


def test_drawing_numbers_does_not_change_the_game(tables: Tables) -> None:
    """A bot that draws at every decision meets the dice of one that never does."""

    def wasteful(turn: Turn) -> bool:
        return sum(turn.random() for _ in range(turn.rolls)) < 0

    silent = handmade(lambda turn, moves: 0, lambda turn: False)
    drawing = handmade(lambda turn, moves: int(wasteful(turn)), wasteful)
    one, other = (list(record(beside(tables, bot), (1, 0, 2), 3)) for bot in (silent, drawing))
    assert one == other


def test_what_plain_bots_draw_elsewhere_is_reproducible(tables: Tables) -> None:
    """Python's and NumPy's own generators depend on the deal, not on what was played before."""
    table = beside(
        tables,
        handmade(
            lambda turn, moves: random.randrange(len(moves)),
            lambda turn: bool(np.random.random() < 0.5),
        ),
    )
    first = list(record(table, (0, 1, 2), 4))
    others = [list(record(table, (0, 1, 2), deal))[1:] for deal in (5, 6)]
    assert list(record(table, (0, 1, 2), 4)) == first
    assert first[1:] not in others
