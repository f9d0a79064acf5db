"""Guests: matches and versions that play into the ledger of a tournament."""

import json
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.parameters import slow_but

import cantstop_arena as ca

_BOT = "def choose_move(turn, moves):\n    return 0\n\n\ndef roll_again(turn):\n    return %s\n"
_BOTS = {"patient": _BOT % "turn.rolls < 3", "hasty": _BOT % "False"}
_FILE = "games: 40\nseed: 1\ndecision_limit: 2\nbots: [rule28, {bot: cautious, as: careful}]\n"
_ALL = _FILE.replace("]", ", patient, {bot: hasty, isolate: processes}]")
_MATCH = "match patient careful --in results/mine"
_EXEMPT = ("ledger.sqlite", "history.jsonl", ".lock")


@pytest.fixture
def mine(arena: Arena) -> Arena:
    """The results of a tournament."""
    arena("run mine.yaml --no-page", bots=_BOTS, yaml=_FILE)
    return arena


def _files(folder: str = "results/mine") -> dict[str, bytes]:
    """The files that depend on the tournament's file alone."""
    paths = [path for path in Path(folder).rglob("*") if path.is_file()]
    names = {str(path.relative_to(folder)): path for path in paths}
    return {
        name: path.read_bytes()
        for name, path in names.items()
        if name not in _EXEMPT and not name.startswith("bots/")
    }


@pytest.mark.slow
@pytest.mark.parametrize("is_compared", slow_but([0], [False, True]), ids=["plan", "files"])
def test_a_later_run_finds_the_games_of_a_match(mine: Arena, is_compared: bool) -> None:
    before = _files()
    planned = mine(f"{_MATCH} --dry-run").text
    assert planned.startswith("mine: playing 1 pairing (40 games).\nAbout ")
    text = mine(_MATCH).text
    assert "patient against careful: 40 games" in text
    assert text.endswith("Added to the games of results/mine\n")
    assert _files() == before
    assert "nothing to play" in mine(_MATCH).text
    only_planned = "" if is_compared else "--dry-run"
    plan = mine(f"run mine.yaml --no-page {only_planned}", yaml=_ALL).text
    assert "2 of 6 pairings are in the ledger; playing 4 (160 games)." in plan
    if is_compared:
        mine("run mine.yaml --no-page --results fresh", yaml=_ALL)
        assert _files() == _files("fresh/mine")


@pytest.mark.slow
def test_a_guest_is_isolated_as_in_the_file(mine: Arena) -> None:
    mine("run mine.yaml --no-page", yaml=_ALL)
    assert "nothing to play" in mine("match hasty patient --in results/mine --dry-run").text
    mine("run mine.yaml --no-page", bots={"hasty": _BOT % "turn.rolls < 2"})
    former = "match hasty@previous patient --in results/mine --dry-run"
    assert "nothing to play" in mine(former).text


@pytest.mark.slow
def test_a_version_that_is_only_a_guest_is_forgotten_by_its_name(mine: Arena) -> None:
    mine("match patient rule28 --games 2 --quiet")
    mine("match patient rule28 --games 2 --quiet", bots={"patient": _BOT % "turn.rolls < 2"})
    mine("match patient@previous rule28 --in results/mine")
    (row,) = mine("results prune mine --dry-run").text.splitlines()
    title = row.split()[3]
    assert title.startswith("patient@") and title.count("@") == 1
    assert f"forgot {title} (40 games)" in mine(f"results forget mine {title}").text


@pytest.mark.slow
def test_an_isolated_bot_stays_isolated_without_its_file(mine: Arena) -> None:
    mine("run mine.yaml --no-page", yaml=_ALL)
    Path("bots/patient.py").unlink()
    plan = mine("match hasty careful --in results/mine --dry-run").text
    assert "nothing to play" in plan


@pytest.mark.slow
def test_an_edited_bot_has_the_options_of_the_file_and_its_new_defaults(mine: Arena) -> None:
    first = _BOT.replace("turn):", "turn, rolls=3, more=0):") % "turn.rolls < rolls + more"
    file = _FILE.replace("]", ", {bot: patient, as: bold, rolls: 2}]")
    mine("run mine.yaml --no-page", bots={"patient": first}, yaml=file)
    second = first.replace("more=0", "more=1")
    mine("match bold careful --in results/mine", bots={"patient": second})
    assert "2 of 3 pairings are in the ledger" in mine("run mine.yaml --dry-run").text


@pytest.mark.slow
def test_a_test_decides(mine: Arena) -> None:
    text = mine(f"{_MATCH} --sprt 0 300 --games 200").text
    assert "is accepted" in text and "Added to the games" in text
    assert "the pairing is in the ledger" in mine("run mine.yaml --dry-run").text


@pytest.mark.slow
def test_a_match_leaves_the_days_and_names_of_versions(mine: Arena) -> None:
    mine("run mine.yaml --no-page", yaml=_ALL)
    before = mine("history patient --in results/mine --format csv").text
    mine("match patient rule28 --in results/mine --games 80")
    assert mine("history patient --in results/mine --format csv").text == before
    run = json.loads(Path("results/mine/history.jsonl").read_text().splitlines()[-1])
    assert (run["games"], run["played"], [*run["bots"]]) == (80, 40, ["patient", "rule28"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("--seed 2", "seed 2 contradicts results/mine, which was played with seed 1"),
        ("--rules jump", "rules jump contradicts results/mine, which was played with rules cl"),
        ("--luck-removed", "luck removed True contradicts results/mine, which"),
        (
            "--game salvage",
            "game salvage contradicts results/mine, which",
        ),
        ("--players 3", "players 3 contradicts results/mine, which was played with"),
        ("--fresh", "fresh would remove the games of results/mine; a guest only adds some"),
    ],
)
@pytest.mark.usefixtures("second_game")
def test_other_games_are_refused(mine: Arena, options: str, text: str) -> None:
    before = Path("results/mine/ledger.sqlite").read_bytes()
    assert text in mine(f"{_MATCH} {options}", code=2).error
    assert Path("results/mine/ledger.sqlite").read_bytes() == before


def test_a_match_needs_results(arena: Arena) -> None:
    assert "There is no folder results/x" in arena("match odds rule28 --in results/x", code=2).error


@pytest.mark.slow
def test_a_match_in_python(mine: Arena) -> None:
    found = ca.match("patient", "careful", guest_of="results/mine", workers=1)
    with pytest.raises(ca.UsageError, match=r"decision limit 3\.0 contradicts results/mine"):
        ca.match("patient", "careful", guest_of="results/mine", decision_limit=3)
    assert found.games_played == 40 and found.folder is None and not found.output_files
