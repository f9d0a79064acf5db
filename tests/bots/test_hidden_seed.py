"""Bots that look for the dice to come: where nobody named a seed they must find nothing.

A bot that finds nothing plays like its blind twin, so their games are the same to the last win.
"""

import zlib
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.naive_dice import circle, splitmix, stream

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
        (splitmix(stream(bits, deal, seat, 1), 1) >> 11) / (1 << 53),
        stream(bits, deal, seat, 0),
    )
    for seed, deal, seat in product((0, 1, 7, 1980), range(GAMES // 2), range(2))
    for bits in [circle(seed, ["looks", "rule28"])]
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


def run(arena: Arena, bot: str, seed: int | str | None, isolate: str = "false") -> Any:
    """What the summary says of a tournament of the bot with another."""
    seeded = "" if seed is None else f"seed: {seed}\n"
    path = f"bot{zlib.crc32(bot.encode())}/looks.py"  # a file is read once in a process
    yaml = f"games: {GAMES}\n{seeded}bots: [{{bot: {path}, isolate: {isolate}}}, rule28]\n"
    return arena(f"{RUN} --fresh", files={path: bot}, yaml=yaml).json


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
    (log,) = Path("results/cup/logs").glob("*remembers.log")
    assert len(set(log.read_text().split())) == 3, "one process for each group"
