"""`arena match` in all formats, with more than two seats, and on a narrow terminal."""

import csv
import io
import json
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.terminals import on_a_terminal

from cantstop_arena.deals.outcomes import Until
from cantstop_arena.errors import UsageError
from cantstop_arena.games.cantstop.game import CantStop
from cantstop_arena.ratings.sequential.sprt import Sprt, ended_by, score_of, score_steps
from cantstop_arena.tournaments.file.tournament_file import seats_that_meet
from cantstop_arena.tournaments.ledger.read_ledger import load_results_with_aims

MATCH = "match rule28 random --games 60 --seed 1 --quiet"


@pytest.mark.slow
def test_a_match_is_a_table_in_every_format(arena: Arena) -> None:
    content = json.loads(arena(f"{MATCH} --format json").text)
    assert content["headline"] == "rule28 scores 96.7% against random"
    rows = content["match"]["rows"]
    (row,) = csv.DictReader(io.StringIO(arena(f"{MATCH} --format csv").text))
    assert row["games"] == "60" and float(row["score"]) == rows[0]["score"]
    assert (
        rows[0]["score"]
        == json.loads(Path("results/rule28-vs-random/match.json").read_text())["score"]
    )
    assert arena(f"{MATCH} --format markdown").text.startswith(
        "# rule28 scores 96.7% against random\n\n## Match\n\n| bot "
    )
    assert "\\toprule" in arena(f"{MATCH} --format latex").text
    table = arena(f"{MATCH} --table crosstable").text
    assert table.startswith("Crosstable\n") and "points of" not in table
    both = arena(f"{MATCH} --table match --table seats").text
    assert both.startswith("rule28 scores 96.7% against random.\n\nrule28 against random: ")
    assert "\n\nSeats\n" in both


def test_points_that_do_not_occur_are_left_out(arena: Arena) -> None:
    text = arena(MATCH).text
    assert "1/2" not in text and "3/2" not in text


@pytest.mark.slow
def test_the_second_bot_fills_the_other_seats(arena: Arena) -> None:
    done = arena("match rule28 random --players 3 --games 60 --seed 1 --quiet --format json")
    (row,) = json.loads(done.text)["match"]["rows"]
    assert (row["players"], row["games"], row["deals"]) == (3, 60, 10)
    folder = Path("results/rule28-vs-random-3-players")
    summary = json.loads((folder / "summary.json").read_text())
    (standing,) = (one for one in summary["standings"] if one["bot"] == "rule28")
    copies = [one["elo"] for one in summary["standings"] if one is not standing]
    assert row["score"] == standing["score"]
    assert row["elo"] == pytest.approx(standing["elo"] - sum(copies) / 2, abs=0.01)
    assert (
        "players must be a whole number from 2 to 4"
        in arena("match odds odds --players 5", code=2).error
    )
    assert arena("match odds odds --players 4 --games 24 --quiet").text.startswith(
        "odds scores 25.0% against odds again"
    )


def test_a_test_decides_with_three_players_too(arena: Arena) -> None:
    done = arena("match rule28 random --players 3 --sprt 0 100 --seed 1 --quiet")
    assert "H1 is accepted: rule28 is stronger than random." in done.text
    until = load_results_with_aims(Path("results/rule28-vs-random-3-players")).until
    assert isinstance(until, Until)
    assert until == ended_by(Sprt(0, 100, players=3, games=6))


@pytest.mark.parametrize("players", [2, 3, 4, 8])
def test_equals_score_their_share_and_400_elo_are_ten_to_one(players: int) -> None:
    assert score_of(0, players) == pytest.approx(1 / players)
    assert score_of(400, players) == pytest.approx(10 / (players + 9))
    assert score_steps(players, 6) % 4 == 0


@pytest.mark.slow
def test_tables_on_a_narrow_terminal_fit_unless_they_are_wide(arena: Arena) -> None:
    arena(MATCH)
    words = ("rate", "results/rule28-vs-random", "--table", "standings")
    texts = []
    for more in ((), ("--wide",)):
        with on_a_terminal(*words, *more, size=(60, 40), NO_COLOR="1") as terminal:
            assert terminal.ends() == 0
        texts.append(terminal.seen)
    narrow, wide = texts
    assert "LOS vs next are left out" in narrow and "--wide prints everything." in narrow
    assert max(map(len, narrow.splitlines()[2:6])) <= 60
    assert wide == arena(*words).text


def test_bots_of_a_game_that_is_played_alone_do_not_meet() -> None:
    class Alone(CantStop):
        players = range(1, 2)

    with pytest.raises(UsageError, match="is played alone: its bots do not meet"):
        seats_that_meet(2, Alone())


@pytest.mark.slow
def test_a_tournament_in_the_folder_of_a_match_is_none_of_its_sides(arena: Arena) -> None:
    arena("match", "rule28", "random", "--games", "20", "--seed", "1", "--sprt", "0", "400")
    Path("cup.yaml").write_text(
        "name: rule28-vs-random\nseed: 1\ngames: 20\nbots: [rule28, random]\n"
    )
    arena("run", "cup.yaml")
    assert not Path("results/rule28-vs-random/match.json").exists()
    again = arena("run", "cup.yaml", "--results", "fresh")
    assert again.code == 0
    summaries = [
        Path(root, "rule28-vs-random/summary.json").read_bytes() for root in ("results", "fresh")
    ]
    assert summaries[0] == summaries[1]
