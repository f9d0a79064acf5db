"""Bots with `decide(batch)`: what they are, what they see, and how one game is played by them."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena

import cantstop_arena as ca
from cantstop_arena.bots.loader import Loader
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.batches import actions_in, empty_batch
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.games.registry import game_named
from cantstop_arena.table.device import may_differ

NET = '''"""A net of one layer."""
import numpy as np
WEIGHTS = np.random.default_rng(1).standard_normal((58, 79)).astype(np.float32)
rows = 8

def decide(batch, temperature=0.0):
    return batch.observations @ WEIGHTS
'''
ENCODING = GAME.encoding(CLASSIC, 2)


def loaded(tmp_path: Path, text: str) -> Any:
    path = tmp_path / "net.py"
    path.write_text(text)
    return Loader(tmp_path).load_file(path)


def batch(rows: int = 4) -> ca.Batch:
    """Every other row has a game, in which the actions 3, 5 and 7 are legal."""
    made = empty_batch(rows, ENCODING, CLASSIC, 2)
    made.live[::2] = True
    made.legal[::2, [3, 5, 7]] = True
    made.random[::2] = 0.5
    return made


def test_a_file_with_decide_is_a_batched_bot(tmp_path: Path) -> None:
    bot = loaded(tmp_path, NET)
    assert bot.backend == "batched"
    assert bot.defaults == {"temperature": 0.0, "rows": 8}
    built = bot.build({"rows": 16, "temperature": 1})
    assert (built.rows, built.temperature) == (16, 1.0)
    assert bot.fresh_instance({}) is bot.fresh_instance({}), "it has no memory"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def decide(batch, size): pass", "the option size needs a default"),
        ("def decide(rows): pass", r"must take \(batch\), then options; it takes \(rows\)"),
        ("learns = True\ndef decide(batch): pass", "cannot learn"),
        ("rows = 0\ndef decide(batch): pass", "rows must be a whole number from 1 to"),
        ("temperature = -1.0\ndef decide(batch): pass", "temperature must be 0 or a greater"),
        (
            "def decide(batch): pass\ndef roll_again(turn): pass",
            r"decide\(batch\) takes all decisions; leave out roll_again",
        ),
        ("game = 'salvage'\ndef decide(batch): pass", "Salvage has no batches"),
    ],
)
@pytest.mark.usefixtures("second_game")
def test_what_is_no_batched_bot_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BotError, match=message):
        loaded(tmp_path, text).build({})


def test_a_function_of_this_name_in_another_bot_is_its_own(tmp_path: Path) -> None:
    text = """
def decide(turn): return False
def choose_move(turn, moves): return 0
def roll_again(turn): return decide(turn)
"""
    assert loaded(tmp_path, text).backend == "plain"


@pytest.mark.usefixtures("second_game")
def test_the_encoding_of_cantstop_is_that_of_its_positions() -> None:
    for rules, players in ((CLASSIC, 1), (CLASSIC, 4), (CLASSIC, 3)):
        encoding, position = GAME.encoding(rules, players), GAME.position(rules, players, 0)
        assert (encoding.name, encoding.size, encoding.actions) == (
            "cantstop/1",
            position.observation_size,
            position.action_count,
        )
        assert sum(encoding.fields.values()) == encoding.size
    salvage = game_named("salvage")
    assert salvage.encoding(salvage.rules.default, 2) is None


def test_the_best_legal_action_is_taken_and_the_first_of_equal_ones() -> None:
    logits = np.zeros((4, 79))
    logits[0, 5] = 1
    logits[2, [0, 78]] = 9, np.nan  # which are illegal
    actions, faults = actions_in(logits, batch(), 0.0)
    assert [*actions[::2]] == [5, 3]
    assert not faults.any()


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({3: np.nan}, 2),
        ({3: -np.inf, 5: -np.inf, 7: -np.inf}, 3),
        ({3: np.inf}, 0),
        ({4: np.nan}, 0),
    ],
)
def test_a_fault_is_that_of_its_row(row: dict[int, float], fault: int) -> None:
    logits = np.zeros((4, 79), np.float32)
    logits[2, [*row]] = [*row.values()]
    logits[1] = np.nan  # a row without a game
    for temperature in (0.0, 1.0):
        assert [*actions_in(logits, batch(), temperature)[1]] == [0, 0, fault, 0]


def test_an_illegal_action_is_a_fault_of_its_row() -> None:
    assert [*actions_in(np.array([3, -9, 4, 99]), batch(), 0.0)[1]] == [0, 0, 1, 0]
    assert [*actions_in(np.array([79, -9, -1, 99]), batch(), 0.0)[1]] == [1, 0, 1, 0]


@pytest.mark.parametrize("answer", [None, [3, 3, 3, 3], np.zeros(3, int), np.zeros((4, 79), int)])
def test_what_is_no_answer_is_illegal(answer: object) -> None:
    with pytest.raises(IllegalAnswer, match="decide"):
        actions_in(answer, batch(), 0.0)


def test_with_a_temperature_actions_are_drawn_by_their_likelihood() -> None:
    rows = 30_000
    many = batch(rows)
    many.random[:] = np.random.default_rng(1).random(rows)
    logits = np.full((rows, 79), np.nan)
    logits[:, [3, 5, 7]] = np.log([1, 2, 5])
    actions, _ = actions_in(logits, many, 1.0)
    shares = np.bincount(actions[::2], minlength=79) * 2 / rows
    assert shares[[3, 5, 7]] == pytest.approx([1 / 8, 2 / 8, 5 / 8], abs=0.02)
    sharp, _ = actions_in(logits, many, 0.1)
    assert (sharp[::2] == 7).mean() > 0.99


BY_ROW = """
import numpy as np
WEIGHTS = np.random.default_rng({seed}).standard_normal((58, 79)).astype(np.float32)
WEIGHTS[:, 77:] = 0
rows = 8

def decide(batch):
    logits = batch.observations @ WEIGHTS
    logits[::2] *= -1  # where rows matter, games must be in theirs
    logits[:, 78] = batch.observations[:, 54] > 0
    return logits
"""


@pytest.mark.slow
def test_a_replay_is_in_the_row_of_the_game(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bots = {name: BY_ROW.format(seed=seed) for seed, name in enumerate(["one", "two"])}
    arena("run pair.yaml --no-page --quiet", bots=bots, yaml="games: 6\nseed: 3\nbots: [one, two]")
    arena("export results/pair --games games.csv --quiet")
    with Path("games.csv").open(newline="") as file:
        games = [*csv.DictReader(file)]
    assert len(games) == 6
    for game in games:
        seats = game["bot_0"], game["bot_1"]
        replayed = arena("replay", "results/pair", *seats, "--deal", game["deal"], "--json")
        end = json.loads(replayed.text.splitlines()[-1])
        assert str(end["turns"]) == game["turns"], game


def test_devices_differ_by_processor_or_version_not_by_what_a_bot_uses() -> None:
    numpy, onnx = "x86-64 avx512, numpy 2.4.6", "x86-64 avx512, onnxruntime 1.32.0"
    assert not may_differ([])
    assert not may_differ([numpy, onnx, f"{onnx}, torch 2.13.0"])
    assert may_differ([numpy, "x86-64 avx2, onnxruntime 1.32.0"])
    assert may_differ([onnx, "x86-64 avx512, numpy 2.4.6, onnxruntime 1.31.0"])
