"""Bots that play another game: the error says how to play that game, or which bots do not."""

from pathlib import Path

import pytest
from helpers.arena import Arena

import cantstop_arena as ca
from cantstop_arena.errors import BotError


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


COMMANDS = [
    "match greedy hasty",
    "gauntlet greedy --against hasty",
    "plan greedy hasty --difference 0.1",
    "bench greedy hasty",
    "tune greedy --against hasty",
    "play greedy hasty",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_game_that_all_bots_play_is_suggested(arena: Arena, command: str) -> None:
    assert arena(command, input="q\n", code=2).error.splitlines()[-1] == (
        "bot greedy plays cubus, not cantstop; choose that game with --game cubus"
    )


def test_bots_that_do_not_play_the_other_game_are_named(arena: Arena) -> None:
    plays = "bot greedy plays cubus, not cantstop"
    words = ("rule28:threshold=30", "greedy")
    expected = f"{plays}; rule28:threshold=30 does not play cubus\n"
    assert arena("match", *words, code=2).error == expected
    command = "plan random cautious rule28 greedy --players 4 --difference 1 --elo"
    expected = f"{plays}; cautious and rule28 do not play cubus\n"
    assert arena(command, code=2).error == expected


def test_a_file_of_another_game_is_one_too(arena: Arena) -> None:
    arena("bots new mine --game cubus")
    error = arena("match ./bots/mine.py greedy", code=2).error
    assert "bots/mine.py plays cubus, not cantstop; choose that game with --game cubus" in error


def test_programs_play_any_game() -> None:
    with pytest.raises(BotError, match="choose that game with --game cubus"):
        ca.match("greedy", ca.bot(command=["cat"], as_="cat"))


@pytest.mark.parametrize("command", ["odds", "judge rule28", "solve classic"])
def test_commands_of_one_game_refuse_others_in_a_sentence(arena: Arena, command: str) -> None:
    message = f"arena {command.split()[0]} is for Can't Stop only\n"
    assert arena(f"{command} --game cubus", code=2).error == message


def test_the_game_of_a_command_of_one_game_may_be_named(arena: Arena) -> None:
    assert arena("odds --game cantstop").text == arena("odds").text
