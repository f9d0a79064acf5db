"""Games without chance: deals in which nothing is drawn, and that repeat others, count once."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.game_packages import installed_game
from helpers.paths import ROOT

import cantstop_arena as ca
from cantstop_arena.tournaments.ledger.repeated_deals import different_deals

BOT = 'import random\ngame = "breakthrough"\ndef move(view, moves):\n    return {}\n'
ANSWERS = {
    "first": "0",
    "last": "len(moves) - 1",
    "chance": "int(view.random() * len(moves))",
    "module": "random.randrange(len(moves))",
}
BOTS = {name: BOT.format(answer) for name, answer in ANSWERS.items()}
CUP = "game: breakthrough\nseed: 1\ngames: 400\n"


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Breakthrough, as if it were installed."""
    code = (ROOT / "tests" / "helpers" / "breakthrough.py").read_text("utf-8")
    with installed_game(tmp_path_factory.mktemp("packages"), "breakthrough", code):
        yield


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("fingerprints", "are_all", "number"),
    [
        ([7] * 16, False, 1),
        ([7] * 15, False, None),
        ([7] * 15, True, 1),
        ([7], True, None),
        ([0] * 40, True, None),
        ([*range(1, 51), *range(50, 35, -1)], False, 50),
        ([7] * 20 + [8], True, None),
        ([0, *[7] * 16], False, 2),
    ],
)
def test_repeats_are_told_by_what_comes_last(
    fingerprints: list[int], are_all: bool, number: int | None
) -> None:
    assert different_deals(np.array(fingerprints, np.uint32), are_all) == number


@pytest.mark.slow
def test_one_game_played_again_has_no_errors(arena: Arena) -> None:
    done = arena("run cup.yaml --page", bots=BOTS, yaml=f"{CUP}bots: [first, last]\n")
    (row, _) = done.table("standings")
    assert row["games"] == "2" and row["letters"] == row["elo"] == row["score_low"] == ""
    assert "2 (of 400 alike)" in done.text
    assert "All 16 deals are the same 2 games: no chance is involved, so they" in done.text
    assert "Add openings (openings: {plies: 4}, or a file)" in done.page
    again = arena("run cup.yaml --games 100000 --dry-run")
    assert "nothing to play" in again.text
    more = arena("run cup.yaml --games 100000 --no-page")
    assert "2 (of 100,000 alike)" in more.text


@pytest.mark.slow
def test_bots_that_draw_are_honest_draws(arena: Arena) -> None:
    for name in ("chance", "module"):
        done = arena(f"match {name} last --game breakthrough --games 60 --seed 1", bots=BOTS)
        assert f"{name} against last: 60 games, 30 deals in both" in done.text


@pytest.mark.slow
def test_each_start_counts_once(arena: Arena) -> None:
    done = arena(
        "run cup.yaml", bots=BOTS, yaml=f"{CUP}openings: {{plies: 1}}\nbots: [first, last]"
    )
    (row, _) = done.table("standings")
    assert row["games"] == "26" and row["score_low"] and "26 (of 400 alike)" in done.text
    assert "of 200 deals 13 are different, and only these count." in done.text
    assert "nothing to play" in arena("run cup.yaml --games 9999 --dry-run").text


@pytest.mark.slow
def test_groups_that_draw_are_played_to_the_end(arena: Arena) -> None:
    done = arena("run cup.yaml", bots=BOTS, yaml=f"{CUP}bots: [first, last, chance]\n")
    games = {row["bot"]: row["games"] for row in done.table("standings")}
    assert games == {"first": "402", "last": "402", "chance": "800"}
    pairs = {(row["bot"], row["against"]): row["score_low"] for row in done.table("pairs")}
    assert pairs["first", "last"] == "" and pairs["first", "chance"] != ""


@pytest.mark.slow
def test_the_ledger_is_the_same_for_any_number_of_workers(arena: Arena) -> None:
    (Path("bots")).mkdir()
    for name, text in BOTS.items():
        Path(f"bots/{name}.py").write_text(text)
    Path("cup.yaml").write_text(f"{CUP}bots: [first, last, chance]\n")
    ledgers = []
    for workers in (1, 3):
        ca.run("cup.yaml", workers=workers, results=f"results{workers}")
        ledgers.append(Path(f"results{workers}/cup/ledger.sqlite").read_bytes())
    assert ledgers[0] == ledgers[1]


@pytest.mark.slow
def test_tests_of_more_openings_end_without_repeats(arena: Arena) -> None:
    words = "match first last --game breakthrough --sprt 0 5 --seed 1 --no-page --openings 1"
    done = arena(words, bots=BOTS)
    assert "26 games" in done.text and "Neither hypothesis is accepted" in done.text
