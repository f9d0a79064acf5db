"""Small nets in the format ONNX, as files that play."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from cantstop_arena.bots.onnx_files import METADATA
from cantstop_arena.game_api.batches import Batch
from cantstop_arena.game_api.policy_net import PolicyNet

SETTING = {"game": "cantstop", "rules": "classic", "players": "2", "encoding": "cantstop/1"}


def random_net(observations: int = 58, actions: int = 79, seed: int = 1) -> PolicyNet:
    """A net with random weights, whose logits differ."""
    rng = np.random.default_rng(seed)
    sizes = (observations, 16, actions)
    return PolicyNet(
        [
            (
                rng.standard_normal(shape).astype(np.float32),
                rng.standard_normal(shape[1]).astype(np.float32),
            )
            for shape in pairwise(sizes)
        ]
    )


def random_batch(rows: int) -> Batch:
    """A batch of random observations of Can't Stop, with two players."""
    rng = np.random.default_rng(3)
    return Batch(
        observations=rng.random((rows, 58), np.float32),
        legal=rng.random((rows, 79)) < 0.5,
        live=np.ones(rows, np.bool_),
        seats=np.zeros(rows, np.int64),
        random=rng.random(rows),
        rules=None,
        players=2,
        encoding="cantstop/1",
    )


def write_net(path: str, net: PolicyNet | None = None, **setting: str) -> Path:
    """Write the file of a net, a random one by default; it says the setting it was trained for."""
    from onnx import TensorProto, helper, numpy_helper

    (first, first_biases), (last, last_biases) = (net or random_net()).layers
    arrays = {"w0": first, "b0": first_biases, "w1": last, "b1": last_biases}
    nodes = [
        helper.make_node("Gemm", ["observations", "w0", "b0"], ["sums"]),
        helper.make_node("Relu", ["sums"], ["values"]),
        helper.make_node("Gemm", ["values", "w1", "b1"], ["logits"]),
    ]
    tensors = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", size])
        for name, size in (("observations", len(first)), ("logits", len(last_biases)))
    ]
    weights = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = helper.make_graph(nodes, "policy", tensors[:1], tensors[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    texts = {f"{METADATA}{key}": text for key, text in {**SETTING, **setting}.items()}
    helper.set_model_props(model, texts)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(model.SerializeToString())
    return Path(path)
