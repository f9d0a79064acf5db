"""Options in memory: the same machine code plays with all of their values."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from helpers.paths import TESTS
from msgspec.structs import replace

from cantstop_arena.bots.bot_start import BotStart
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import Block
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.engine import bot_calls
from cantstop_arena.games.cantstop.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.games.cantstop.engine.entry_points import native_player
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.hookspecs import compiled
from cantstop_arena.native.memory_options import block_of, is_array, is_number, kinds_of
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.tournaments.table_spec import bot_start


@compiled
def choose_move(turn, moves, last, shares):
    return len(moves) - 1 if last or turn.random() < shares[0] else 0


@compiled
def roll_again(turn, rolls, steps, chance, last):
    return turn.rolls < rolls + steps[1] or (last and turn.random() < chance)


def in_python(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *view, **options: function(*view, **options)


def player(wrap: Callable[..., Any], rolls: int, chance: float, last: bool) -> Player:
    return Player(
        partial(wrap(choose_move), last=last, shares=(0.25, 0.5)),
        partial(wrap(roll_again), rolls=rolls, steps=(0, 1), chance=chance, last=last),
    )


COMPILED = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
VALUES = [(0, 0.25, True), (2, 0.75, True), (-1, float("inf"), False)]


def winners(wrap: Callable[..., Any], machine_code: bool) -> Any:
    bots = [
        SeatedBot(f"bot {number}", player(wrap, *values), f"{wrap.__name__}+{number}")
        for number, values in enumerate(VALUES)
    ]
    table = EngineTable(GAME, GAME.rules.default, bots, 3, 5)
    assert table.is_compiled(range(3)) is machine_code
    return table.play(Block((0, 1, 2), 0, 40)).masks()


@COMPILED
def test_a_bot_is_compiled_once_for_all_numbers_and_plays_as_in_plain_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(ENGINE_CACHE), "bot_folder", lambda cache, digest: tmp_path)
    compile_player, names = bot_calls.compile_player, []

    def counted(player: Player, name: str) -> Any:
        names.append(name)
        return compile_player(player, name)

    monkeypatch.setattr(bot_calls, "compile_player", counted)
    results = winners(compiled, machine_code=True)
    assert names == ["bot 0"]
    assert (results == winners(in_python, machine_code=False)).all()
    assert len({*map(int, results.ravel())}) == 3


@compiled
def by_table(turn, moves, table, row):
    return int(table[turn.number % len(table), row]) % len(moves)


@compiled
def three_rolls(turn):
    return turn.rolls < 3


def winners_with(table: Any, row: int) -> tuple[Any, Any]:
    """The winners of games with this table, in machine code and in plain Python."""
    options = {"table": table, "row": row}
    fast = Player(partial(by_table, **options), three_rolls)
    slow = Player(partial(in_python(by_table), **options), in_python(three_rolls))
    tables = []
    for bot, name in ((fast, "fast"), (slow, "slow")):
        bots = [SeatedBot("bot", bot, f"{name}{seat}") for seat in range(2)]
        tables.append(EngineTable(GAME, GAME.rules.default, bots, 2, 5))
    compiled_games, plain_games = (each.play(Block((0, 1), 0, 40)).masks() for each in tables)
    return compiled_games, plain_games


@COMPILED
def test_a_bot_is_compiled_once_for_all_large_arrays_and_for_one_that_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(ENGINE_CACHE), "bot_folder", lambda cache, digest: tmp_path)
    large = [np.random.default_rng(seed).integers(0, 100, (200, 2)) for seed in range(2)]
    for table in large:
        table.flags.writeable = False
    for table in large:
        fast, slow = winners_with(table, 1)
        assert (fast == slow).all()
    assert len([*tmp_path.iterdir()]) == 1
    changing = np.zeros((3, 2))
    for value in (0.0, 1.0):
        changing[:] = value
        fast, slow = winners_with(changing, 0)
        assert (fast == slow).all()
    assert len([*tmp_path.iterdir()]) == 2


def test_numbers_and_files_alone_leave_the_machine_code_where_it_is() -> None:
    rule28 = Catalogue(TESTS / "no such folder").find("rule28")

    def folder(**options: Any) -> Path | None:
        start: BotStart = bot_start("rule28", rule28, {**rule28.defaults, **options})
        return ENGINE_CACHE.bot_folder(start.digest)

    assert folder(threshold=20) == folder(threshold=28)
    assert folder(threshold=28) != folder(threshold=28, prefer="outer")
    champion = bot_start("champion", rule28, rule28.defaults)
    mine = replace(champion, options='{"nets": "mine.nets"}', files=(("nets", "a digest"),))
    other = replace(champion, options='{"nets": "other.nets"}', files=(("nets", "another"),))
    assert mine.digest != other.digest
    assert ENGINE_CACHE.bot_folder(mine.digest) == ENGINE_CACHE.bot_folder(other.digest)


def test_small_arrays_and_what_is_no_number_of_64_bits_are_constants() -> None:
    small, large = np.zeros(3), np.zeros((64, 64), np.uint8)
    small.flags.writeable = large.flags.writeable = False
    assert is_array(np.zeros(3)) and is_array(large)
    assert not is_array(small) and not is_array(large[:, ::2]) and not is_array([1.0] * 1000)
    options = (True, 2, 2.5, "2", (1, 2), None, 1 << 63, -(1 << 63))
    assert [is_number(each) for each in options] == [True] * 3 + [False] * 4 + [True]
    assert kinds_of((1, "int")) == kinds_of((2, "int")) != kinds_of((1, "text"))
    assert len({kinds_of((each,)) for each in (1, True, 1.0, "int", ("int",))}) == 5
    assert block_of((1, "text", 1.0, False)) == b"\1".ljust(
        8, b"\0"
    ) + b"\0" * 6 + b"\xf0\x3f" + bytes(8)


@COMPILED
def test_an_integer_of_more_than_64_bits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BotError, match="the option 18446744073709551616 does not fit into 64 bits"):
        native_player(player(compiled, 1 << 64, 0.5, True), "large", tmp_path)
