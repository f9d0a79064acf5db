"""`arena history`: the versions of a bot against the field of a tournament."""

import csv
from pathlib import Path

import pytest
from helpers.arena import Arena

BOT = """
def choose_move(turn, moves):
    return 0


def roll_again(turn):
    return turn.rolls < 1
"""
FILE = "games: 40\nseed: 1\nbots: [mine, rule28, random]\n"


@pytest.fixture
def versions(arena: Arena) -> list[str]:
    """What three runs have written in standings.csv, each with another version of a bot."""
    Path("bots").mkdir(exist_ok=True)
    Path("cup.yaml").write_text(FILE)
    written = []
    for rolls in (1, 2, 3):
        Path("bots/mine.py").write_text(BOT.replace("< 1", f"< {rolls}"))
        arena("run", "cup.yaml", "--quiet")
        written.append(Path("results/cup/standings.csv").read_text())
    return written


def rows() -> list[dict[str, str]]:
    with Path("results/cup/history-mine.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_versions_are_in_order_of_arrival(arena: Arena, versions: list[str]) -> None:
    done = arena("history", "mine", "--in", "results/cup")
    assert done.text.startswith(
        "mine: 3 versions against the field of cup (rule28, random), 40 games each."
    )
    assert "better than before, %" in done.text
    assert done.text.endswith("Written to results/cup: history-mine.csv.\n")
    told = rows()
    assert [row["lines"] for row in told] == ["", "1", "1"]
    assert told[0]["superiority"] == "" and 0 < float(told[2]["superiority"]) < 1
    digests = [
        line[:7] for line in done.text.splitlines() if line[:7] in {r["label"] for r in told}
    ]
    assert digests == [row["label"] for row in told]


def test_scores_are_those_of_the_runs(arena: Arena, versions: list[str]) -> None:
    arena("history", "mine", "--in", "results/cup")
    for row, standings in zip(rows(), versions, strict=True):
        (run,) = (line for line in csv.DictReader(standings.splitlines()) if line["bot"] == "mine")
        assert run["score"] == row["score"]


def test_the_field_keeps_its_elo(arena: Arena, versions: list[str]) -> None:
    arena("history", "mine", "--in", "results/cup")
    (run,) = (line for line in csv.DictReader(versions[-1].splitlines()) if line["bot"] == "mine")
    assert float(rows()[-1]["elo"]) == pytest.approx(float(run["elo"]), abs=25)


def test_a_version_that_has_not_met_all_is_named(arena: Arena, versions: list[str]) -> None:
    Path("cup.yaml").write_text(FILE.replace("random]", "random, cautious]"))
    arena("run", "cup.yaml", "--quiet")
    text = arena("history", "mine", "--in", "results/cup").text
    assert "2 of 3 versions have not met all of this field: 80 games are missing." in text


def test_a_bot_that_was_removed_has_a_history(arena: Arena, versions: list[str]) -> None:
    Path("cup.yaml").write_text(FILE.replace("mine, ", ""))
    arena("run", "cup.yaml", "--quiet")
    arena("history", "mine", "--in", "results/cup")
    assert len(rows()) == 3


def test_an_unknown_bot_is_answered(arena: Arena, versions: list[str]) -> None:
    done = arena("history", "nobody", "--in", "results/cup", code=None)
    assert done.code == 2
    assert done.error == (
        "no bot called 'nobody' has played in results/cup; bots are mine, rule28, random\n"
    )


def test_faults_of_versions_are_no_obstacle(arena: Arena, versions: list[str]) -> None:
    """The last bot of the history's field has another number than in the tournament."""
    faulty = BOT.replace("return 0", "return 0 // (turn.number < 9)")
    arena("run", "cup.yaml", "--quiet", bots={"mine": faulty}, yaml=f"{FILE}max_faults: 9999\n")
    arena("history", "mine", "--in", "results/cup")
    assert len(rows()) == 4 and rows()[-1]["elo"]
