"""`ca.train`: the file, the numbers and the sentence of `arena train`."""

import json
from pathlib import Path

import pytest
from helpers.arena import Arena

import cantstop_arena as ca


@pytest.mark.long
def test_it_says_what_the_command_says_and_writes_the_same_file(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["2,1", "--players", "1", "--rounds", "2", "--out", "printed.nets"]
    printed = json.loads(arena("train", *words, "--json").text)
    trained = ca.train("2,1", players=1, rounds=2, out="trained.nets")
    assert trained.headline == printed["headline"]
    last = json.loads(
        json.dumps(trained.trials[-1])
    )  # trials before it are played at intervals of time
    assert last == printed["trials"][-1]
    assert trained.file.read_bytes() == Path("printed.nets").read_bytes()


def test_games_without_nets_train_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ca.UsageError, match="Can't Stop is for 1 to 4 players"):
        ca.train("2,1", players=9)
