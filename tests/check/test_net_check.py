"""The check of a file of a net: in the setting that it was trained for, and row by row."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.nets import random_net, write_net

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.bots.known_bot import KnownBot
from cantstop_arena.bots.onnx_bots import OnnxNet
from cantstop_arena.bots.onnx_files import METADATA
from cantstop_arena.bots.origins import Origin
from cantstop_arena.check.net_setting import CheckedSetting, checked_setting
from cantstop_arena.check.row_check import check_rows
from cantstop_arena.check.suite import CheckedRules
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.table.batched_bot import BatchedBot

pytest.importorskip("onnxruntime", reason="needs pip install -e '.[onnx]'")
onnx = pytest.importorskip("onnx", reason="needs pip install -e '.[dev]'")

LIMIT = 1.0  # seconds of processor time that a decision may take on average


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def net_with(*nodes: Any, **said: str) -> Path:
    """The file of a net; `nodes` lead from its logits, under the name `before`, to the output."""
    path = write_net("mine.onnx")
    model = onnx.load(str(path))
    if nodes:
        model.graph.node[-1].output[0] = "before"
        model.graph.node.extend(nodes)
    onnx.helper.set_model_props(model, {f"{METADATA}{key}": text for key, text in said.items()})
    path.write_bytes(model.SerializeToString())
    return path


def setting_of(path: Path, only: CheckedRules | None = None) -> CheckedSetting:
    source = BotSource.at(path)
    bot = KnownBot(
        name="mine", origin=Origin.FILE, digest="", options={}, summary="", source=source
    )
    return checked_setting(bot, GAME, only)


@pytest.mark.parametrize(
    ("said", "mark", "text", "plays"),
    [
        ({}, "note", "the file does not say; it is checked for classic and 2 players", True),
        ({"rules": "jump", "players": "2"}, "ok", "jump and 2 players", True),
        (
            {"rules": "classic", "players": "3"},
            "WRONG",
            "takes 58 numbers as an observation",
            False,
        ),
        ({"rules": "classic", "players": "99"}, "WRONG", "was trained for classic and 99", False),
        ({"rules": "classic", "players": "two"}, "WRONG", "was trained for classic and two", False),
        (
            {"rules": "of my house", "players": "2"},
            "note",
            "of my house and 2 players; no rules have this name here, it is checked for classic",
            True,
        ),
        (
            {"rules": "of my house", "players": "4"},
            "note",
            "of my house and 4 players; no rules have this name here, so it is not played",
            False,
        ),
        ({"encoding": "cantstop/9"}, "WRONG", "was trained for encoding cantstop/9", False),
    ],
)
def test_a_net_is_checked_in_the_setting_that_its_file_names(
    said: dict[str, str], mark: str, text: str, plays: bool
) -> None:
    setting = setting_of(net_with(**said))
    assert setting.finding is not None
    assert setting.finding.mark == mark
    assert text in setting.finding.text
    assert setting.plays == plays


def test_without_a_word_the_number_of_players_is_one_that_the_observations_fit() -> None:
    model = onnx.load(str(write_net("four.onnx", random_net(84), players="4")))
    del model.metadata_props[:]
    Path("four.onnx").write_bytes(model.SerializeToString())
    checked = setting_of(Path("four.onnx")).rules
    assert checked is not None
    assert checked.players == 4


def test_a_net_that_was_trained_for_other_rules_than_those_asked_for_is_wrong() -> None:
    korean = CheckedRules(GAME.rules.as_dict(GAME.rules.named["korean"].rules), 2, LIMIT)
    setting = setting_of(net_with(rules="classic", players="2"), korean)
    assert setting.rules == korean
    assert setting.finding is not None
    assert "was trained for classic and 2 players; this run has korean and 2" in (
        setting.finding.text
    )


def constant(name: str, value: Any) -> Any:
    return onnx.helper.make_node("Constant", [], [name], value=onnx.numpy_helper.from_array(value))


def dropout(training: bool) -> list[Any]:
    return [
        constant("share", np.array(0.5, np.float32)),
        constant("training", np.array(training)),
        onnx.helper.make_node("Dropout", ["before", "share", "training"], ["logits"]),
    ]


def normalisation(training: bool) -> list[Any]:
    """In training mode by the mean of the batch."""
    if not training:
        units, zeros = np.ones(79, np.float32), np.zeros(79, np.float32)
        inputs = ["before", "units", "zeros", "zeros", "units"]
        node = onnx.helper.make_node("BatchNormalization", inputs, ["logits"])
        return [constant("units", units), constant("zeros", zeros), node]
    mean = onnx.helper.make_node("ReduceMean", ["before"], ["mean"], axes=[0], keepdims=1)
    return [mean, onnx.helper.make_node("Sub", ["before", "mean"], ["logits"])]


def scaled_by_all(training: bool) -> list[Any]:
    """As dynamic quantisation does, whose scale is that of the whole batch."""
    outputs = ["whole", "scale", "zero"]
    return [
        onnx.helper.make_node("DynamicQuantizeLinear", ["before"], outputs),
        onnx.helper.make_node("DequantizeLinear", outputs, ["logits"]),
    ]


@pytest.mark.parametrize(
    ("nodes", "training", "mark", "text"),
    [
        (dropout, True, "WRONG", "is dropout left on"),
        (dropout, False, "ok", "the same bytes alone and among others"),
        (normalisation, True, "WRONG", "the answer in a row depends on the other rows"),
        (normalisation, False, "ok", "the same bytes alone and among others"),
        (scaled_by_all, True, "WRONG", "the answer in a row depends on the other rows"),
    ],
)
def test_layers_that_mix_rows_or_draw_numbers_are_found(
    nodes: Callable[[bool], list[Any]], training: bool, mark: str, text: str
) -> None:
    net = OnnxNet(net_with(*nodes(training)).read_bytes())
    found = check_rows(BatchedBot(GAME, net.decide, 16), CLASSIC, 2)
    assert (found[0], text in found[1]) == (mark, True), found


@pytest.mark.slow
def test_the_command_says_what_a_net_was_trained_for(arena: Arena) -> None:
    write_net("mine.onnx", rules="jump")
    found = arena("bots", "check", "mine.onnx").text
    assert "decide, by the net: from 58 observations to 79 logits" in found
    assert "jump and 2 players" in found
    net_with(rules="classic", players="3")
    found = arena("bots", "check", "mine.onnx", code=1).text
    assert "the net takes 58 numbers as an observation; classic with 3 players has 71" in found
    net_with(game="chess")
    assert "unknown game 'chess'" in arena("bots", "check", "mine.onnx", code=1).text
