"""Bots that look for the dice to come: where nobody named a seed they must find nothing.

A bot that finds nothing plays like its blind twin, so their games are the same to the last win.
"""

import zlib
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.naive_dice import splitmix, stream

GAMES = 40
RUN = "run cup.yaml --quiet --no-page --workers 1"
BLIND = """
from cantstop_arena import hookimpl

@hookimpl
def choose_move(turn, moves):
    return 0

@hookimpl
def roll_again(turn):
    return turn.rolls < 3
"""
# Seeds that a bot guesses, and what it can compute of them beforehand, for each seat and deal: the
# first number of its own stream, by which it knows the deal, and the key of its dice.
GUESSES = [
    (
        seat,
        (splitmix(stream(seed, deal, seat, 1), 1) >> 11) / (1 << 53),
        stream(seed, deal, seat, 0),
    )
    for seed, deal, seat in product((0, 1, 7, 1980), range(GAMES // 2), range(2))
]
CRYSTAL = f"""
from cantstop_arena import hookimpl
from cantstop_arena.game_api.streams import number_at
KEYS = {{(seat, first): key for seat, first, key in {GUESSES}}}
key = 0

@hookimpl
def choose_move(turn, moves):
    return 0

@hookimpl
def roll_again(turn):
    global key
    if key == 0:
        key = KEYS.get((turn.seat, turn.random()))
    if key is None:
        return turn.rolls < 3
    own_turn = (turn.number - 1) // turn.players + 1
    roll = (number_at(number_at(key, own_turn), turn.rolls + 1) >> 12) * 1296 >> 52
    a, b, c, d = [roll // 6**place % 6 + 1 for place in range(4)]
    return not {{a + b, c + d, a + c, b + d, a + d, b + c}}.isdisjoint(turn.usable)
"""
COMPILED_BLIND = BLIND.replace("@hookimpl", "@hookimpl\n@compiled").replace(
    "import hookimpl", "import compiled, hookimpl"
)
COMPILED = f"""
import numpy as np
from cantstop_arena import compiled, hookimpl
TABLE = {GUESSES}
SEATS = np.array([seat for seat, _, _ in TABLE])
KEYS = np.array([key for _, _, key in TABLE], np.uint64)
U = np.uint64

@compiled
def mixed(key, count):
    word = key + U(0x9E3779B97F4A7C15) * U(count)
    word = (word ^ (word >> U(30))) * U(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> U(27))) * U(0x94D049BB133111EB)
    return word ^ (word >> U(31))

@hookimpl
@compiled
def choose_move(turn, moves):
    turn.random()
    return 0

@hookimpl
@compiled
def roll_again(turn):
    now = 216 * turn.dice[0] + 36 * turn.dice[1] + 6 * turn.dice[2] + turn.dice[3] - 259
    own_turn = (turn.number - 1) // turn.players + 1
    for index in range(len(KEYS)):
        key = mixed(KEYS[index], own_turn)
        seen = np.int64(((mixed(key, turn.rolls) >> U(12)) * U(1296)) >> U(52))
        if SEATS[index] == turn.seat and seen == now:
            roll = np.int64(((mixed(key, turn.rolls + 1) >> U(12)) * U(1296)) >> U(52))
            a, b, c, d = roll % 6 + 1, roll // 6 % 6 + 1, roll // 36 % 6 + 1, roll // 216 + 1
            return (
                a + b in turn.usable or c + d in turn.usable or a + c in turn.usable
                or b + d in turn.usable or a + d in turn.usable or b + c in turn.usable
            )
    return turn.rolls < 3
"""


def run(arena: Arena, bot: str, seed: int | str | None, isolate: str = "false") -> Any:
    """What the summary says of a tournament of the bot with another."""
    seeded = "" if seed is None else f"seed: {seed}\n"
    name = f"bot{zlib.crc32(bot.encode())}"  # a file is read once in a process
    entry = f"{{bot: {name}, as: looks, isolate: {isolate}}}"
    yaml = f"games: {GAMES}\n{seeded}bots: [{entry}, rule28]\n"
    return arena(f"{RUN} --fresh", bots={name: bot}, yaml=yaml).json


def log_of(bot: str) -> str:
    """What the bot has printed."""
    (path,) = Path("results/cup/logs").glob(f"*{bot}.log")
    return path.read_text()


def score(summary: Any) -> float:
    found: float = next(one["score"] for one in summary["standings"] if one["bot"] == "looks")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("isolate", ["false", "processes"])
def test_a_crystal_bot_sees_nothing_where_no_seed_is_named(arena: Arena, isolate: str) -> None:
    """Which it does where it guesses the seed."""
    assert score(run(arena, CRYSTAL, 7, isolate)) > score(run(arena, BLIND, 7, isolate)) + 0.3
    found = run(arena, CRYSTAL, None, isolate)
    assert found["lineups"] == run(arena, BLIND, found["seed"], isolate)["lineups"]


@pytest.mark.slow
def test_a_compiled_crystal_bot_needs_a_seed_that_can_be_guessed(arena: Arena) -> None:
    crystal, blind = COMPILED, COMPILED_BLIND
    assert score(run(arena, crystal, 7)) > score(run(arena, blind, 7)) + 0.3
    found = run(arena, crystal, None)
    assert score(found) < score(run(arena, blind, found["seed"])) + 0.2


# Where a seed stands, and what has been seen ------------------------------------------------------


REMEMBERS = (
    """
import os, sys
if not hasattr(sys, "token"):
    sys.token = os.urandom(8).hex()
print(sys.token, file=sys.stderr, flush=True)
"""
    + BLIND
)


@pytest.mark.slow
def test_a_process_never_meets_the_dice_of_a_group_again_with_another(arena: Arena) -> None:
    bots = "[{bot: remembers, isolate: processes}, cautious, daring, random]"
    arena(RUN, bots={"remembers": REMEMBERS}, yaml=f"games: 8\nbots: {bots}\n")
    tokens = log_of("remembers").split()
    assert len(set(tokens)) == 3, "one process for each group"
