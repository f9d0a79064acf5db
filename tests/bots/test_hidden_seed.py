"""Bots that look for the dice to come: where nobody named a seed they must find nothing.

A bot that finds nothing plays like its blind twin, so their games are the same to the last win.
"""

import zlib
from collections import Counter
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


RECOGNISES = """
import sys
from cantstop_arena import hookimpl
known = sys.__dict__.setdefault("_known", set())  # the first rolls of former games
rolls, key = [], None

@hookimpl
def choose_move(turn, moves):
    global rolls, key
    if turn.number <= turn.players and turn.rolls == 1:
        rolls, key = [], None
    rolls.append(turn.dice)
    if len(rolls) == 4:
        key = tuple(rolls)
        if key in known:
            rolls.append("again")
        known.add(key)
    return 0

@hookimpl
def roll_again(turn):
    return turn.rolls < (1 if "again" in rolls else 3)
"""
FIELDS = {
    2: "[{bot}, rule28, cautious]",
    3: "[{bot}, rule28, cautious, daring]",
    4: "[{bot}, rule28, cautious, daring]",
}
VERSIONS = "[{bot}, {bot: one/rival.py, as: r1}, {bot: two/rival.py, as: r2}]"


def wins_of(
    arena: Arena, bot: str, field: str, players: int, isolate: str
) -> Counter[tuple[str, ...]]:
    """What a bot wins in each group of a field, played in one process of the arena."""
    path = f"bot{zlib.crc32(bot.encode())}/looks.py"
    looks = f"bot: {path}, isolate: {isolate}"
    games = {2: 40, 3: 36, 4: 48}[players]
    yaml = f"games: {games}\nplayers: {players}\nseed: 5\nbots: {field.replace('bot', looks, 1)}\n"
    files = {path: bot, "one/rival.py": BLIND, "two/rival.py": BLIND.replace("< 3", "< 4")}
    wins: Counter[tuple[str, ...]] = Counter()
    for lineup in arena(f"{RUN} --fresh", files=files, yaml=yaml).json["lineups"]:
        if "looks" in lineup["seats"]:
            won = lineup["wins"][lineup["seats"].index("looks")]
            wins[tuple(sorted(lineup["seats"]))] += won
    return wins


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "field", "isolate"),
    [
        *((players, field, "false") for players, field in FIELDS.items()),
        (2, VERSIONS, "processes"),
    ],
)
def test_who_remembers_dice_does_not_meet_them_again(
    arena: Arena, players: int, field: str, isolate: str
) -> None:
    """Neither in the rotations of a circle, nor in others, nor against others.

    It plays like its twin that remembers nothing, but for the game of each group that is played
    twice, to see whether the bot repeats itself.
    """
    remembering, blind = (
        wins_of(arena, bot, field, players, isolate) for bot in (RECOGNISES, BLIND)
    )
    assert all(abs(remembering[group] - blind[group]) <= 1 for group in blind)


@pytest.mark.slow
def test_dice_can_be_recognised_where_versions_of_a_rival_share_them(arena: Arena) -> None:
    """In the arena's own processes, as the reference says: so the bot above does recognise."""
    remembering, blind = (wins_of(arena, bot, VERSIONS, 2, "false") for bot in (RECOGNISES, BLIND))
    assert any(abs(remembering[group] - blind[group]) > 1 for group in blind)


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
