"""examples/four_in_a_row: a game without chance, its boards, and its bots."""

import json
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import examples

import cantstop_arena as ca
from cantstop_arena.games.registry import game_named

CUP = """
game: four-in-a-row
players: 2
games: 20
seed: 1
openings: {plies: 2}
bots: [ahead, watchful, anywhere]
"""
FIRST_BOARD = """\
. . . . . .
. . . . . .
. . . . . .
. . . . . .
. . x . . .
1 2 3 4 5 6
"""


installed = examples("four_in_a_row")


@pytest.mark.slow
def test_search_beats_one_turn_ahead_beats_chance(arena: Arena) -> None:
    done = arena("run cup.yaml --quiet", yaml=CUP)
    assert [row["bot"] for row in done.table("standings")] == ["ahead", "watchful", "anywhere"]


def test_person_sees_the_board(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = arena("play", "watchful", "--game", "four-in-a-row", "--seed", "1", input="3\nq\n")
    assert FIRST_BOARD in printed.output
    assert printed.output.count("columns: ") == 1  # before there is a board


@pytest.mark.slow
def test_records_have_boards(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cup.yaml").write_text(CUP)
    replay = ("replay", "cup.yaml", "ahead", "watchful", "--deal", "1")
    record = arena(*replay, "--json").text
    kinds = [json.loads(line)["event"] for line in record.splitlines()]
    assert kinds[0] == "game" and kinds[-1] == "end" and kinds.count("board") > 5
    lines = arena(*replay).text
    assert "drop (column" in lines and ". . ." not in lines
    Path("game.jsonl").write_text(record)
    drawn = arena("draw", "game.jsonl", "--turn", "3").text
    assert drawn.endswith("\n1 2 3 4 5 6\n") and drawn.count("1 2 3 4 5 6") == 1


def test_board_of_a_position() -> None:
    game = game_named("four-in-a-row")
    position = game.position(game.rules.default, 2)
    position.take(2)
    assert position.drawing() == FIRST_BOARD.rstrip()
    assert position.action_name(position.legal[0]) == "column 1"


@pytest.mark.slow
def test_decisions_after_openings_are_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cup.yaml").write_text(CUP.replace("ahead, ", ""))
    report = ca.run("cup.yaml").export_decisions("decisions.csv")
    assert report.rows
    assert not report.missing
