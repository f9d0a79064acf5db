"""A ledger is read with suspicion: what was changed in it is said, or changes nothing."""

import random
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.parameters import slow_but
from msgspec.structs import replace

from cantstop_arena.errors import LedgerError
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.ledger.read_ledger import load_results, read_ledger
from cantstop_arena.tournaments.ledger.row_codec import LedgerRow, decompressed

CUP = """
players: 2
games: 40
max_faults: 12
bots: [random, rule28, daring, faulty]
"""
FAULTY = """
def choose_move(turn, moves):
    if turn.number > 8:
        raise ValueError("no more")
    return 0
def roll_again(turn):
    return turn.rolls < 2
"""


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tournament file and its results: one with faults, one with a bot out."""
    folder = tmp_path_factory.mktemp("suspicion")
    (folder / "bots").mkdir()
    (folder / "bots" / "faulty.py").write_text(FAULTY)
    for name, most in (("mild", 10_000), ("strict", 12)):
        path = folder / f"{name}.yaml"
        path.write_text(CUP.replace("12", str(most)))
        words = ["--bots", str(folder / "bots"), "--results", str(folder / "results")]
        Arena()("run", path, *words, "--workers", "1", code=3 if name == "strict" else 0)
    return folder


@pytest.fixture
def mild(cup: Path, tmp_path: Path) -> Path:
    """A copy of results in which faults were forgiven."""
    return copied(cup, "mild", tmp_path)


def copied(cup: Path, name: str, place: Path) -> Path:
    folder = place / name
    shutil.copytree(cup / "results" / name, folder)
    return folder


def change(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / LEDGER)) as connection, connection:
        connection.execute(statement, values)


def told_of(folder: Path) -> str:
    """What is said of a ledger that cannot be read, by all who read one."""
    with pytest.raises(LedgerError) as caught:
        load_results([folder], {})
    assert str(folder / LEDGER) in str(caught.value) and "--fresh" in str(caught.value)
    with pytest.raises(LedgerError):
        read_ledger(folder, lambda account: None)
    return str(caught.value)


def one(column: str, what: str) -> str:
    return f"UPDATE blocks SET {column} = {what} WHERE first = 0 AND grp = 3"


PACKED = zlib.compress(b"\0" * 40)
BOMB = zlib.compress(b"\0" * (1 << 25), 9)
CHANGES: dict[str, tuple[str, tuple[object, ...]]] = {
    "a negative number of deals": (one("deals", "-5"), ()),
    "no deals": (one("deals", "0"), ()),
    "more deals": (one("deals", "deals + 1"), ()),
    "too many deals": (one("deals", "9000000000000000000"), ()),
    "before the first deal": (one("first", "-1"), ()),
    "deals of another kind": (one("deals", "'many'"), ()),
    "deals with a fraction": (one("deals", "2.5"), ()),
    "a group that is none": (one("grp", "77"), ()),
    "another group": (one("grp", "2"), ()),
    "a group that is no number": (one("grp", "'[1,2]'"), ()),
    "more detail": (one("detail", "1"), ()),
    "bots of a group": ("UPDATE groups SET bots = '[1,1]' WHERE id = 3", ()),
    "a nest of lists": ("UPDATE groups SET bots = ? WHERE id = 3", ("[" * 100_000,)),
    "bots that are no text": ("UPDATE groups SET bots = ? WHERE id = 3", (b"\xff\xfe",)),
    "a group with another number": ("UPDATE groups SET id = 77 WHERE id = 3", ()),
    "another version": ("UPDATE versions SET digest = 'x' WHERE id = 2", ()),
    "another setting": ("UPDATE settings SET key = '{}'", ()),
    "payoffs": (one("payoffs", "x'00'"), ()),
    "a device": (one("device", "'gpu'"), ()),
    "tallies that are not packed": (one("tallies", "?"), (b"junk",)),
    "tallies of nothing": (one("tallies", "?"), (zlib.compress(b"[]"),)),
    "tallies that are text": (one("tallies", "'junk'"), ()),
    "tallies without number": (one("tallies", "?"), (zlib.compress(b"[NaN, NaN]"),)),
    "tallies that are a bomb": (one("tallies", "?"), (BOMB,)),
    "winners that nobody is": (one("winners", "?"), (b"\0\1\0",)),
    "packed winners": (one("winners", "?"), (PACKED,)),
    "winners that are a bomb": (one("winners", "?"), (BOMB,)),
    "winners that are cut off": (one("winners", "substr(winners, 1, length(winners) - 3)"), ()),
    "measures that nobody asked for": (one("measures", "?"), (PACKED,)),
    "junk for faults": (one("faults", "'junk'"), ()),
    "a fault that is none": (one("faults", "'[{}]'"), ()),
    "another fault": (one("faults", "replace(faults, '\"deal\":', '\"deal\":9')"), ()),
    "a block that is gone": ("DELETE FROM blocks WHERE first = 0 AND grp = 1", ()),
    "a block somewhere else": (one("first", "first + 100000"), ()),
    "irreproducible bots that are none": (one("irreproducible", "'[77]'"), ()),
    "junk for irreproducible": (one("irreproducible", "'{\"a\": NaN}'"), ()),
    "other names": (
        "UPDATE about SET value = replace(value, 'daring', 'rule29') WHERE key = 'query'",
        (),
    ),
    "another kind of tournament": (
        "UPDATE about SET value = replace(value, '\"players\":2', '\"players\":3')"
        " WHERE key = 'query'",
        (),
    ),
    "fewer deals": ("UPDATE about SET value = '7' WHERE key = 'deals'", ()),
}


@pytest.mark.parametrize(
    "changed",
    slow_but(range(0, len(CHANGES), 3), [(one,) for one in CHANGES.values()]),
    ids=CHANGES,
)
def test_what_cannot_have_been_written_is_said(
    mild: Path, changed: tuple[str, tuple[object, ...]]
) -> None:
    change(mild, changed[0], *changed[1])
    told_of(mild)


def test_a_row_is_named(mild: Path) -> None:
    change(mild, one("measures", "x'00'"))
    told = told_of(mild)
    assert "the block from deal 0 on of faulty, random: not as it was written" in told


def test_commands_say_it_and_end_with_1(arena: Arena, cup: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(cup / "results", results)
    change(results / "mild", one("deals", "-5"))
    run = ["run", str(cup / "mild.yaml"), "--results", str(results), "--bots", str(cup / "bots")]
    for words in (run, ["rate", str(results / "mild")], ["report", str(results / "mild")]):
        done = arena(*words, code=None)
        assert done.code == 1 and "not as it was written" in done.output


def test_a_change_outside_of_the_query_is_no_matter_to_a_run(
    arena: Arena, cup: Path, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    shutil.copytree(cup / "results", results)
    small = tmp_path / "mild.yaml"
    small.write_text((cup / "mild.yaml").read_text().replace("daring, ", ""))
    words = ["--results", str(results), "--bots", str(cup / "bots")]
    change(
        results / "mild",
        "UPDATE blocks SET winners = x'00' WHERE grp IN (SELECT id FROM groups WHERE bots LIKE ?)",
        "%3%",
    )
    assert "nothing to play" in arena("run", small, *words).output
    assert "not as it was written" in arena("run", cup / "mild.yaml", *words, code=1).output


def test_what_was_packed_is_unpacked_no_further_than_it_may_be_long() -> None:
    assert decompressed(zlib.compress(b"abc"), 3) == b"abc"
    for packed in (
        zlib.compress(b"abcd"),
        zlib.compress(b"abc") + b"x",
        zlib.compress(b"abc")[:-1],
    ):
        with pytest.raises(ValueError, match="another length"):
            decompressed(packed, 3)


@pytest.mark.slow
def test_a_bot_that_is_mended_needs_no_fresh(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    bot = tmp_path / "bots" / "mine.py"
    broken = (
        "from cantstop_arena import compiled\n@compiled\ndef choose_move(turn, moves):\n"
        "    return turn.rums\n@compiled\ndef roll_again(turn):\n    return False\n"
    )
    bot.write_text(broken)
    (tmp_path / "cup.yaml").write_text("games: 2\nbots: [mine, random]\n")
    words = ["--bots", str(tmp_path / "bots"), "--results", str(tmp_path), "--workers", "1"]
    assert "does not compile" in arena("run", str(tmp_path / "cup.yaml"), *words, code=None).output
    bot.write_text(broken.replace("turn.rums", "0"))
    arena("run", str(tmp_path / "cup.yaml"), *words)


# Changes by chance ------------------------------------------------------------------------------


def spoilt_bytes(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 1, 3, 50))):
        content[chance.randrange(len(content))] = chance.randrange(256)
    if chance.random() < 0.1:
        content = content[: chance.randrange(len(content))]
    path.write_bytes(content)


def spoilt_row(path: Path, chance: random.Random) -> None:
    tables = {
        "blocks": ["grp", *LedgerRow._fields, "seal"],
        "about": ["key", "value"],
        "seals": ["grp", "first", "deals", "detail"],
        "groups": ["id", "setting", "bots"],
        "versions": ["id", "digest"],
        "settings": ["id", "key"],
    }
    with closing(sqlite3.connect(path)) as connection, connection:
        table = chance.choice([*tables, "blocks", "blocks"])
        column = chance.choice(tables[table])
        rows = connection.execute(f"SELECT {', '.join(tables[table])} FROM {table}").fetchall()
        if not rows:
            return
        row = chance.choice(rows)
        where = " AND ".join(f"{name} = ?" for name in tables[table])
        new = mutated(row[tables[table].index(column)], chance)
        update = f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {where}"
        if chance.random() < 0.1:
            connection.execute(f"DELETE FROM {table} WHERE {where}", row)
            return
        with suppress(sqlite3.IntegrityError):  # the change is none that a ledger can have
            connection.execute(update, (new, *row))


def mutated(old: Any, chance: random.Random) -> Any:
    others: list[Any] = [0, -1, 1, 77, 1 << 62, 2.5, "", "junk", "[]", "{}", "NaN", b"", b"\xff"]
    if isinstance(old, int):
        others += [old + 1, old - 1, old + 100_000]
    if isinstance(old, str) and old:
        place = chance.randrange(len(old))
        others += [old[:place] + chance.choice("0123,[]\"'{") + old[place + 1 :]] * 9
    if isinstance(old, bytes) and old:
        content = bytearray(old)
        content[chance.randrange(len(old))] ^= 1 << chance.randrange(8)
        others += [bytes(content), old[:-1], old * 2, zlib.compress(b"[1]")] * 3
    return chance.choice(others)


def tables_of(folder: Path) -> Any:
    results = load_results([folder], {})
    faults = [replace(charge, replay="") for charge in results.faults]
    return results.tallies, results.bots, faults, results.disqualified


def tried(cup: Path, place: Path, number: int, spoil: Callable[..., None]) -> bool:
    """Whether a change is seen; one that is not, changes nothing."""
    name = ("mild", "strict")[number % 2]
    folder = place / "results" / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(cup / "results" / name, folder)
    spoil(folder / LEDGER, random.Random(number))
    try:
        found = tables_of(folder)
    except LedgerError as error:
        assert str(error).strip()
        return True
    assert found == tables_of(cup / "results" / name), number
    return False


SPOILS: dict[str, Callable[[Path, random.Random], None]] = {
    "bytes": spoilt_bytes,
    "row": spoilt_row,
}


@pytest.mark.parametrize(
    "numbers",
    [range(25), pytest.param(range(25, 400), marks=[pytest.mark.slow])],
    ids=["few", "many"],
)
@pytest.mark.parametrize("spoil", SPOILS.values(), ids=SPOILS)
def test_a_spoilt_ledger_is_refused_or_tells_the_same(
    cup: Path, tmp_path: Path, spoil: Callable[..., None], numbers: range
) -> None:
    seen = [tried(cup, tmp_path, number, spoil) for number in numbers]
    assert sum(seen) > len(seen) / 3
