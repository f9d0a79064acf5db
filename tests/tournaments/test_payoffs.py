"""Tournaments of games that pay something: what is stored, printed, tested and left out."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from helpers.arena import Arena
from helpers.game_packages import install_example, installed_game, on_path
from helpers.parameters import slow_but
from helpers.paths import ROOT

import cantstop_arena as ca
from cantstop_arena.cli import main
from cantstop_arena.tournaments.ledger.read_ledger import read_ledger

KUHN = (ROOT / "examples/kuhn_poker/kuhn_poker/game.py").read_text("utf-8")
TOP_LEVEL = main.list_commands(click.Context(main))
CUP = "game: kuhn-poker\nbots: [balanced, honest, caller]\ngames: 400\nseed: 1\n"
FAULTY = """
game = "{game}"

def bet(view):
    if view.card == 1 and view.random() < 0.05:
        raise ValueError("cold feet")
    return view.card == 3
"""


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kuhn poker, and the same without bounds, as if they were installed."""
    folder = tmp_path_factory.mktemp("packages")
    install_example(folder, "kuhn_poker")
    unbounded = KUHN.replace("low=-2, high=2, ", "").replace('"kuhn-poker"', '"unbounded"')
    with on_path(folder), installed_game(folder, "unbounded", unbounded):
        yield


@pytest.mark.slow
def test_standings_are_sorted_by_payoff(tmp_path: Path, arena: Arena) -> None:
    done = arena("run cup.yaml --no-page", yaml=CUP)
    assert "chips a game" in done.text
    summary = json.loads(Path("results/cup/summary.json").read_text("utf-8"))
    paid = [row["payoff"] for row in summary["standings"]]
    assert paid == sorted(paid, reverse=True)
    assert sum(paid) == pytest.approx(0)
    by_wins = arena("run cup.yaml --no-page --score wins", yaml=CUP)
    assert "playing 0" in by_wins.output or "nothing" in by_wins.output.lower()
    again = json.loads(Path("results/cup/summary.json").read_text("utf-8"))
    elo = [row["elo"] for row in again["standings"]]
    assert elo == sorted(elo, reverse=True)
    assert {row["bot"]: row["payoff"] for row in again["standings"]} == {
        row["bot"]: row["payoff"] for row in summary["standings"]
    }
    assert "score: wins" in Path("results/cup/tournament.yaml").read_text("utf-8")
    assert arena("rate results/cup --table standings").text.count("caller") == 1


@pytest.mark.slow
def test_what_is_stored_is_what_the_games_pay(tmp_path: Path, arena: Arena) -> None:
    results = ca.run(_file("cup.yaml", CUP))
    assert results.folder is not None
    blocks = read_ledger(results.folder, lambda totals: [*totals.ledger.payoffs(0, 200)])
    assert {group for group, _, _ in blocks} == {(0, 1), (0, 2), (1, 2)}
    for _, _, paid in blocks:
        assert (paid[:, 0] == -paid[:, 1]).all()
        assert (paid[:, 2] == -paid[:, 3]).all()
        assert abs(paid[:, :2]).max() <= 4


def _file(name: str, text: str) -> Path:
    Path(name).write_text(text, "utf-8")
    return Path(name)


@pytest.mark.slow
def test_the_value_of_the_game(tmp_path: Path, arena: Arena) -> None:
    match = ca.match("balanced", "balanced", game="kuhn-poker", games=8000, seed=1)
    first, second = match.analysis.seat_payoffs
    assert first.low is not None
    assert first.high is not None
    assert second.mean == pytest.approx(-(first.mean or 0))
    assert first.low < -1 / 18 < first.high


@pytest.mark.slow
def test_a_width_of_until_is_in_units(tmp_path: Path, arena: Arena) -> None:
    done = arena("run cup.yaml --no-page", yaml=CUP + "until: {width: 0.5}\n", code=0)
    assert "every bot has a payoff interval 0.5 wide or less" in done.text
    summary = json.loads(Path("results/cup/summary.json").read_text("utf-8"))
    assert summary["until"]["payoff_width"] == 0.5
    assert summary["until"]["widest"]["payoff_width"] <= 0.5
    refused = arena("run cup.yaml --no-page --score wins", code=2)
    assert "until: width is about the file's score" in refused.output


@pytest.mark.slow
def test_a_test_of_payoffs_prints_their_unit(tmp_path: Path, arena: Arena) -> None:
    done = arena("match balanced caller --game kuhn-poker --sprt 0 0.1 --seed 1 --no-page")
    assert "H1: balanced is 0.1 chips a game ahead of caller." in done.text
    assert "H1 is accepted: balanced gets more than caller." in done.text
    (match,) = Path("results").glob("balanced-vs-caller*/match.json")
    content = json.loads(match.read_text("utf-8"))
    assert content["sprt"]["unit"] == "chips"
    assert content["ahead"] == pytest.approx(2 * content["payoff"])
    wins = arena("match balanced caller --game kuhn-poker --sprt -5 0 --score wins --no-page")
    assert "Elo weaker than caller" in wins.text


@pytest.mark.slow
def test_a_plan_is_in_units(tmp_path: Path, arena: Arena) -> None:
    words = "plan balanced caller --game kuhn-poker --seconds 0.2 --difference 0.05"
    assert "difference of 0.05 chips a game with 80% power" in arena(words).text
    assert "0.05 in score" in arena(f"{words} --score wins").text
    assert "5 Elo" in arena(words.replace("0.05", "5 --elo")).text


def test_a_payoff_needs_a_game_that_pays(tmp_path: Path, arena: Arena) -> None:
    text = "bots: [rule28, random]\nscore: payoff\n"
    assert "cantstop pays nothing" in arena("run cup.yaml", yaml=text, code=2).output
    assert (
        "score must be wins or payoff"
        in arena("run cup.yaml", yaml=text.replace("payoff", "points"), code=2).output
    )


@pytest.mark.slow
@pytest.mark.parametrize("game", slow_but((0,), ["kuhn-poker", "unbounded"]))
def test_a_fault_costs_the_worst_payoff_or_voids_the_deal(
    game: str, tmp_path: Path, arena: Arena
) -> None:
    bots = {
        "shy": FAULTY.format(game=game),
        "calm": f'game = "{game}"\n\ndef bet(view):\n    return True\n',
    }
    text = f"game: {game}\nbots: [shy, calm]\ngames: 600\nseed: 1\nmax_faults: 1000\n"
    done = arena("run cup.yaml --no-page", yaml=text, bots=bots)
    summary = json.loads(Path("results/cup/summary.json").read_text("utf-8"))
    assert summary["faults"][0]["count"] > 0
    assert ("are left out, as a fault ended a game there" in done.text) is (game == "unbounded")


@pytest.mark.slow
def test_wrong_payoffs_end_the_run_with_deal_and_numbers(tmp_path: Path, arena: Arena) -> None:
    wrong = KUHN.replace("else -stake for", "else 0 for").replace('"kuhn-poker"', '"wrong"')
    with installed_game(tmp_path, "wrong", wrong):
        bot = 'game = "wrong"\n\ndef bet(view):\n    return True\n'
        text = "game: wrong\nbots: [a, b]\ngames: 4\nseed: 1\n"
        done = arena("run cup.yaml --no-page", yaml=text, bots={"a": bot, "b": bot}, code=1)
    assert "Kuhn poker fails in deal " in done.output
    assert ": payoffs [" in done.output
    assert "add up to 2, not to 0, as the game is zero-sum" in done.output


BET = 'game = "kuhn-poker"\n\ndef bet(view, card: int = 2):\n    return view.card >= card\n'
LEAGUE = "league: class\ngame: kuhn-poker\nstaff: [caller]\nisolate: processes\n"
WINS_ONLY = {
    "compare rules.yaml": "Rule sets are compared by games won, as other rules can pay on another",
    "tune mine card=1..3 --game kuhn-poker --games 2000": "Options are tuned by games won, as",
    "history mine --in results/cup": "Versions are compared by games won, as Elo is about these",
    "profile --game kuhn-poker --games 20": "Luck, skill and drama are measured by games won",
    "league class.yaml": "Bots are ranked by games won, as marks are for scores",
}


@pytest.mark.parametrize("command", slow_but([0, 2], WINS_ONLY))
def test_commands_that_look_at_wins_only_say_so_and_why(
    tmp_path: Path, arena: Arena, command: str
) -> None:
    if command.split()[0] not in TOP_LEVEL:
        pytest.skip("its extension is not here")
    keys = "game: kuhn-poker\nbots: [mine, caller]\ngames: 20\nseed: 1\n"
    files = {
        "cup.yaml": keys,
        "rules.yaml": f"{keys}compare: [standard, {{base: standard, cards: 5, name: five}}]\n",
        "class.yaml": f"{LEAGUE}check: {{games: 4}}\nrounds: {{games: 4, base: 1, most: 1}}\n",
        "submissions/ada/bot.py": BET,
    }
    first = arena("run cup.yaml --no-page", bots={"mine": BET}, files=files)
    assert re.search(r"^mine (wins|is first), 0\.\d+ chips a game ahead", first.text, re.M)
    done = arena(command, code=None)
    assert WINS_ONLY[command] in done.output
    assert "payoffs are not compared." in done.output
