"""Files of nets as bots, and policies for many games at once."""

import contextlib
import hashlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.nets import random_batch, random_net, write_net

from cantstop_arena.bots.onnx_bots import OnnxNet
from cantstop_arena.bots.onnx_files import read_net
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.batches import policy_output

pytest.importorskip("onnxruntime", reason="needs pip install -e '.[onnx]'")
onnx = pytest.importorskip("onnx", reason="needs pip install -e '.[dev]'")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_the_file_of_a_net_is_a_bot(arena: Arena) -> None:
    path = write_net("nets/mine.onnx")
    write_net("nets/warm.onnx")
    yaml = """
games: 8
seed: 4
bots:
  - nets/*.onnx
  - {bot: nets/warm.onnx, temperature: 0.5, rows: 16}
  - random
"""
    done = arena("run cup.yaml --no-page", yaml=yaml)
    assert {row["bot"] for row in done.table("standings")} == {"mine", "warm", "random"}
    assert "faults" not in done.json
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (copy,) = Path("results").rglob(f"{digest}/mine.onnx")
    assert copy.read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_an_earlier_version_of_a_net_plays(arena: Arena) -> None:
    path = write_net("bots/mine.onnx")
    arena("match mine random --games 4 --no-page")
    write_net(str(path), random_net(seed=2))
    done = arena("match mine mine@previous --games 4 --no-page")
    assert "faults" not in done.json and len(done.table("standings")) == 2


@pytest.mark.slow
def test_a_net_says_what_it_was_trained_for(arena: Arena) -> None:
    write_net("nets/mine.onnx")
    assert (
        "A net that was trained for classic and 2 players" in arena("bots", "nets/mine.onnx").text
    )
    done = arena("match nets/mine.onnx rule28 --games 2 --rules korean", code=2)
    assert "nets/mine.onnx was trained for classic and 2 players; this run has korean and 2" in (
        done.error
    )
    done = arena(
        "run three.yaml", code=2, yaml="players: 3\nbots: [nets/mine.onnx, odds, random]\n"
    )
    assert "nets/mine.onnx was trained for classic and 2 players; this run has classic and 3" in (
        done.error
    )
    yaml = "games: 4\nrules: korean\nbots: [nets/*.onnx, odds, random]\n"
    done = arena("run korean.yaml --no-page", yaml=yaml)
    assert "was trained for classic" in done.json["left_out"][0]["reason"]


def edited(change: Any) -> bytes:
    """The file of a net after a change of its model."""
    model = onnx.load(str(write_net("original.onnx")))
    change(model)
    content: bytes = model.SerializeToString()
    return content


def with_operator(model: Any) -> None:
    node = onnx.helper.make_node("Secret", ["logits"], ["more"], domain="my.ops")
    model.graph.node.append(node)


def with_data_elsewhere(model: Any) -> None:
    tensor = model.graph.initializer[0]
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/etc/passwd")


def with_data_elsewhere_inside(model: Any) -> None:
    tensor = onnx.TensorProto()
    tensor.CopyFrom(model.graph.initializer[0])
    tensor.external_data.add(key="location", value="secret")
    inner = onnx.helper.make_graph([], "inner", [], [], [tensor])
    model.graph.node.append(onnx.helper.make_node("If", ["x"], ["y"], then_branch=inner))


def with_two_inputs(model: Any) -> None:
    tensor = onnx.helper.make_tensor_value_info("mask", onnx.TensorProto.FLOAT, ["rows", 79])
    model.graph.input.append(tensor)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_operator, "its operator Secret of my.ops is none of ONNX's own"),
        (with_data_elsewhere, "its weights are in another file"),
        (with_data_elsewhere_inside, "its weights are in another file"),
        (with_two_inputs, "it must have one input, the observations; it has observations, mask"),
    ],
)
def test_nets_that_the_arena_does_not_play(arena: Arena, change: Any, message: str) -> None:
    Path("bad.onnx").write_bytes(edited(change))
    done = arena("match bad.onnx rule28 --games 2", code=2)
    assert message in done.error and done.error.endswith("bad.onnx)\n")


def field(number: int, *contents: bytes) -> bytes:
    """Fields of Protocol Buffers with these bytes, of which each has fewer than 128."""
    return b"".join(bytes([number << 3 | 2, len(content)]) + content for content in contents)


FIELDS = {
    "names": field(1, *[b""] * 400_000),
    "numbers": bytes([8, 1]) * 400_000,
    "messages": field(14, *[bytes([8, 1]) * 60] * 6000),
}


@pytest.mark.parametrize("fields", FIELDS.values(), ids=FIELDS)
def test_a_net_with_very_many_fields_is_refused_before_they_take_memory(fields: bytes) -> None:
    model = onnx.ModelProto()
    model.ParseFromString(edited(lambda _: None))
    with pytest.raises(BotError, match="more than 300,000"):
        read_net(model.SerializeToString() + fields)


def test_damaged_files_are_reported() -> None:
    content = write_net("mine.onnx").read_bytes()
    rng = np.random.default_rng(5)
    for length in (0, 1, 10, len(content) // 2, len(content) - 1):
        with pytest.raises(BotError, match="no file in the format ONNX"):
            read_net(content[:length])
    for _ in range(300):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << rng.integers(8)
        with contextlib.suppress(BotError):
            read_net(bytes(damaged))


def test_without_the_runtime_a_net_says_what_to_install(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    content = write_net("mine.onnx").read_bytes()
    with pytest.raises(BotError, match=r"pip install 'cantstop-arena\[onnx\]'"):
        OnnxNet(content)


def test_a_file_has_the_logits_of_its_layers() -> None:
    net = random_net()
    logits = OnnxNet(write_net("mine.onnx", net).read_bytes()).decide(random_batch(32))
    assert np.allclose(logits, net(random_batch(32).observations), atol=1e-4)


def test_a_fixed_number_of_rows_is_that_of_the_batches() -> None:
    def fix(model: Any) -> None:
        for tensor in (model.graph.input[0], model.graph.output[0]):
            tensor.type.tensor_type.shape.dim[0].dim_value = 8

    assert OnnxNet(edited(fix)).rows == 8


def test_of_several_outputs_the_logits_count() -> None:
    logits, values = np.zeros((4, 79)), np.zeros((4, 1))
    for outputs in (logits, (values, logits), [logits, values], {"v": values, "logits": logits}):
        assert policy_output(outputs, random_batch(4)) is logits
    actions = np.zeros(4, np.int64)
    assert policy_output((values, actions), random_batch(4)) is actions


@pytest.mark.slow
@pytest.mark.usefixtures("second_game")
def test_a_new_batched_bot_plays(arena: Arena) -> None:
    arena("bots new fast --batched")
    assert "float32 (rows, 58)" in Path("bots/fast.py").read_text()
    done = arena("match fast random --games 4 --no-page")
    assert "faults" not in done.json
    assert "leave out one" in arena("bots new other --batched --compiled", code=2).error
    refused = arena("bots new diver --batched --game salvage", code=2).error
    assert "Salvage has no batches" in refused
