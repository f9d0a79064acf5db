"""Nets that are written as ONNX files, and functions of batches as bots."""

import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.nets import random_batch, random_net
from helpers.paths import ROOT

import cantstop_arena as ca
from cantstop_arena.bots.onnx_files import METADATA, read_net
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.policy_net import PolicyNet

pytest.importorskip("onnxruntime", reason="needs pip install -e '.[onnx]'")
pytest.importorskip("onnx", reason="needs pip install -e '.[dev]'")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_a_net_plays_as_its_function_does(arena: Arena) -> None:
    """In a file, and in Python by NumPy, whose logits differ by rounding only.

    Both have one name, from which the dice follow.
    """
    Path("bots").mkdir()
    Path("nets").mkdir()
    ca.to_onnx(random_net(), "nets/mine.onnx")
    net = random_net()
    bot = """
import numpy as np
import cantstop_arena as ca
from cantstop_arena.game_api.policy_net import PolicyNet
from cantstop_arena.environments import read_beside
NET = PolicyNet.load(read_beside(__file__, "mine.npz"))
def register_bots():
    return [ca.Bot("mine", lambda: ca.PolicyBot.from_batch(lambda batch: NET(batch.observations)))]
"""
    net.save("bots/mine.npz")
    results = []
    for name in ("nets/mine.onnx", "bots/mine.py"):
        command = f"match {name} rule28 --games 20 --seed 3 --no-page"
        done = arena(command, bots={"mine": bot})
        results.append([{**row, "bot": ""} for row in done.table("standings")])
    assert results[0] == results[1]


@pytest.mark.usefixtures("second_game")
def test_a_file_has_the_logits_of_its_layers_and_its_setting() -> None:
    net = random_net()
    path = ca.to_onnx(net, "mine.onnx", rules="classic")
    bot = ca.PolicyBot.from_onnx(path, temperature=0.5, rows=32)
    assert (bot.rows, bot.temperature) == (32, 0.5)
    assert np.allclose(bot.decide(random_batch(32)), net(random_batch(32).observations), atol=1e-4)
    metadata = {
        key.removeprefix(METADATA): text
        for key, text in read_net(path.read_bytes()).metadata.items()
    }
    assert metadata == {
        "game": "cantstop",
        "rules": "classic",
        "players": "2",
        "encoding": "cantstop/1",
    }
    with pytest.raises(UsageError, match="Salvage has no batches"):
        ca.to_onnx(net, "mine.onnx", game="salvage")


def test_a_batch_policy_is_an_opponent_of_environments() -> None:
    pytest.importorskip("gymnasium", reason="needs pip install -e '.[gymnasium]'")
    net: PolicyNet = random_net()
    rival = ca.PolicyBot.from_batch(lambda batch: net(batch.observations), rows=8)
    env = ca.vector_env([rival, "rule28"], 4)
    _, infos = env.reset(seed=2)
    ends = 0
    for _ in range(60):
        *_, terminated, _, infos = env.step(infos["action_mask"].argmax(axis=1))
        ends += int(terminated.sum())
    assert ends


class MaskablePPO:
    """A model as Stable-Baselines3 has them: no module, but with one."""

    policy = object()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (MaskablePPO(), r"not a MaskablePPO; of a model of Stable-Baselines3 .*policy_net"),
        (random_net().layers, "not a (list|tuple)$"),
        ("mine.onnx", "not a str$"),
        (None, "not a NoneType$"),
    ],
)
def test_what_is_no_net_is_not_written(model: Any, message: str) -> None:
    with pytest.raises(UsageError, match=rf"to_onnx takes a module of PyTorch.* {message}"):
        ca.to_onnx(model, "mine.onnx")
    assert not Path("mine.onnx").exists()


def test_the_extra_of_a_missing_package_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(UsageError, match=r"pip install 'cantstop-arena\[onnx\]'"):
        ca.to_onnx(random_net(), "mine.onnx")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert any(each.startswith("onnx>") for each in extras["optional-dependencies"]["onnx"])
