"""Bots that play another game: the error says how to play that game, or which bots do not."""

from pathlib import Path

import pytest
from helpers.arena import Arena

import cantstop_arena as ca
from cantstop_arena.errors import BotError

pytestmark = pytest.mark.usefixtures("second_game")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


COMMANDS = [
    "match careful pirate",
    "gauntlet careful --against pirate",
    "plan careful pirate --difference 0.1",
    "bench careful pirate",
    "tune careful --against pirate",
    "play careful pirate",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_game_that_all_bots_play_is_suggested(arena: Arena, command: str) -> None:
    assert arena(command, input="q\n", code=2).error.splitlines()[-1] == (
        "bot careful plays salvage, not cantstop; choose that game with --game salvage"
    )


def test_bots_that_do_not_play_the_other_game_are_named(arena: Arena) -> None:
    plays = "bot careful plays salvage, not cantstop"
    words = ("rule28:threshold=30", "careful")
    expected = f"{plays}; rule28:threshold=30 does not play salvage\n"
    assert arena("match", *words, code=2).error == expected
    command = "plan random cautious rule28 careful --players 4 --difference 1 --elo"
    expected = f"{plays}; random, cautious and rule28 do not play salvage\n"
    assert arena(command, code=2).error == expected


def test_a_file_of_another_game_is_one_too(arena: Arena) -> None:
    arena("bots new mine --game salvage")
    error = arena("match ./bots/mine.py careful", code=2).error
    assert "bots/mine.py plays salvage, not cantstop; choose that game with --game salvage" in error


def test_programs_play_any_game() -> None:
    with pytest.raises(BotError, match="choose that game with --game salvage"):
        ca.match("careful", ca.bot(command=["cat"], as_="cat"))


def test_a_command_of_one_game_refuses_others_in_a_sentence(arena: Arena) -> None:
    assert arena("odds --game salvage", code=2).error == "arena odds is for Can't Stop only\n"
    assert arena("odds --game cantstop").text == arena("odds").text
