"""What a dry run says is what the run then says, and it leaves every file as it is."""

import hashlib
from pathlib import Path

import pytest
from helpers.arena import Arena

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


@pytest.mark.slow
def test_the_plan_is_that_of_the_run_and_nothing_is_written(arena: Arena, folder: Path) -> None:
    assert arena("run", "mine.yaml", "--dry-run").output == "mine: playing 3 pairings (60 games).\n"
    assert not (folder / "results").exists()
    arena("run", "mine.yaml", "--quiet")
    (folder / "mine.yaml").write_text(FILE.replace("odds", "{bot: odds, as: even}, random"))
    with (folder / "bots" / "patient.py").open("a") as file:
        file.write("# edited\n")
    before = contents(folder)
    told = arena("run", "mine.yaml", "--dry-run").output.splitlines()
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
    assert found.output == "patient-vs-odds: playing 1 pairing (40 games).\n"
    found = arena("gauntlet", "patient", "--against", "odds", "--dry-run", "--games", "40")
    assert found.output == "gauntlet-patient: playing 1 pairing (40 games).\n"
    text = "compare: [classic, jump]\ngames: 20\nbots: [patient, odds]\n"
    found = arena("compare", "both.yaml", "--dry-run", yaml=text)
    assert found.output.splitlines() == [
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
