"""Lines about bots that have changed since a run: rank, Elo, and the gain on the same deals."""

import csv
import re
from pathlib import Path

import pytest
from helpers.arena import Arena

from cantstop_arena.reports.changed_bots import changed_bot_lines, last_query

FOLDER = Path("results/mine")
BOT = "def choose_move(turn, moves):\n    return 0\n\n\ndef roll_again(turn):\n    return {}\n"
FILE = "name: mine\ngames: {games}\nseed: 1\n{more}bots: [rule28, cautious{bots}]\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of our own."""
    monkeypatch.chdir(tmp_path)


def lines_after(
    arena: Arena, *bots: str, again: str, games: int = 200, more: str = ""
) -> list[str]:
    """The lines after a run in which these bots roll again where `again` says so."""
    before = last_query(FOLDER)
    listed = "".join(f", {bot}" for bot in bots)
    text = FILE.format(games=games, more=more, bots=listed)
    sources = {bot: f'"""{bot}"""\n{BOT.format(again)}' for bot in bots}
    arena("run mine.yaml --no-page", yaml=text, bots=sources, code=None)
    return list(changed_bot_lines(before, FOLDER))


@pytest.mark.slow
def test_the_gain_is_that_of_the_history(arena: Arena) -> None:
    assert lines_after(arena, "patient", again="False") == []
    (line,) = lines_after(arena, "patient", again="turn.rolls < 3")
    match = re.fullmatch(
        r"patient: 2nd of 3, Elo (\S+) ± \S+, \+(\S+) against patient@([0-9a-f]{7})"
        r" on the same deals\.",
        line,
    )
    assert match, line
    arena("history", "patient", "--in", FOLDER)
    with (FOLDER / "history-patient.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    assert first["label"] == match[3]
    assert float(second["elo"]) - float(first["elo"]) == pytest.approx(float(match[2]), abs=0.06)
    (back,) = lines_after(arena, "patient", again="False")
    assert f", -{match[2]} against patient@{second['label']} on the same deals." in back
    assert lines_after(arena, "patient", again="False") == []


@pytest.mark.slow
def test_a_new_bot_has_no_earlier_version(arena: Arena) -> None:
    lines_after(arena, "patient", again="False")
    (line,) = lines_after(arena, "patient", "brave", again="False")
    assert re.fullmatch(r"brave: \S+ of 4, Elo \S+ (± \S+|\(.+\))\.", line)


@pytest.mark.slow
def test_three_bots_at_most(arena: Arena) -> None:
    bots = ("a", "b", "c", "d", "e")
    lines_after(arena, *bots, again="False", games=20)
    lines = lines_after(arena, *bots, again="turn.rolls < 2", games=20)
    assert [line.split(":")[0] for line in lines] == ["a", "b", "c", "and 2 more bots."]


@pytest.mark.slow
def test_fewer_deals_of_the_earlier_version_are_not_the_same(arena: Arena) -> None:
    lines_after(arena, "patient", again="False", games=20)
    (line,) = lines_after(arena, "patient", again="turn.rolls < 3", games=200)
    assert "against patient@" in line and "on the same deals" not in line


@pytest.mark.slow
def test_a_disqualified_bot(arena: Arena) -> None:
    lines_after(arena, "patient", again="False")
    (line,) = lines_after(arena, "patient", again="1 // 0", more="max_faults: 1\n")
    assert line == "patient: disqualified."


@pytest.mark.slow
def test_bots_that_play_alone_have_a_rank(arena: Arena) -> None:
    lines_after(arena, "patient", again="False", more="players: 1\n", games=20)
    (line,) = lines_after(arena, "patient", again="turn.rolls < 3", more="players: 1\n", games=20)
    assert re.fullmatch(r"patient: \S+ of 3\.", line)
