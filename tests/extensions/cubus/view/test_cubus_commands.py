"""Cubus through the commands that play no tournament."""

import json
from pathlib import Path

import pytest
from helpers.arena import Arena, completed


def test_a_person_builds_and_leaves(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pile is drawn; what breaks a rule is said and asked again."""
    monkeypatch.chdir(tmp_path)
    told = arena(
        *("play", "random", "--game", "cubus", "--seed", "5", "--save", "game.jsonl"),
        input="?\n99\n22/22@0,0\np\nq\n",
    ).output
    assert "|..--|-:::|" in told
    assert "R13" in told and "there is no number 99" in told
    assert json.loads(Path("game.jsonl").read_text().splitlines()[-1])["reason"] == "left"


def test_a_person_hears_of_a_pass_before_the_question(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, though it is recorded only after the answer."""
    monkeypatch.chdir(tmp_path)
    typed = "p\n" * 3
    told = arena("play", "random", "--game", "cubus", "--seed", "18", input=typed, code=None).output
    passed = "B random draws a left card and passes.\n"
    assert told.count(passed) == 1
    assert "explains)?" not in told[told.index(passed) : told.index("You may knock")]


def test_targets_are_listed(arena: Arena) -> None:
    """Most points first; what is no hand is said in a sentence."""
    assert "2@0,0" in arena("cubus", "targets", "1@0,0", "TLR").output
    failed = arena("cubus", "targets", "1@0,0", "X", code=None)
    assert (failed.code, "unknown card" in failed.output) == (2, True)


def test_a_new_bot_passes_its_check_of_hooks(arena: Arena, tmp_path: Path) -> None:
    """The template is a bot of Cubus."""
    arena("bots", "new", "mine", "--game", "cubus", "--bots", tmp_path)
    assert "mine" in arena("bots", "--game", "cubus", "--bots", tmp_path).output


@pytest.mark.slow
def test_a_person_is_told_the_seat_and_how_to_answer(arena: Arena, tmp_path: Path) -> None:
    words = ["play", "greedy", "--game", "cubus", "--seed", "1", "--save"]
    told = arena(*words, tmp_path / "game.jsonl", input="?\nq\n")
    assert "You are A. ? explains, q leaves the game.\n" in told.text
    assert "No pile is listed; p to pass, ? explains: ?\n" in told.text


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("match --game cubus gr", ["greedy"]),
        ("rules --game cubus str", ["strict"]),
        ("plan --game cu", ["cubus"]),
    ],
)
def test_what_is_completed(arena: Arena, words: str, expected: list[str]) -> None:
    assert completed(arena, words) == expected


def test_wrong_use_is_2(arena: Arena) -> None:
    assert arena("cubus targets x y", code=2).error
