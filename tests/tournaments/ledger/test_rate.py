"""arena rate: the run's own tables, several runs together, and what it refuses and never does."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.finished import Finished
from helpers.parameters import slow_but
from helpers.time_limit import TIME_LIMIT
from msgspec.structs import astuple

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.tournaments.ledger.read_ledger import load_results

ARENA = (sys.executable, "-c", "from cantstop_arena.cli import main; main()")
BOTS = ("random", "cautious", "rule28")


@pytest.fixture
def cup(here: Path, finished: Finished) -> str:
    """The results folder of a tournament that was played before."""
    finished.bring({"cup.yaml": text_of("cup")}, "run", "cup.yaml", "--quiet")
    return "results/cup"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def play(arena: Arena, name: str, bots: str = ", ".join(BOTS), code: int = 0, **keys: Any) -> str:
    """Play a tournament; its results folder."""
    Path(f"{name}.yaml").write_text(text_of(name, bots, **keys))
    arena("run", f"{name}.yaml", "--quiet", code=code)
    return f"results/{name}"


def text_of(name: str, bots: str = ", ".join(BOTS), **keys: Any) -> str:
    """The file of a tournament."""
    lines = [f"name: {name}", f"bots: [{bots}]"]
    lines += [f"{key}: {value}" for key, value in {"games": 60, "seed": 1, **keys}.items()]
    return "\n".join(lines) + "\n"


def numbers(results: TournamentTotals) -> tuple[Any, ...]:
    """What is reckoned with, to be compared."""
    populations = [
        [column.tolist() for column in astuple(one)] for one in results.deals.populations
    ]
    return results.bots, dict(results.tallies), populations


def by_name(results: TournamentTotals) -> dict[tuple[str, ...], Any]:
    """Of each lineup, by its bots' names in alphabetical order: deals, and what they won."""
    (sums,), found = results.deals.populations, {}
    for row, lineup in enumerate(sums.lineups[:, 0]):
        names = [results.bots[bot] for bot in lineup]
        order = sorted(range(len(names)), key=names.__getitem__)
        order += [len(names) + seat for seat in range(len(names))]
        products = sums.products[row][np.ix_(order, order)].tolist()
        found[tuple(sorted(names))] = sums.deals[row], sums.totals[row][order].tolist(), products
    return found


def told(arena: Arena, *folders: str) -> Any:
    return json.loads(arena("rate", *folders, "--format", "json").text)


def content(folder: str) -> dict[str, tuple[bytes, int]]:
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in Path(folder).rglob("*")
        if path.is_file()
    }


# --- One run --------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", slow_but((1,), [1, 2, 3]))
@pytest.mark.parametrize("form", slow_but((0, 3), ["text", "markdown", "csv", "json", "latex"]))
def test_the_tables_are_the_runs_own(
    arena: Arena, finished: Finished, players: int, form: str
) -> None:
    finished.bring({"cup.yaml": text_of("cup", players=players)}, "run", "cup.yaml", "--quiet")
    printed = arena("run", "cup.yaml", "--quiet", "--format", form).text
    assert arena("rate", "results/cup", "--format", form).text == printed


def test_the_files_are_the_runs_own(arena: Arena, cup: str) -> None:
    arena("rate", cup, "--output", "new/deep")
    written = list(Path("new/deep").iterdir())
    assert len(written) > 8
    for path in written:
        assert path.read_bytes() == Path(cup, path.name).read_bytes()


def test_an_anchor_moves_all_alike(arena: Arena, cup: str) -> None:
    plain, moved = (
        {row["bot"]: row["elo"] for row in json.loads(arena(*words).text)["standings"]["rows"]}
        for words in (
            ("rate", cup, "--format", "json"),
            ("rate", cup, "--format", "json", "--anchor", "rule28=2000"),
        )
    )
    assert moved["rule28"] == 2000
    for bot in BOTS:
        assert moved[bot] - plain[bot] == pytest.approx(2000 - plain["rule28"], abs=0.011)


@pytest.mark.slow
def test_faults_are_told_with_a_command_that_plays_the_game_again(arena: Arena) -> None:
    Path("bots").mkdir()
    Path("bots/oops.py").write_text(
        "def choose_move(turn, moves): return 'x'\ndef roll_again(turn): return turn.rolls < 3\n"
    )
    folder = play(arena, "cup", "random, oops, rule28", max_faults=1000)
    (fault,) = told(arena, folder)["faults"]["rows"]
    assert (fault["bot"], fault["kind"]) == ("oops", "illegal answer")
    command = next(
        line for line in arena("rate", folder).text.splitlines() if "arena replay" in line
    )
    assert "oops" in arena(*command.split()[1:]).output


# --- Several runs ---------------------------------------------------------------------------------


def test_a_run_counts_once_however_often_it_is_given(arena: Arena, cup: str) -> None:
    assert told(arena, cup, cup, cup) == told(arena, cup)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3])
def test_parts_of_a_tournament_with_one_seed_are_the_whole(arena: Arena, players: int) -> None:
    """Each part has other bots, in another order; groups in more than one part count once."""
    bots = ("random", "cautious", "rule28", "odds")
    whole = play(arena, "whole", ", ".join(bots), players=players)
    parts = [
        play(arena, f"part{n}", ", ".join(reversed(bots[:n] + bots[n + 1 :])), players=players)
        for n in range(4)
    ]
    extra = [play(arena, "short", "odds, rule28, random", players=players, games=12)]
    together = load_results([*map(Path, parts + extra)], {})
    one = load_results([Path(whole)], {})
    assert {
        tuple(one.bots[bot] for bot in seating): tally for seating, tally in one.tallies.items()
    } == {
        tuple(together.bots[bot] for bot in seating): tally
        for seating, tally in together.tallies.items()
    }
    assert by_name(together) == by_name(one)


@pytest.mark.slow
def test_a_run_that_ended_when_it_was_known_is_rated_with_the_same_intervals(arena: Arena) -> None:
    folder = play(arena, "known", "random, rule28", games=4000, until="{width: 0.2}")
    printed = arena("run", "known.yaml", "--quiet", "--table", "standings").text
    assert "confidence sequences" in printed
    assert arena("rate", folder, "--table", "standings").text == printed
    other = play(arena, "other", "random, rule28", games=400)
    assert "confidence sequences" not in arena("rate", folder, other).text


@pytest.mark.slow
def test_more_games_and_fewer_with_one_seed_are_those_of_the_longer(arena: Arena) -> None:
    short, long = play(arena, "short", games=20), play(arena, "long", games=60)
    assert numbers(load_results([Path(short), Path(long)], {})) == numbers(
        load_results([Path(long)], {})
    )


@pytest.mark.slow
def test_runs_with_different_seeds_are_stretches_of_their_own(arena: Arena) -> None:
    one, two = play(arena, "one", seed=1), play(arena, "two", seed=2, games=100)
    together = load_results([Path(one), Path(two)], {})
    apart = [load_results([Path(folder)], {}) for folder in (one, two)]
    deals = [each.deals.tolist() for each in together.deals.populations]
    assert deals == [[30] * 3, [50] * 3]
    assert (together.name, together.seed, apart[1].seed) == ("one + two", None, 2)
    for seating, tally in together.tallies.items():
        assert tally == apart[0].tallies[seating] + apart[1].tallies[seating]
    rows = [told(arena, *folders)["standings"]["rows"] for folders in ([one], [two], [one, two])]
    widths = [rows[0]["elo_high"] - rows[0]["elo_low"] for rows in rows]
    assert widths[2] < min(widths[:2])


@pytest.mark.slow
def test_a_bot_that_is_out_in_one_run_is_out_of_all(arena: Arena) -> None:
    Path("bots").mkdir()
    Path("bots/oops.py").write_text(
        "def choose_move(turn, moves): return 'x'\ndef roll_again(turn): return turn.rolls < 3\n"
    )
    lenient = play(arena, "lenient", "random, oops, rule28", max_faults=1000)
    strict = play(arena, "strict", "random, oops, rule28", max_faults=2, seed=5, code=3)
    found = load_results([Path(lenient), Path(strict)], {})
    assert (found.bots, found.disqualified) == (("random", "rule28"), ("oops",))
    assert {charge.bot for charge in found.faults} == {"oops"}
    assert "oops is disqualified" in arena("rate", lenient, strict, code=3).text


# --- What cannot be rated -------------------------------------------------------------------------


def test_what_is_no_results_folder_is_refused_with_what_to_do(arena: Arena, cup: str) -> None:
    assert "There is no folder nowhere" in arena("rate", "nowhere", code=2).error
    assert "did you mean results/cup?" in arena("rate", "results", code=2).error
    Path("empty").mkdir()
    assert "arena run FILE makes one" in arena("rate", "empty", code=2).error
    Path("empty/ledger.sqlite").touch()
    assert "nothing has been played yet" in arena("rate", "empty", code=2).error
    Path("empty/ledger.sqlite").write_text("no database at all, " * 100)
    assert "damaged" in arena("rate", "empty", code=1).error
    assert [path.name for path in Path("empty").iterdir()] == ["ledger.sqlite"]


def test_ledgers_of_other_versions_are_refused(arena: Arena, cup: str) -> None:
    with closing(sqlite3.connect(f"{cup}/ledger.sqlite")) as ledger, ledger:
        ledger.execute("UPDATE about SET value = '6' WHERE key = 'version'")
    assert "an earlier version of this program, with other dice" in arena("rate", cup, code=2).error


@pytest.mark.slow
def test_other_rules_or_seats_cannot_be_rated_together(arena: Arena, cup: str) -> None:
    folders = [cup, play(arena, "jumps", rules="jump"), play(arena, "trio", players=3)]
    refused = arena("rate", *folders[:2], code=2).error
    assert 'rules.landing: "share" in results/cup, "jump" in results/jumps' in refused
    refused = arena("rate", *folders[::2], code=2).error
    assert "players: 2 in results/cup, 3 in results/trio" in refused


@pytest.mark.slow
def test_two_bots_of_one_name_cannot_be_rated_together(arena: Arena, cup: str) -> None:
    folders = [cup, play(arena, "other", "random, {bot: rule28, threshold: 24}")]
    refused = arena("rate", *folders, code=2).error
    assert "Two different bots are called 'rule28'" in refused
    assert "options.threshold: 28 in results/cup, 24 in results/other" in refused


@pytest.mark.parametrize("words", ["rule28", "=1500", "rule28=", "rule28=nan", "rule28=1e9"])
def test_an_anchor_that_is_none_is_refused(arena: Arena, words: str) -> None:
    assert "is not of the form BOT=ELO" in arena("rate", "x", "--anchor", words, code=2).error


def test_a_bot_is_not_anchored_twice(arena: Arena) -> None:
    words = ("--anchor", "rule28=1500", "--anchor", "rule28=1600")
    assert "'rule28' has two Elo values" in arena("rate", "x", *words, code=2).error


def test_an_anchor_must_be_one_of_the_bots(arena: Arena, cup: str) -> None:
    refused = arena("rate", cup, "--anchor", "rule29=1500", code=2).error
    assert "did you mean 'rule28'?" in refused


# --- Without a trace ------------------------------------------------------------------------------


def test_reading_leaves_no_trace(arena: Arena, cup: str) -> None:
    before = content(cup)
    arena("rate", cup)
    assert content(cup) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_can_be_read(arena: Arena, cup: str) -> None:
    expected = arena("rate", cup).text
    Path(cup).chmod(0o500)
    try:
        assert arena("rate", cup).text == expected
    finally:
        Path(cup).chmod(0o700)


def cut_off(folder: str) -> None:
    """Leave the ledger as a process does that ends in the middle, all entries in the log."""
    code = (
        "import os, shutil, sqlite3, sys\n"
        "old, new = sys.argv[1:]\n"
        "ledger = sqlite3.connect(new)\n"
        "ledger.execute('PRAGMA journal_mode = WAL')\n"
        "source = sqlite3.connect(old)\n"
        "for line in source.iterdump():\n    ledger.execute(line)\n"
        "ledger.commit()\n"
        "os._exit(0)\n"
    )
    old = f"{folder}/ledger.sqlite"
    shutil.move(old, "old.sqlite")
    subprocess.run([sys.executable, "-c", code, "old.sqlite", old], check=True)
    assert Path(f"{old}-wal").stat().st_size > 0


def cut_off_without_shm(folder: str) -> None:
    cut_off(folder)
    Path(f"{folder}/ledger.sqlite-shm").unlink()


def cut_off_with_journal(folder: str) -> None:
    """Leave the ledger as a process does that ends while it overwrites the file."""
    code = (
        "import os, sqlite3, sys\n"
        "ledger = sqlite3.connect(sys.argv[1])\n"
        "ledger.execute('PRAGMA journal_mode = DELETE')\n"
        "ledger.execute('PRAGMA cache_size = 1')\n"  # so that the file is written before the end
        "ledger.execute('CREATE TABLE filler (x)')\n"
        "ledger.execute('DELETE FROM about')\n"
        "ledger.executemany('INSERT INTO filler VALUES (?)', [('x' * 4000,)] * 100)\n"
        "os._exit(0)\n"
    )
    path = f"{folder}/ledger.sqlite"
    subprocess.run([sys.executable, "-c", code, path], check=True)
    assert Path(f"{path}-journal").stat().st_size > 0


@pytest.mark.parametrize("cut", [cut_off, cut_off_without_shm, cut_off_with_journal])
def test_a_run_that_was_cut_off_can_be_rated(
    arena: Arena, cup: str, cut: Callable[[str], None]
) -> None:
    expected = arena("rate", cup).text
    cut(cup)
    names = sorted(path.name for path in Path(cup).iterdir())
    ledger = Path(cup, "ledger.sqlite").read_bytes()
    assert arena("rate", cup).text == expected
    assert sorted(path.name for path in Path(cup).iterdir()) == names
    assert Path(cup, "ledger.sqlite").read_bytes() == ledger


@pytest.mark.slow
def test_a_run_that_goes_on_can_be_rated(arena: Arena) -> None:
    Path("bots").mkdir()
    Path("bots/slow.py").write_text(
        "import time\n"
        "def choose_move(turn, moves): return 0\n"
        "def roll_again(turn):\n    time.sleep(0.0005)\n    return turn.rolls < 3\n"
    )
    Path("cup.yaml").write_text("name: cup\ngames: 20000\nbots: [random, slow]\n")
    run = subprocess.Popen(
        [*ARENA, "run", "cup.yaml", "--workers", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        games = [0]
        until = time.monotonic() + TIME_LIMIT
        while len(set(games)) < 4 and time.monotonic() < until:
            result = arena("rate", "results/cup", "--format", "json", code=None)
            if result.code == 0:
                rows = json.loads(result.text)["standings"]["rows"]
                games.append(rows[0]["games"])
            time.sleep(0.2)
        assert games == sorted(games)
        assert len(set(games)) == 4
        assert run.poll() is None
    finally:
        run.terminate()
        run.wait()
