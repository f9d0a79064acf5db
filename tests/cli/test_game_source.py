"""Which game `arena replay` shows: of a results folder, the first that a bot lost, deal 0."""

import json
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.parameters import slow_but

LEAGUE = "name: league\ngames: 10\nseed: 5\nbots: [random, rule28, cautious]\n"


@pytest.fixture(autouse=True)
def played(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arena("run", "league.yaml", "--quiet", yaml=LEAGUE)


@pytest.mark.slow
def test_a_results_folder_is_replayed_like_its_file(arena: Arena) -> None:
    words = ("rule28", "random", "--deal", "3")
    of_file = arena("replay", "league.yaml", *words).text
    assert arena("replay", "results/league", *words).text == of_file


def test_without_a_deal_it_is_the_first_and_the_range_is_named(arena: Arena) -> None:
    done = arena("replay", "league.yaml", "rule28", "random")
    assert done.text == arena("replay", "league.yaml", "rule28", "random", "--deal", "0").text
    assert "Deal 0; --deal chooses another, 0 to 4." in done.error
    assert "name 2 of random, rule28, cautious" in arena("replay", "results/league", code=2).error


@pytest.mark.parametrize("rivals", [(), ("rule28",)])
@pytest.mark.parametrize("file", slow_but([1], ["results/league", "league.yaml"]))
def test_the_first_game_that_a_bot_lost(arena: Arena, file: str, rivals: tuple[str, ...]) -> None:
    done = arena("replay", file, *rivals, "--lost", "random", "--json")
    opening, *_, end = map(json.loads, done.text.splitlines())
    assert {"random", *rivals} <= {*opening["seats"]}
    assert opening["seats"].index("random") not in end["winners"]
    assert f"Deal {opening['deal']}: {', '.join(opening['seats'])}." in done.error


def test_lost_games_that_there_are_not(arena: Arena) -> None:
    for words, message in {
        ("--lost", "randon"): "did you mean 'random'?",
        ("--lost", "random", "--deal", "1"): "--lost cannot be combined with --deal",
        ("--lost", "random", "--seed", "1"): "drop --seed",
    }.items():
        assert message in arena("replay", "results/league", *words, code=2).error


@pytest.mark.slow
def test_the_decisions_of_one_bot_are_judged_the_worst_first(arena: Arena) -> None:
    words = ("replay", "results/league", "--lost", "random", "--judge")
    done = arena(*words, "--bot", "random")
    header, title, *rows, total = done.text.splitlines()
    assert header == "Judge: grandmaster. Losses are in percentage points of winning probability."
    assert title == "Decisions of random, the worst first:"
    lost = [float(row.split(" loses ")[1].split(" ")[0]) if " loses " in row else 0 for row in rows]
    assert lost == sorted(lost, reverse=True) and lost[0] > 0
    assert total.startswith(f"{len(rows)} decisions lost ")
    assert arena(*words).text.startswith(header)
    assert "did not play this game" in arena(*words, "--bot", "odds", code=2).error
    assert "--bot needs --judge" in arena(*words[:-1], "--bot", "random", code=2).error
