"""What scores luck is compiled before workers start, who are watched while they play."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Tables
from msgspec.structs import replace
from numba import typeof

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import BY_STAKE, Block
from cantstop_arena.games.cantstop.engine import luck
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.tournaments.file.tournament_file import read
from cantstop_arena.tournaments.preparation import prepare_bots, split_by_machine_code
from cantstop_arena.tournaments.table_spec import bot_start, table_spec_for

ENTRIES = ("play_scored", "score_roll", "add_luck_to_deal")
Asked = set[tuple[str, str]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What is asked of machine code, as numba tells apart what it compiles: by types."""
    asked: Asked = set()

    def noting(name: str, entry: Callable[..., Any]) -> Callable[..., Any]:
        def note(*arguments: Any) -> Any:
            asked.add((name, str([typeof(argument) for argument in arguments])))
            return entry(*arguments)

        return note

    for name in ENTRIES:
        monkeypatch.setattr(luck, name, noting(name, getattr(luck, name)))
    return asked


def test_a_table_that_has_warmed_up_has_compiled_all_that_play_needs(
    tables: Tables, asked: Asked
) -> None:
    compiled = tables.of(CLASSIC, ["rule28", "odds"], 2)
    plain = tables.of(CLASSIC, ["plain rule28", "plain odds"], 2)
    for table in (compiled, plain):
        table.luck_measure = BY_STAKE
    try:
        compiled.warm_up()
        warm = set(asked)
        asked.clear()
        for table in (compiled, plain):
            table.play(Block((0, 1), 0, 1))
    finally:
        for table in (compiled, plain):
            table.luck_measure = ""
    assert {name for name, _ in warm} == set(ENTRIES)
    assert asked == warm
    assert not compiled.seat_luck.any()


@pytest.mark.parametrize("bots", ["[rule28, odds]", "[rule28, mine.py]"])
def test_so_has_the_process_that_workers_are_forked_from(
    tmp_path: Path, asked: Asked, bots: str
) -> None:
    tmp_path.joinpath("mine.py").write_text(
        "def choose_move(turn, moves):\n    return 0\ndef roll_again(turn):\n    return False\n"
    )
    file = tmp_path / "lucky.yaml"
    file.write_text(f"games: 2\nseed: 1\nluck_removed: true\nbots: {bots}\n")
    catalogue = Catalogue(tmp_path)
    prepare_bots(table_spec_for(read(file, catalogue), catalogue), lambda names: None)
    assert {name for name, _ in asked} == set(ENTRIES)


def test_bots_with_the_same_machine_code_wait_until_one_of_them_has_compiled_it() -> None:
    rule28 = Catalogue(Path("no such folder")).find("rule28")

    def start(**options: Any) -> Any:
        return bot_start("rule28", rule28, {**rule28.defaults, **options})

    low, high, outer = start(threshold=20), start(threshold=30), start(prefer="outer")
    assert split_by_machine_code([low, high, outer, low]) == ([low, outer], [high])
    plain = [replace(each, backend="plain") for each in (low, high)]
    assert split_by_machine_code(plain) == (plain, [])
