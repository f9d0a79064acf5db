"""Disqualified bots in the standings: marked, with the reason and a replay, for people and data."""

import csv
from io import StringIO
from pathlib import Path

import pytest
from helpers.arena import Arena

NONE = "def choose_move(turn, moves): return None\ndef roll_again(turn): return False\n"
REASON = "illegal answer: choose_move must return an index, not None"
REPLAY = "arena replay cup.yaml rule28 none --deal 0"
CUP = "name: cup\ngames: 100\nmax_faults: 5\nseed: 1\nbots: [rule28, none, random]\n"


def play(arena: Arena, text: str = CUP, code: int = 3) -> str:
    """Play the tournament with a bot that returns None; what is printed."""
    return arena("run", "cup.yaml", "--page", code=code, bots={"none": NONE}, yaml=text).text


def test_people_read_who_is_disqualified_why_and_how_to_replay_it(arena: Arena) -> None:
    printed, _, below = play(arena).partition("Crosstable")
    for text in (printed, Path("results/cup/standings.md").read_text()):
        row = next(line for line in text.splitlines() if "none" in line)
        assert row.replace("|", "").split() == [
            "-",
            "none",
            "-",
            "0",
            "-",
            "-",
            "6",
            "disqualified",
        ]
        assert "none is disqualified after 6 faults, and its games are left out." in text
    assert f"The first, in deal 0: {REASON}. Replay: {REPLAY}" in printed
    assert "Disqualified: none." in below
    assert f"{printed}{below}".count(REPLAY) == 1
    page = Path("results/cup/report.html").read_text()
    block = page.partition("<h3>Disqualified</h3>")[2]
    assert "<bdi>none</bdi>" in block.partition("</table>")[0]
    assert REASON in block.partition("</table>")[0]
    assert REPLAY in page, "with the faults"


@pytest.mark.slow
def test_programs_get_the_reason_and_the_replay_in_columns(arena: Arena) -> None:
    play(arena)
    printed = arena("rate results/cup --format csv --table standings", code=3).text
    for text in (Path("results/cup/standings.csv").read_text(), printed):
        *ranked, last = csv.DictReader(StringIO(text))
        assert [row["note"] + row["first_fault"] + row["replay"] for row in ranked] == ["", ""]
        assert (last["rank"], last["bot"], last["elo"], last["games"]) == ("", "none", "", "0")
        assert (last["faults"], last["note"], last["first_fault"]) == ("6", "disqualified", REASON)
        assert last["replay"].startswith("arena replay ")


def test_without_disqualified_bots_the_standings_have_no_column_of_them(arena: Arena) -> None:
    play(arena, CUP.replace("none, ", ""), code=0)
    heading = Path("results/cup/standings.csv").read_text().partition("\n")[0]
    assert heading == (
        "rank,bot,elo,elo_low,elo_high,games,score,score_low,score_high,letters,superiority,faults,note"
    )


@pytest.mark.slow
def test_who_plays_alone_and_is_disqualified_has_a_row(arena: Arena) -> None:
    printed = play(arena, CUP.replace("games", "players: 1\ngames"))
    (row,) = (line for line in printed.splitlines() if line.split()[:2] == ["-", "none"])
    assert row.split()[-2:] == ["5", "disqualified"]
    block = Path("results/cup/report.html").read_text().partition("<h3>Disqualified</h3>")[2]
    assert "<bdi>none</bdi>" in block.partition("</table>")[0]


def test_where_no_game_counts_the_standings_say_who_is_disqualified(arena: Arena) -> None:
    play(arena, CUP.replace(", random", ""))
    assert "No games are left to rank by" in Path("results/cup/report.html").read_text()
