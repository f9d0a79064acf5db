"""A ledger is read with suspicion: what was changed in it is said, or changes nothing."""

import json
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
from msgspec.structs import replace

from cantstop_arena.errors import LedgerError
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.ledger.open_ledger import open_ledger
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


@pytest.fixture(params=["sealed", "written before there were seals"])
def mild(request: pytest.FixtureRequest, cup: Path, tmp_path: Path) -> Path:
    """A copy of results in which faults were forgiven."""
    return copied(cup, "mild", tmp_path, request.param == "sealed")


@pytest.fixture(params=["sealed", "written before there were seals"])
def strict(request: pytest.FixtureRequest, cup: Path, tmp_path: Path) -> Path:
    """A copy of results in which a bot is out."""
    return copied(cup, "strict", tmp_path, request.param == "sealed")


def copied(cup: Path, name: str, place: Path, sealed: bool) -> Path:
    folder = place / name
    shutil.copytree(cup / "results" / name, folder)
    if not sealed:
        change(folder, "DROP TABLE seals")
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
    identity = json.loads(value(folder, "SELECT value FROM about WHERE key = 'tournament'"))
    with pytest.raises(LedgerError), open_ledger(folder / LEDGER, identity):
        pass
    return str(caught.value)


def value(folder: Path, query: str) -> Any:
    with closing(sqlite3.connect(folder / LEDGER)) as connection:
        return connection.execute(query).fetchone()[0]


def one(column: str, what: str) -> str:
    return f"UPDATE blocks SET {column} = {what} WHERE first = 0 AND bots = '[0,3]'"


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
    "a bot that is none": (one("bots", "'[0,77]'"), ()),
    "a bot twice": (one("bots", "'[0,0]'"), ()),
    "too many bots": (one("bots", "'[0,1,2]'"), ()),
    "no list of bots": (one("bots", "'junk'"), ()),
    "a nest of lists": (one("bots", "?"), ("[" * 100_000,)),
    "an object of bots": (one("bots", "'{}'"), ()),
    "bots that are texts": (one("bots", "?"), ('["a", "b"]',)),
    "bots that are no text": (one("bots", "?"), (b"\xff\xfe",)),
    "tallies that are not packed": (one("tallies", "?"), (b"junk",)),
    "tallies of nothing": (one("tallies", "?"), (zlib.compress(b"[]"),)),
    "tallies that are text": (one("tallies", "'junk'"), ()),
    "tallies without number": (one("tallies", "?"), (zlib.compress(b"[NaN, NaN]"),)),
    "tallies that are a bomb": (one("tallies", "?"), (BOMB,)),
    "winners that nobody is": (one("winners", "?"), (b"\0\1\0",)),
    "winners that nobody is, as 0.2 wrote them": (one("winners", "?"), (PACKED,)),
    "winners that are a bomb": (one("winners", "?"), (BOMB,)),
    "winners that are cut off": (one("winners", "substr(winners, 1, length(winners) - 3)"), ()),
    "measures that nobody asked for": (one("measures", "?"), (PACKED,)),
    "junk for faults": (one("faults", "'junk'"), ()),
    "a fault that is none": (one("faults", "'[{}]'"), ()),
    "a fault of nobody": (one("faults", "replace(faults, '\"bot\":3', '\"bot\":77')"), ()),
    "a fault in another deal": (one("faults", "replace(faults, '\"deal\":', '\"deal\":9')"), ()),
    "a fault in other seats": (one("faults", "replace(faults, '[0,3]', '[0,1]')"), ()),
    "irreproducible bots that are none": (one("irreproducible", "'[77]'"), ()),
    "junk for irreproducible": (one("irreproducible", "'{\"a\": NaN}'"), ()),
    "a disqualified bot that is none": ("INSERT INTO disqualified VALUES (77, '[]')", ()),
    "a disqualified bot that played": ("INSERT INTO disqualified VALUES (0, '[]')", ()),
    "another kind of tournament": (
        "UPDATE about SET value = replace(value, '\"players\":2', '\"players\":3')"
        " WHERE key = 'tournament'",
        (),
    ),
}


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES)
def test_what_cannot_have_been_written_is_said(
    mild: Path, changed: tuple[str, tuple[object, ...]]
) -> None:
    change(mild, changed[0], *changed[1])
    told_of(mild)


ALTERED: dict[str, tuple[str, str]] = {
    "a block somewhere else": (one("first", "first + 100000"), "block 100000"),
    "a block that is gone": ("DELETE FROM blocks WHERE first = 0 AND bots = '[0,1]'", "block 0 of"),
    "other names": (
        "UPDATE about SET value = replace(value, 'daring', 'rule29') WHERE key = 'tournament'",
        "not as it was written",
    ),
    "a bot that is out no more": ("DELETE FROM disqualified", "bot 3"),
    "a bot with other faults": ("UPDATE disqualified SET faults = '[]'", "bot 3"),
    "a block of a bot that is out": (
        "INSERT INTO blocks SELECT first, '[0,3]', deals, tallies, winners, measures, faults,"
        " irreproducible FROM blocks WHERE bots = '[0,1]'",
        "disqualified",
    ),
}


@pytest.mark.parametrize("altered", ALTERED.values(), ids=ALTERED)
def test_what_could_have_been_written_and_was_not_is_said_by_its_seal(
    cup: Path, tmp_path: Path, altered: tuple[str, str]
) -> None:
    statement, words = altered
    name = "mild" if "100000" in statement else "strict"
    folder = copied(cup, name, tmp_path, sealed=True)
    change(folder, statement)
    assert words in told_of(folder)


def test_a_row_is_named_with_what_is_wrong_with_it(mild: Path) -> None:
    change(mild, one("deals", "-5"))
    assert "the block 0 of '[0,3]': the number of deals is -5" in told_of(mild)


def test_commands_say_it_and_end_with_1(arena: Arena, cup: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(cup / "results", results)
    change(results / "mild", one("deals", "-5"))
    run = ["run", str(cup / "mild.yaml"), "--results", str(results), "--bots", str(cup / "bots")]
    for words in (run, ["rate", str(results / "mild")], ["report", str(results / "mild")]):
        done = arena(*words, code=None)
        assert done.code == 1 and "the number of deals is -5" in done.output


def test_results_from_before_there_were_seals_are_read_and_go_on(
    arena: Arena, mild: Path, cup: Path
) -> None:
    assert load_results([mild], {}).tallies == load_results([cup / "results" / "mild"], {}).tallies
    path = cup / "mild.yaml"
    words = ["--bots", str(cup / "bots"), "--results", str(mild.parent), "--games", "60"]
    arena("run", str(path), *words, "--workers", "1")
    assert {tally.games for tally in load_results([mild], {}).tallies.values()} == {30}


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
def test_a_bot_that_is_mended_before_anything_was_played_needs_no_fresh(
    arena: Arena, tmp_path: Path
) -> None:
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
    bot.write_text(broken.replace("turn.rums", "1"))
    assert "--fresh" in arena("run", str(tmp_path / "cup.yaml"), *words, code=None).output


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
        "blocks": [*LedgerRow._fields],
        "disqualified": ["bot", "faults"],
        "about": ["key", "value"],
        "seals": ["first", "bots", "seal"],
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
