"""What a dry run says is what the run then says, and it leaves every file as it is."""

import hashlib
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.edits import DURATION

import cantstop_arena as ca
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.texts import time_text
from cantstop_arena.tournaments import duration
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.file.tournament_file import names_of
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run_observer import RunObserver

FILE = "games: 20\nseed: 1\nbots: [patient, cautious, odds]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a tournament file and a bot of its own."""
    monkeypatch.chdir(tmp_path)
    bots = tmp_path / "bots"
    bots.mkdir()
    (bots / "patient.py").write_text(
        "from cantstop_arena import hookimpl\n\n"
        "@hookimpl\ndef choose_move(turn, moves):\n    return 0\n\n"
        "@hookimpl\ndef roll_again(turn, rolls=4):\n    return turn.rolls < rolls\n"
    )
    (tmp_path / "mine.yaml").write_text(FILE)
    return tmp_path


def contents(folder: Path) -> dict[Path, str]:
    """The digests of all files."""
    return {
        path: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def without_duration(text: str) -> str:
    """What a dry run says that a run will play; how long that takes is checked apart."""
    plan, count = re.subn(DURATION, "", text)
    assert count == 1
    return plan


@pytest.mark.slow
def test_the_plan_is_that_of_the_run_and_nothing_is_written(arena: Arena, folder: Path) -> None:
    plan = arena("run", "mine.yaml", "--dry-run").output
    assert without_duration(plan) == "mine: playing 3 pairings (60 games).\n"
    assert not (folder / "results").exists()
    arena("run", "mine.yaml", "--quiet")
    (folder / "mine.yaml").write_text(FILE.replace("odds", "{bot: odds, as: even}, random"))
    with (folder / "bots" / "patient.py").open("a") as file:
        file.write("# edited\n")
    before = contents(folder)
    told = without_duration(arena("run", "mine.yaml", "--dry-run").output).splitlines()
    assert contents(folder) == before
    assert told[0].startswith("Since the last run: random is new; patient has changed (1 line;")
    assert told[0].endswith("odds was renamed to even.")
    assert told[-1] == "mine: 1 of 6 pairings are in the ledger; playing 5 (100 games)."
    assert arena("run", "mine.yaml").output.splitlines()[: len(told)] == told


@pytest.mark.slow
def test_a_fresh_run_has_everything_to_play(arena: Arena, folder: Path) -> None:
    arena("run", "mine.yaml", "--quiet")
    assert "nothing to play" in arena("run", "mine.yaml", "--dry-run").output
    assert "playing 3 pairings" in arena("run", "mine.yaml", "--dry-run", "--fresh").output


def test_matches_gauntlets_and_comparisons_say_theirs(arena: Arena, folder: Path) -> None:
    found = arena("match", "patient", "odds", "--dry-run", "--games", "40", "--format", "json")
    assert without_duration(found.output) == "patient-vs-odds: playing 1 pairing (40 games).\n"
    found = arena("gauntlet", "patient", "--against", "odds", "--dry-run", "--games", "40")
    assert without_duration(found.output) == "gauntlet-patient: playing 1 pairing (40 games).\n"
    text = "compare: [classic, jump]\ngames: 20\nbots: [patient, odds]\n"
    found = arena("compare", "both.yaml", "--dry-run", yaml=text)
    assert without_duration(found.output).splitlines() == [
        "both, classic, 2 players: playing 1 pairing (20 games).",
        "both, jump, 2 players: playing 1 pairing (20 games).",
    ]
    assert not (folder / "results").exists()


@pytest.mark.slow
def test_the_seed_is_that_of_the_folder(arena: Arena, folder: Path) -> None:
    (folder / "mine.yaml").write_text(FILE.replace("seed: 1\n", ""))
    arena("run", "mine.yaml", "--quiet")
    told = arena("run", "mine.yaml", "--dry-run").output
    assert "from results/mine; --fresh draws another." in told
    assert "mine: all 3 pairings are in the ledger; nothing to play." in told


def test_it_is_not_watched(arena: Arena, folder: Path) -> None:
    words = ("run", "mine.yaml", "--dry-run", "--watch")
    assert "cannot be used together" in arena(*words, code=2).output


RATES = {"rule28": 1000.0, "odds": 10.0}  # games a second, by the first bot


@pytest.mark.parametrize(
    ("games", "seconds"),
    [
        ({"rule28": 4_000}, 4),
        ({"odds": 4_000}, 400),
        ({"rule28": 4_000, "odds": 4_000}, 404),
        ({"rule28": 7_000, "odds": 1_000}, 107),
        ({"rule28": 100_000, "odds": 1}, 100),  # one game is no eighth of them
    ],
)
def test_the_duration_is_that_of_a_sample_of_the_games(
    games: dict[str, int], seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trial(catalogue: Catalogue, bots: list[Entrant], *_: Any, **__: Any) -> Any:
        return SimpleNamespace(games_per_second=RATES[bots[0].name])

    monkeypatch.setattr(duration, "run_speed_trial", trial)
    planned = ca.tournament([*games, "random"], games=10)
    names = names_of(planned.tournament.entrants)
    missing = [
        duration.LineupGames(planned.tournament, (names.index(name), len(names) - 1), count)
        for name, count in games.items()
    ]
    options = PoolOptions(1, "fork")
    text = duration.duration_text(missing, planned.catalogue, options, RunObserver())
    assert text == f"About {time_text(seconds)} with 1 worker, by a second of play."
    assert duration.duration_text([], planned.catalogue, options, RunObserver()) == ""


@pytest.mark.parametrize("words", ["match rule28 odds --sprt 0 5", "run until.yaml"])
def test_what_depends_on_the_results_has_no_duration(
    words: str, arena: Arena, folder: Path
) -> None:
    (folder / "until.yaml").write_text("bots: [rule28, odds]\nuntil: {width: 0.1}\n")
    assert not re.search(DURATION, arena(*words.split(), "--dry-run").text)
