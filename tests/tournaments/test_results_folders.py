"""`arena results`: lists, checks and cleans folders of results."""

import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from helpers.arena import Arena

_BOT = "def choose_move(turn, moves):\n    return 0\n\n\ndef roll_again(turn):\n    return %s\n"
_FILE = "name: mine\ngames: 20\nseed: 1\nbots: [rule28, cautious, patient]\n"
_LEDGER = Path("results/mine/ledger.sqlite")


@pytest.fixture(scope="module")
def folder_of_an_edit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tournament, in which the bot patient was edited once, and its results."""
    folder = tmp_path_factory.mktemp("edited")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for again in ("False", "turn.rolls < 2"):
            Arena()("run mine.yaml --no-page", bots={"patient": _BOT % again}, yaml=_FILE)
    return folder


@pytest.fixture
def edited(folder_of_an_edit: Path, arena: Arena) -> Arena:
    """A copy of it for a test of its own."""
    shutil.copytree(folder_of_an_edit, Path.cwd(), dirs_exist_ok=True)
    return arena


def _copies() -> set[str]:
    return {path.name for path in Path("results/mine/bots").iterdir()}


@pytest.mark.slow
def test_the_list(edited: Arena) -> None:
    folder = Path("results/people")
    folder.mkdir()
    (folder / "ledger.sqlite").touch()
    (row,) = json.loads(edited("results --json").text)["results"]["rows"]
    assert {key: row[key] for key in ("name", "games", "bots", "versions")} == {
        "name": "mine",
        "games": 100,
        "bots": 3,
        "versions": 4,
    }


@pytest.mark.slow
def test_an_unreadable_ledger_is_named(edited: Arena) -> None:
    _LEDGER.write_bytes(b"no ledger" * 1000)
    assert "mine: results/mine/ledger.sqlite: " in edited("results").text


@pytest.mark.slow
def test_a_run_deletes_what_killed_ones_were_writing(edited: Arena) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    folders = [_LEDGER.parent, _LEDGER.parent / "bots"]
    dead, alive = (
        [folder / f".pairs.csv.72cb50fed5ef3f4f.{pid}" for folder in folders]
        for pid in (ended.pid, os.getpid())
    )
    for draft in (*dead, *alive):
        draft.touch()
    edited("run mine.yaml --no-page")
    assert not any(draft.exists() for draft in dead) and all(draft.exists() for draft in alive)


def test_prune_forgets_what_the_file_does_not_name(edited: Arena) -> None:
    content, copies = _LEDGER.read_bytes(), _copies()
    planned = edited("results prune mine --dry-run").text
    assert planned.count("would forget patient@") == 1 and "(40 games)" in planned
    assert (_LEDGER.read_bytes(), _copies()) == (content, copies)
    assert edited("results prune mine").text == planned.replace("would forget", "forgot")
    assert len(_copies()) == len(copies) - 1
    assert edited("results prune mine").text == "results/mine: nothing to forget.\n"
    assert "all 60 games" in edited("results check mine").text
    assert "nothing to play" in edited("run mine.yaml --dry-run").text


@pytest.mark.slow
def test_a_forgotten_bot_of_the_file_plays_again(edited: Arena) -> None:
    before = Path("results/mine/standings.csv").read_bytes()
    assert edited("results forget mine patient").text.count("forgot patient@") == 2
    planned = edited("run mine.yaml --dry-run")
    assert "1 of 3 pairings are in the ledger; playing 2 (40 games)." in planned.text
    edited("run mine.yaml --no-page")
    assert Path("results/mine/standings.csv").read_bytes() == before


@pytest.mark.slow
def test_one_version_is_forgotten(edited: Arena) -> None:
    title = edited("results prune mine --dry-run").text.split()[3]
    assert edited("results", "forget", "mine", title).text.count("forgot") == 1
    error = edited("results", "forget", "mine", title, code=2).error
    assert f"{title} is no single version" in error


@pytest.mark.slow
def test_the_previous_version_is_forgotten(edited: Arena) -> None:
    title = edited("results prune mine --dry-run").text.split()[3]
    assert f"forgot {title} (40 games)" in edited("results forget mine patient@previous").text
    assert "is no single version" in edited("results forget mine patient@previous", code=2).error
    assert "nothing to play" in edited("run mine.yaml --dry-run").text


def test_unknown_bots_and_folders(edited: Arena) -> None:
    assert "no bot called 'nobody' has played" in edited("results forget mine nobody", code=2).error
    assert "There is no folder" in edited("results check nope", code=2).error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "text"),
    [
        ("UPDATE blocks SET device = 'x'", "not as it was written"),
        ("DELETE FROM blocks", "it is no longer there"),
    ],
)
def test_damage_outside_the_query_is_found(edited: Arena, damage: str, text: str) -> None:
    old = "(SELECT id FROM groups WHERE bots LIKE '%3%' ORDER BY id LIMIT 1)"
    with closing(sqlite3.connect(_LEDGER)) as connection, connection:
        connection.execute(f"{damage} WHERE grp = {old}")
    assert text in edited("results check mine", code=1).text


@pytest.mark.slow
def test_a_league_is_not_pruned(edited: Arena) -> None:
    """Its last step asked for some of its bots only: the others would be forgotten."""
    Path("results/mine/league.sqlite").touch()
    content = _LEDGER.read_bytes()
    for words in ("results prune mine", "results prune mine --dry-run"):
        assert "results/mine is a league, whose standings need" in edited(words, code=2).error
    assert _LEDGER.read_bytes() == content


def test_no_tournament_is_called_people(arena: Arena) -> None:
    text = "name: people\nbots: [rule28, odds]\n"
    told = arena("run mine.yaml", yaml=text, code=2).error
    assert "mine.yaml:1:7: name is 'people', which is reserved; choose another" in told
