"""Each kind of edit: what is played after it, and that the results are those of a fresh run."""

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.edit_kits import KITS
from helpers.edits import Workshop, contents
from helpers.parameters import slow_but

NOTHING = "nothing to play"
PLAIN, LEARNER, FAULTY = (KITS["cantstop"].kinds[kind] for kind in ("plain", "learner", "faulty"))
COMPILED_LEARNER = """
from cantstop_arena import compiled
learns = True
@compiled
def choose_move(turn, moves):
    return 0
@compiled
def roll_again(turn):
    return turn.rolls < 1 + {number}
"""
START: dict[str, Any] = {"name": "cup", "games": 40, "seed": 1}
BOTS = ["rule28", "cautious", "bots/plain.py"]
EDITS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "more games": ({}, {"games": 90}, "3 in part; playing 150 games."),
    "fewer games": (
        {"games": 300},
        {"games": 41},
        "again, as they are stored only together with others",
    ),
    "fewer, a round number": (
        {"bots": BOTS[:2], "games": 23_000},
        {"bots": BOTS[:2], "games": 10_000},
        NOTHING,
    ),
    "other order": ({}, {"bots": BOTS[::-1]}, NOTHING),
    "other order of three": ({"players": 3}, {"players": 3, "bots": BOTS[::-1]}, NOTHING),
    "removed": ({}, {"bots": BOTS[1:]}, NOTHING),
    "renamed": ({}, {"bots": [*BOTS[:2], {"bot": BOTS[2], "as": "simple"}]}, NOTHING),
    "an option": (
        {},
        {"bots": [{"bot": "rule28", "threshold": 20}, *BOTS[1:]]},
        "1 of 3 pairings are in the ledger; playing 2 (80 games).",
    ),
    "a copy": (
        {},
        {"bots": [*BOTS, "bots/copy.py"]},
        "5 of 6 pairings are in the ledger; playing 1 (40 games).",
    ),
    "luck": ({}, {"luck_removed": True}, "playing 3 pairings (120 games)."),
    "other rules": ({}, {"rules": "jump"}, "playing 3 pairings (120 games)."),
    "gauntlet": ({}, {"gauntlet": "plain"}, NOTHING),
    "lessons": (
        {"bots": ["rule28", "bots/learner.py"], "games": 300},
        {"bots": ["rule28", "bots/learner.py"], "games": 400},
        "in part; playing 144 games, 44 of them again",
    ),
    "lessons of compiled bots": (
        {"bots": ["rule28", "bots/fast.py"], "games": 1200},
        {"bots": ["rule28", "bots/fast.py"], "games": 1200},
        NOTHING,
    ),
    "lessons in another order": (
        {"bots": ["rule28", "cautious", "bots/learner.py"]},
        {"bots": ["bots/learner.py", "rule28", "cautious"]},
        "1 of 3 pairings are in the ledger; playing 2 (80 games).",
    ),
    "in a process of its own": (
        {},
        {"bots": [*BOTS[:2], {"bot": BOTS[2], "isolate": "processes"}]},
        "1 of 3 pairings are in the ledger; playing 2 (80 games).",
    ),
    "more time": ({}, {"decision_limit": 5}, "playing 3 pairings (120 games)."),
    "moved, with faults": (
        {"bots": [*BOTS, "bots/faulty.py"], "max_faults": 10_000},
        {"bots": [*BOTS, "more/faulty.py"], "max_faults": 10_000},
        NOTHING,
    ),
    "fewer looks than were played": (
        {"games": 300},
        {"games": 300, "until": {"width": 0.4}},
        "3 of 3 pairings have games in the ledger",
    ),
    "strict": (
        {"bots": [*BOTS, "bots/faulty.py"], "max_faults": 10_000},
        {"bots": [*BOTS, "bots/faulty.py"], "max_faults": 5},
        NOTHING,
    ),
    "lenient": (
        {"bots": [*BOTS, "bots/faulty.py"], "max_faults": 5},
        {"bots": [*BOTS, "bots/faulty.py"], "max_faults": 10_000},
        "3 of 6 pairings are in the ledger",
    ),
}


QUICK = [[*EDITS].index("more games")]


@pytest.mark.parametrize(("before", "after", "told"), slow_but(QUICK, EDITS.values()), ids=EDITS)
def test_after_an_edit_only_what_is_missing_is_played(
    arena: Arena,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    before: dict[str, Any],
    after: dict[str, Any],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cantstop_arena.processes.system._DISPLAY", (f"{tmp_path}{os.sep}", ""))
    shop = Workshop(arena, 1)
    texts = {"plain": PLAIN, "copy": PLAIN, "learner": LEARNER, "faulty": FAULTY}
    texts["fast"] = COMPILED_LEARNER
    for name, text in texts.items():
        Path(f"bots/{name}.py").write_text(text.format(number=1))
    Path("more").mkdir()
    Path("more/faulty.py").write_text(FAULTY.format(number=1))
    for keys in (before, after):
        Path("cup.yaml").write_text(json.dumps({**START, "bots": BOTS, **keys}))
        printed = arena("run", "cup.yaml", code=None).output
    assert told in printed
    assert not shop.differences()


@pytest.mark.slow
def test_a_record_of_another_version_is_not_kept(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its names, deal and length can be those of the game that the new version plays."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cantstop_arena.processes.system._DISPLAY", (f"{tmp_path}{os.sep}", ""))
    shop = Workshop(arena, 1)
    Path("bots/plain.py").write_text(PLAIN.format(number=1))
    Path("cup.yaml").write_text(json.dumps({**START, "bots": ["rule28", "bots/plain.py"]}))
    arena("run", "cup.yaml")
    for record in Path("results/cup/games").glob("*.jsonl"):
        opening, *moves, end = record.read_text().splitlines()
        record.write_text("\n".join([opening, *moves[:1], *moves[:-1], end]))
    Path("bots/plain.py").write_text(f"{PLAIN.format(number=1)}# the same, in another version\n")
    arena("run", "cup.yaml")
    assert not shop.differences()


@pytest.mark.slow
def test_faults_of_one_version_count_together_under_all_its_names(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    failing = "def choose_move(turn, moves):\n    return 0\ndef roll_again(turn):\n    1 / 0\n"
    Path("bots/failing.py").write_text(failing)
    bots = ["bots/failing.py", {"bot": "bots/failing.py", "as": "twin"}]
    text = json.dumps({"games": 40, "seed": 1, "max_faults": 30, "bots": bots})
    done = arena("run", "cup.yaml", "--workers", "1", code=3, yaml=text)
    assert {fault["bot"] for fault in done.json["disqualified"]} == {"failing", "twin"}


@pytest.mark.slow
@pytest.mark.parametrize("is_stored", [False, True])
def test_the_fault_that_ends_a_run_is_the_first_in_the_order_of_deals(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_stored: bool
) -> None:
    """Whichever is played first, and also when it was played by an earlier run."""
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    failing = "def choose_move(turn, moves):\n    return 0\ndef roll_again(turn):\n"
    Path("bots/early.py").write_text(f"{failing}    raise ValueError('early')\n")
    Path("bots/late.py").write_text(f"{failing}    return 1 / int(turn.random() * 300) > 0.01\n")
    games = 40 if is_stored else 4000  # whose blocks have many deals
    bots = ["rule28", "bots/late.py", "bots/early.py"]
    text = json.dumps({"games": games, "seed": 3, "bots": bots})
    aborting = f'{text[:-1]}, "on_fault": "abort"}}'
    if is_stored:
        before = arena("run", "cup.yaml", "--workers", "1", yaml=text)
        assert {"early", "late"} == {fault["bot"] for fault in before.json["faults"]}
        assert Path("results/cup/games").is_dir()
    done = arena("run", "cup.yaml", "--workers", "1", code=1, yaml=aborting)
    assert not Path("results/cup/games").exists()
    assert "early misbehaved in deal 0 (exception): ValueError: early" in done.output
    assert (NOTHING in done.output) == is_stored
    assert {*contents(Path("results/cup"))} == {"tournament.yaml"}  # no results of the run before
    assert "on_fault: abort" in Path("results/cup/tournament.yaml").read_text()


@pytest.mark.slow
def test_stored_faults_count_in_the_order_of_deals(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot stays that has many faults, all with one that is out before them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cantstop_arena.processes.system._DISPLAY", (f"{tmp_path}{os.sep}", ""))
    shop = Workshop(arena, 1)
    bot = """
def choose_move(turn, moves):
    spaces = sum(turn.rivals[0][column] for column in range(2, 13))
    if {condition}:
        raise ValueError
    return 0
def roll_again(turn):
    return False
"""
    fast, slow = "9 <= turn.number < spaces / 2", "21 <= turn.number >= spaces and turn.number % 2"
    for name, condition in (("fears_the_fast", fast), ("fears_the_slow", slow)):
        Path(f"bots/{name}.py").write_text(bot.format(condition=condition))
    bots = ["rule28", "bots/fears_the_fast.py", "bots/fears_the_slow.py"]
    for keys in ({"bots": bots[1:], "max_faults": 1000}, {"bots": bots, "max_faults": 5}):
        Path("cup.yaml").write_text(json.dumps({**START, **keys}))
        done = arena("run", "cup.yaml", code=None)
    assert [each["bot"] for each in done.json["disqualified"]] == ["fears_the_fast"]
    assert not shop.differences()


@pytest.mark.slow
def test_to_lower_games_to_what_a_run_has_ended_with_plays_nothing(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shop = Workshop(arena, 1)
    for games in (42, 300, 42):
        Path("cup.yaml").write_text(json.dumps({**START, "bots": BOTS[:2], "games": games}))
        printed = arena("run", "cup.yaml").output
    assert NOTHING in printed
    assert not shop.differences()


@pytest.mark.slow
def test_stored_faults_behind_games_that_are_missing_do_not_count_yet(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot with many stored faults stays, as the games to come put its opponent out before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cantstop_arena.processes.system._DISPLAY", (f"{tmp_path}{os.sep}", ""))
    shop = Workshop(arena, 1)
    bot = """
def choose_move(turn, moves):
    if turn.number > 8 and {condition}any(turn.rivals[0][column] for column in range(2, 13)):
        raise ValueError
    return 0
def roll_again(turn):
    return {rolls}
"""
    texts = {
        "loses_to_climbers": bot.format(condition="", rolls="False"),
        "loses_to_others": bot.format(condition="not ", rolls="False"),
        "never_stops": bot.format(condition="False and ", rolls="True"),
    }
    for name, text in texts.items():
        Path(f"bots/{name}.py").write_text(text)
    bots = [f"bots/{name}.py" for name in ("loses_to_others", "never_stops", "loses_to_climbers")]
    for keys in ({"bots": bots[::2], "max_faults": 1000}, {"bots": bots, "max_faults": 5}):
        Path("cup.yaml").write_text(json.dumps({**START, **keys}))
        done = arena("run", "cup.yaml", code=None)
    assert [each["bot"] for each in done.json["disqualified"]] == ["loses_to_others"]
    assert not shop.differences()


@pytest.mark.parametrize("first", [{"games": 60}, {"games": 200, "until": {"width": 0.9}}])
def test_results_of_fewer_games_say_what_they_replace(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)

    def messages(keys: dict[str, Any]) -> str:
        return arena("run", "cup.yaml", yaml=json.dumps({**START, "bots": BOTS[:2], **keys})).error

    assert "No game is lost" not in messages(first)
    before = games_of_tables()
    assert f"of {before:,}. No game is lost: --games {before} brings" in messages({"games": 10})
    assert games_of_tables() == 10
    assert "No game is lost" not in messages({"games": before})
    assert "No game is lost" not in messages({"games": before + 2})


def games_of_tables() -> int:
    """The games of each pairing that the tables are of."""
    with Path("results/cup/standings.csv").open() as file:
        return int(next(csv.DictReader(file))["games"])
