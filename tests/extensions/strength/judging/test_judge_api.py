"""`ca.judge`: the numbers and the sentence of `arena judge --json`."""

import json
from pathlib import Path

import pytest
from helpers.arena import Arena

import cantstop_arena as ca

RUDE = """def choose_move(turn, moves):
    return -1
def roll_again(turn):
    return False
"""


def test_it_says_what_the_command_says(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CANTSTOP_ARENA_TABLES", str(tmp_path / "tables"))
    words = ["random", "cautious", "--rules", "2,1", "--players", "1", "--deals", "10"]
    printed = json.loads(arena("judge", *words, "--seed", "3", "--json").text)
    judged = ca.judge("random", "cautious", rules="2,1", players=1, deals=10, seed=3)
    assert json.loads(json.dumps(judged.as_dict())) == printed
    assert judged.headline == printed["headline"]
    assert [*judged.losses] == ["random", "cautious"]
    assert not judged.faults


@pytest.mark.slow
def test_faults_are_returned_and_the_games_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CANTSTOP_ARENA_TABLES", str(tmp_path / "tables"))
    Path("rude.py").write_text(RUDE)
    judged = ca.judge("random", "./rude.py", rules="2,1", players=1, deals=10)
    assert [*judged.losses] == ["random"]
    assert len(judged.faults) == 1 and "rude" in judged.faults[0]
    with pytest.raises(ca.BotError, match="rude"):
        ca.judge("./rude.py", rules="2,1", players=1, deals=10)
