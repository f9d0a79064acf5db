"""Bots that look for the dice to come: where nobody named a seed they must find nothing.

A bot that finds nothing plays like its blind twin, so their games are the same to the last win.
"""

import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.parameters import slow_but

GAMES = 40
BLIND = """
from cantstop_arena import hookimpl

@hookimpl
def choose_move(turn, moves):
    return 0

@hookimpl
def roll_again(turn):
    return turn.rolls < 3
"""
SIPHASH = '''
M = (1 << 64) - 1

def turned(word, bits):
    return (word << bits | word >> 64 - bits) & M

def rounds(v, count):
    a, b, c, d = v
    for _ in range(count):
        a = a + b & M
        b = turned(b, 13) ^ a
        a = turned(a, 32)
        c = c + d & M
        d = turned(d, 16) ^ c
        a = a + d & M
        d = turned(d, 21) ^ a
        c = c + b & M
        b = turned(b, 17) ^ c
        c = turned(c, 32)
    return [a, b, c, d]

def key_of(seed, deal, seat, purpose):
    """SipHash-2-4 under the key of a guessed number."""
    low, high = seed & M, seed >> 64 ^ 0x63616E7473746F70
    v = [low ^ 0x736F6D6570736575, high ^ 0x646F72616E646F6D]
    v += [low ^ 0x6C7967656E657261, high ^ 0x7465646279746573]
    for word in (deal, seat * 2 + purpose, 16 << 56):
        v[3] ^= word
        v = rounds(v, 2)
        v[0] ^= word
    v[2] ^= 0xFF
    a, b, c, d = rounds(v, 4)
    return a ^ b ^ c ^ d

def number(key, count):
    word = key + 0x9E3779B97F4A7C15 * count & M
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & M
    word = (word ^ word >> 27) * 0x94D049BB133111EB & M
    return word ^ word >> 31

def columns_of(turn, dice):
    a, b, c, d = dice
    sums = {a + b, c + d, a + c, b + d, a + d, b + c}
    return any(column in turn.usable for column in sums)

def next_roll_lives(turn, key):
    own_turn = (turn.number - 1) // turn.players + 1
    roll = (number(number(key, own_turn), turn.rolls + 1) >> 12) * 1296 >> 52
    return columns_of(turn, [roll // 6**place % 6 + 1 for place in range(4)])
'''
# Guesses seed and deal, and knows them by the first number of its own stream.
CRYSTAL = f"""
import sys
from cantstop_arena import hookimpl
{SIPHASH}
GUESSES = [(seed, deal) for seed in (0, 1, 7, 1980) for deal in range({GAMES // 2})]
if not hasattr(sys, "crystal"):
    sys.crystal = {{
        ((number(key_of(seed, deal, seat, 1), 1) >> 11) / (1 << 53), seat): key_of(seed, deal, seat, 0)
        for seed, deal in GUESSES for seat in range(2)
    }}
key = 0

@hookimpl
def choose_move(turn, moves):
    return 0

@hookimpl
def roll_again(turn):
    global key
    if key == 0:
        key = sys.crystal.get((turn.random(), turn.seat))
    return turn.rolls < 3 if key is None else next_roll_lives(turn, key)
"""  # noqa: E501
COMPILED_BLIND = BLIND.replace("@hookimpl", "@hookimpl\n@compiled").replace(
    "import hookimpl", "import compiled, hookimpl"
)
COMPILED = f"""
import numpy as np
from cantstop_arena import compiled, hookimpl
{SIPHASH}
TABLE = [
    (seat, (number(key_of(seed, deal, seat, 1), 1) >> 11) / (1 << 53), key_of(seed, deal, seat, 0))
    for seed in (0, 1, 7, 1980) for deal in range({GAMES // 2}) for seat in range(2)
]
SEATS = np.array([seat for seat, _, _ in TABLE])
FIRSTS = np.array([first for _, first, _ in TABLE])
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


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in, with the bots."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    return tmp_path


def run(arena: Arena, bot: str, seed: int | str | None, isolate: bool = False) -> Any:
    """What the summary says of a tournament of the bot with another."""
    seeded = "" if seed is None else f"seed: {seed}\n"
    name = f"bot{zlib.crc32(bot.encode())}"  # a file is read once in a process
    Path(f"bots/{name}.py").write_text(bot)
    one = f"{{bot: {name}, as: looks, isolate: {'processes' if isolate else 'false'}}}"
    return arena(
        "run",
        "cup.yaml",
        "--fresh",
        "--quiet",
        "--no-page",
        "--workers",
        "1",
        yaml=f"games: {GAMES}\n{seeded}bots: [{one}, rule28]\n",
    ).json


def log_of(bot: str) -> str:
    """What the bot has printed."""
    (path,) = Path("results/cup/logs").glob(f"*{bot}.log")
    return path.read_text()


def score(summary: Any) -> float:
    found: float = next(one["score"] for one in summary["standings"] if one["bot"] == "looks")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("isolate", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_crystal_bot_knows_the_dice_of_a_seed_that_it_guesses(
    arena: Arena, isolate: bool
) -> None:
    assert score(run(arena, CRYSTAL, 7, isolate)) > score(run(arena, BLIND, 7, isolate)) + 0.3


@pytest.mark.slow
@pytest.mark.parametrize("isolate", slow_but((0,), [False, True]))
def test_a_crystal_bot_sees_nothing_where_no_seed_is_named(arena: Arena, isolate: bool) -> None:
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
    Path("bots/remembers.py").write_text(REMEMBERS)
    bots = "[{bot: remembers, isolate: processes}, cautious, daring, random]"
    arena(
        "run",
        "cup.yaml",
        "--quiet",
        "--no-page",
        "--workers",
        "1",
        yaml=f"games: 8\nbots: {bots}\n",
    )
    tokens = log_of("remembers").split()
    assert len(set(tokens)) == 3, "one process for each group"


READS = (
    """
import glob, json, sys
def seen():
    for name in NAMES:
        for path in glob.glob(name, recursive=True):
            try:
                with open(path, "rb") as file:
                    if file.read(1):
                        yield path
            except OSError:
                pass
print(json.dumps([*seen()]), file=sys.stderr, flush=True)
"""
    + BLIND
)


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_in_the_sandbox_nothing_tells_the_seed(arena: Arena, place: Path) -> None:
    (place / "results").mkdir()
    (place / "way round").symlink_to(place / "results")
    (place / "cups").mkdir()
    names = [f"{place}/{name}" for name in ("results/cup/**", "way round/cup/**", "cups/**")]
    arena(
        "run",
        "cups/cup.yaml",
        "--quiet",
        "--no-page",
        "--workers",
        "1",
        yaml="games: 4\nseed: 7\nbots: [{bot: reads, isolate: true}, odds]",
        bots={"reads": f"NAMES = {names}\n{READS}"},
    )
    seen = {path for line in log_of("reads").splitlines() for path in json.loads(line)}
    assert not seen
