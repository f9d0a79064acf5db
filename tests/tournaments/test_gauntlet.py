"""A challenger against a field, and one bot with many values of its options."""

import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.seatings import groups_with
from cantstop_arena.errors import ConfigError
from cantstop_arena.texts import ordinal
from cantstop_arena.tournaments.file.tournament_file import read
from cantstop_arena.tournaments.tournament import Tournament


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def tournament(text: str) -> Tournament:
    Path("cup.yaml").write_text(text)
    return read(Path("cup.yaml"), Catalogue(Path("bots")))


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        tournament(text)
    return [f"{one.line}:{one.column}: {one.message}" for one in caught.value.problems]


def summary(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(Path(f"results/{name}/summary.json").read_text())
    return found


# --- The gauntlet ---------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_groups_of_a_challenger_are_those_with_it(players: int) -> None:
    for bot in range(6):
        everyone = combinations(range(6), players)
        assert groups_with(bot, 6, players) == tuple(one for one in everyone if bot in one)


@pytest.mark.slow
def test_only_the_games_of_the_challenger_are_played_and_its_place_is_told(arena: Arena) -> None:
    told = " ".join(
        arena(
            "run",
            "cup.yaml",
            yaml="games: 200\nseed: 1\ngauntlet: odds\nbots: [cautious, rule28, odds, random]\n",
        ).output.split()
    )
    assert "Gauntlet: the other bots' scores are against odds only." in told
    found = summary("cup")
    assert {tuple(sorted(one["seats"])) for one in found["lineups"]} == {
        tuple(sorted(("odds", other))) for other in ("cautious", "rule28", "random")
    }
    rank = next(one["rank"] for one in found["standings"] if one["bot"] == "odds")
    assert f"odds ranks {ordinal(rank)} of 4" in told
    assert found["gauntlet"] == "odds"
    assert "missing" not in told
    assert "scores are against odds only." in arena("rate", "results/cup").output
    again = arena("run", "results/cup/tournament.yaml", "--results", "again", "--quiet").output
    assert "odds ranks" in again


def test_a_gauntlet_from_the_command_line_is_the_same_tournament(arena: Arena) -> None:
    words = ("--against", "cautious", "--against", "rule28:threshold=24", "--against", "odds")
    told = arena("gauntlet", "odds", *words, "--games", "10", "--seed", "1", "--quiet").output
    assert "scores are against odds only." in told
    found = summary("gauntlet-odds")
    assert {one["bot"] for one in found["standings"]} == {"odds", "cautious", "rule28:threshold=24"}
    assert len(found["lineups"]) == 4, "two groups of two, each in both seatings"


@pytest.mark.slow
def test_without_a_field_a_challenger_meets_all_built_in_bots_that_can_play(arena: Arena) -> None:
    arena("gauntlet", "rule28", "--games", "2", "--quiet", "--seed", "1")
    rivals = set(Catalogue(Path()).game.bots) - {"rule28", "optimal"}  # no table is that large
    assert len(summary("gauntlet-rule28")["lineups"]) == 2 * len(rivals)


def test_gauntlets_that_make_no_sense_are_refused(arena: Arena) -> None:
    assert problems("gauntlet: nobody\nbots: [rule28, random]\n")[0].startswith(
        "1:11: unknown bot 'nobody'"
    )
    assert problems("gauntlet: random\nplayers: 1\nbots: [rule28, random]\n") == [
        "1:1: a gauntlet needs 2 players or more; alone nobody is challenged"
    ]
    alone = arena("gauntlet", "odds", "--against", "odds", code=2).output
    assert "odds needs 1 other bot to play against; add bots with --against" in alone
    assert (
        "players must be a whole number from 2 to 4"
        in arena("gauntlet", "odds", "--players", "7", code=2).output
    )


def test_the_crosstable_of_a_gauntlet_has_the_challengers_scores_only(arena: Arena) -> None:
    words = ("--against", "cautious", "--against", "random", "--games", "10", "--seed", "1")
    done = arena("gauntlet", "odds", *words, "--table", "crosstable", "--quiet")
    heading, _, *rows = done.text.split("\n\n")[1].splitlines()
    assert heading.split() == ["against", "score", "%"]
    assert [row.split()[1] for row in rows] == ["cautious", "random"]
    assert " - " not in done.text and "Score of odds against each bot" in done.text
    assert "odds,cautious," in Path("results/gauntlet-odds/pairs.csv").read_text()
    three = arena(
        "gauntlet", "odds", *words, "--players", "3", "--table", "crosstable", "--quiet", "--fresh"
    )
    assert three.text.split("\n\n")[1].splitlines()[0].split() == ["bot", "1", "2", "3"]


# --- Sweeps ---------------------------------------------------------------------------------------


def test_a_list_of_values_makes_an_entrant_of_each() -> None:
    found = tournament("bots: [{bot: rule28, threshold: [24, 26.0, 28]}, random]\n").entrants
    assert [one.name for one in found] == [
        "rule28:threshold=24",
        "rule28:threshold=26",
        "rule28:threshold=28",
        "random",
    ]
    assert [one.options.get("threshold") for one in found[:3]] == [24, 26, 28]


def test_lists_of_several_options_make_all_combinations_under_a_name_of_ones_own() -> None:
    text = "bots: [{bot: random, as: dice, roll_again: [0.5, 0.75]}, random]\n"
    names = [one.name for one in tournament(text).entrants]
    assert names == ["dice:roll_again=0.5", "dice:roll_again=0.75", "random"]


def test_a_list_where_an_option_is_a_list_is_its_value() -> None:
    Path("bots").mkdir()
    Path("bots/lists.py").write_text(
        "from cantstop_arena import hookimpl\n\n@hookimpl\ndef choose_move(turn, moves):\n"
        "    return 0\n\n@hookimpl\ndef roll_again(turn, steps=(1, 2)):\n    return False\n"
    )
    (one, _) = tournament("bots: [{bot: lists, steps: [3, 4, 5]}, random]\n").entrants
    assert (one.name, list(one.options["steps"])) == ("lists", [3, 4, 5])


def test_values_that_make_no_sense_are_told_once_each() -> None:
    told = problems("bots: [{bot: rule28, threshold: [24, much], tresholt: 1}]\n")
    assert len(told) == 2
    assert "threshold" in told[0] and "much" in told[0]
    assert problems(f"bots: [{{bot: rule28, threshold: {list(range(1001))}}}, random]\n") == [
        "1:22: these lists make more than 1,000 bots"
    ]
    twice = problems("bots: [{bot: rule28, threshold: [24, 24]}, random]\n")
    assert "has a bot called 'rule28:threshold=24'" in twice[0]


@pytest.mark.slow
def test_a_disqualified_challenger_has_no_crosstable_and_one_replay(arena: Arena) -> None:
    wrong = "def choose_move(turn, moves): return 99\ndef roll_again(turn): return False\n"
    done = arena(
        "gauntlet wrong --against rule28 --games 2000 --seed 1 --no-page",
        bots={"wrong": wrong},
        code=3,
    )
    assert "Crosstable" not in done.text
    assert done.text.count("arena replay ") == 1
