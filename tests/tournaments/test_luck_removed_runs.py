"""Tournaments, matches, plans and comparisons with luck removed: by both measures, everywhere."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.finished import Finished
from helpers.simulated import Truth

import cantstop_arena as ca
from cantstop_arena.ratings.elo import even_score, rate
from cantstop_arena.ratings.model.luce import ELO

LUCKY = "games: 4000\nseed: 3\nluck_removed: true\nbots: [rule28, glenn-aloi, cautious]\n"
PLAIN = LUCKY.replace("luck_removed: true\n", "")


@pytest.fixture
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rated(arena: Arena, folder: str, *words: str) -> dict[str, dict[str, float]]:
    told = arena("rate", folder, "--format", "json", *words, code=None)
    return {row["bot"]: row for row in json.loads(told.text)["standings"]["rows"]}


def width(row: dict[str, float], what: str) -> float:
    return row[f"{what}_high"] - row[f"{what}_low"]


@pytest.mark.slow
def test_half_the_games_do_and_plain_tables_stay(
    arena: Arena, finished: Finished, in_tmp: Path
) -> None:
    folder = "results/lucky"
    told = finished.bring({"lucky.yaml": LUCKY}, "run", "lucky.yaml")
    assert "By their intervals that is worth 1." in told and "times the games for scores" in told
    calm, plain = rated(arena, folder), rated(arena, folder, "--plain")
    summary = json.loads(Path("results/lucky/summary.json").read_text())["luck_removed"]
    finished.bring({"lucky.yaml": PLAIN}, "run", "lucky.yaml")
    assert rated(arena, folder) == plain
    ratios = [(width(plain[bot], "score") / width(calm[bot], "score")) ** 2 for bot in calm]
    assert min(ratios) > 1.3
    assert np.median(ratios) == pytest.approx(summary["worth"], rel=0.01)
    assert f"(median {np.median(ratios):.1f})" in told
    assert all(width(calm[bot], "elo") < 0.9 * width(plain[bot], "elo") for bot in calm)
    for bot in calm:
        assert abs(calm[bot]["score"] - plain[bot]["score"]) < width(plain[bot], "score") / 2


def scores_of(name: str) -> dict[str, dict[str, float]]:
    summary = json.loads(Path("results", name, "summary.json").read_text())
    return {row["bot"]: row for row in summary["standings"]}


@pytest.mark.slow
def test_value_is_another_measure_of_the_same_games(
    arena: Arena, finished: Finished, in_tmp: Path
) -> None:
    """In a file, by an option, and in Python: the same numbers, and intervals that are narrower."""
    rows = {}
    for name, luck in {"plain": "false", "stake": "true", "value": "value"}.items():
        text = f"games: 2000\nseed: 3\nluck_removed: {luck}\nbots: [rule28, glenn-aloi]\n"
        finished.bring({f"{name}.yaml": text}, "run", f"{name}.yaml", "--no-page")
        rows[name] = scores_of(name)
    plain, stake, value = (rows[name]["rule28"] for name in ("plain", "stake", "value"))
    assert width(plain, "score") > 1.15 * width(stake, "score") > 1.3 * width(value, "score")
    assert rated(arena, "results/value", "--plain") == rated(arena, "results/plain")
    arena("match rule28 glenn-aloi --luck-removed value --games 2000 --seed 3 --no-page --quiet")
    keys = ("score", "score_low", "score_high", "elo", "elo_low", "elo_high")
    by_option = scores_of("rule28-vs-glenn-aloi")
    assert [by_option["rule28"][key] for key in keys] == [value[key] for key in keys]
    bots = ["rule28", "glenn-aloi"]
    played = ca.tournament(bots, games=2000, seed=3, luck_removed="value", results="api").run()
    assert [row["score"] for row in played.standings] == pytest.approx(
        [row["score"] for row in rows["value"].values()]
    )


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("match rule28 odds --luck-removed value --players 3", "by value at tables of two only"),
        ("match careful pirate --game salvage --luck-removed", "nothing scores it in salvage"),
        (
            "match careful pirate --game salvage --luck-removed value",
            "nothing scores it in salvage",
        ),
        (
            "plan careful pirate --game salvage --luck-removed --difference 0.1",
            "nothing scores it in",
        ),
        ("compare both.yaml --luck-removed value", "by value at tables of two only"),
        ("compare value.yaml", "by value at tables of two only"),
    ],
)
@pytest.mark.usefixtures("second_game")
def test_where_value_cannot_be_measured_that_is_said(
    arena: Arena, in_tmp: Path, command: str, why: str
) -> None:
    both = "compare: [classic, jump]\nplayers: [2, 3]\ngames: 4\nbots: [rule28, odds]\n"
    files = {"both.yaml": both, "value.yaml": f"{both}luck_removed: value\n"}
    assert why in arena(command, code=2, files=files).error
    if "compare" not in command:
        return
    two = both.replace("[2, 3]", "2")
    arena("compare two.yaml --luck-removed value --no-page", files={"two.yaml": two})


@pytest.mark.slow
def test_a_plan_with_luck_removed_takes_fewer_deals(arena: Arena, in_tmp: Path) -> None:
    words = "plan rule28 glenn-aloi --difference 0.05 --seconds 1"
    rows = {}
    for luck in ("", "--luck-removed", "--luck-removed value"):
        (rows[luck],) = json.loads(arena(f"{words} {luck} --format json").text)["plan"]["rows"]
    plain, stake, value = rows.values()
    assert plain.get("plain_deals") is None
    assert value["deals"] < stake["deals"] < 0.85 * stake["plain_deals"]
    assert stake["plain_deals"] == pytest.approx(plain["deals"], rel=0.1)
    assert re.search(
        r"deals +[\d,]+ with luck removed, [\d,]+ without", arena(f"{words} --luck-removed").text
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "game: salvage\nluck_removed: true\nbots: [careful, pirate]\n",
            "nothing scores it in salvage",
        ),
        ("players: 1\nluck_removed: true\nbots: [odds, rule28]\n", "there is nothing to win"),
        ("luck_removed: 1\nbots: [odds, rule28]\n", "must be true, false or value, not 1"),
    ],
)
@pytest.mark.usefixtures("second_game")
def test_where_luck_cannot_be_removed_that_is_said(
    arena: Arena, in_tmp: Path, text: str, why: str
) -> None:
    in_tmp.joinpath("no.yaml").write_text(text)
    told = arena("run", "no.yaml", code=2)
    assert why in told.output


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3])
def test_elo_without_luck_holds_the_truth_and_is_narrower(players: int) -> None:
    """In 100 tournaments by the model of the ratings, the noise of each seat being told as luck."""
    truth = Truth([0.5, 0.0, -0.5], [0.0] * players, 0.5, lucky=0.9)
    even, rng = even_score(np.array(truth.strengths))[0], np.random.default_rng(players)
    held, narrower = [], []
    for _ in range(100):
        played = truth.played(150, rng)
        for found, before, strength in zip(
            rate(played).ratings, rate(played.plain).ratings, truth.strengths, strict=True
        ):
            assert found.error is not None and before.error is not None
            assert found.low is not None and found.high is not None
            held.append(found.low <= 1500 + ELO * (strength - even) <= found.high)
            narrower.append(found.error / before.error)
    assert 0.91 <= np.mean(held) <= 0.985
    assert np.mean(narrower) < 0.85
