"""Nets written as ONNX files, with what they were trained for; such a file is a bot."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.bots.onnx_files import METADATA, read_net
from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.learn.environments.extras import extra
from cantstop_arena.extensions.learn.environments.setting import setting_for
from cantstop_arena.game_api.batches import encoding_or_error
from cantstop_arena.game_api.policy_net import PolicyNet
from cantstop_arena.games.registry import DEFAULT

_INPUT, _OUTPUT = "observations", "logits"
_ADVICE = (
    "; of a model of Stable-Baselines3 with an MlpPolicy the module is torch.nn.Sequential("
    "model.policy.mlp_extractor.policy_net, model.policy.action_net).cpu(), and any model plays by"
    " PolicyBot.from_sb3"
)
_OPSET = 17  # of ONNX's operators; any runtime of the last years has it


def to_onnx(
    module: Any, path: Path | str, *, rules: Any = None, players: int = 2, game: str = DEFAULT
) -> Path:
    """Write a net into a file `.onnx`, which plays as a bot; returns its path.

    `module` is a module of PyTorch, from observations (rows, numbers) to logits (rows, actions), a
    `PolicyNet`, or a model of ONNX. The file says for which game, rules and number of players it
    was trained: the arena refuses others. For `rules` see `setting.setting_for`. Needs the package
    onnx. Raises UsageError, and BotError for a model that the arena cannot play.
    """
    setting = setting_for(rules, players, game)
    encoding = encoding_or_error(setting.game, setting.rules, players)
    with extra("The package onnx", "onnx"):
        import onnx
    if isinstance(module, onnx.ModelProto):
        model = module
    elif isinstance(module, PolicyNet):
        model = _model_of_layers(module)
    else:
        model = _model_of_module(module, encoding.size)
    metadata = {
        "game": setting.game.name,
        "rules": setting.rules.name,
        "players": str(players),
        "encoding": encoding.name,
    }
    names = {f"{METADATA}{key}": text for key, text in metadata.items()}
    onnx.helper.set_model_props(model, names)
    content = model.SerializeToString()
    read_net(content)
    target = Path(path)
    with draft_of(target) as draft:
        draft.write_bytes(content)
    return target


def _model_of_layers(net: PolicyNet) -> Any:
    from onnx import TensorProto, helper, numpy_helper

    nodes, weights, values = [], [], _INPUT
    for number, (matrix, biases) in enumerate(net.layers):
        is_last = number == len(net.layers) - 1
        weights += [numpy_helper.from_array(matrix, f"weights{number}")]
        weights += [numpy_helper.from_array(biases, f"biases{number}")]
        sums = _OUTPUT if is_last else f"sums{number}"
        inputs = [values, f"weights{number}", f"biases{number}"]
        nodes.append(helper.make_node("Gemm", inputs, [sums]))
        if not is_last:
            values = f"values{number}"
            nodes.append(helper.make_node("Relu", [sums], [values]))
    shapes = {_INPUT: len(net.layers[0][0]), _OUTPUT: len(net.layers[-1][1])}
    tensors = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", size])
        for name, size in shapes.items()
    ]
    graph = helper.make_graph(nodes, "policy", tensors[:1], tensors[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=8)


def _model_of_module(module: Any, size: int) -> Any:
    if not hasattr(module, "eval"):
        raise UsageError(
            "to_onnx takes a module of PyTorch, a PolicyNet or a model of ONNX, not a"
            f" {type(module).__name__}{_ADVICE if hasattr(module, 'policy') else ''}"
        )
    with extra("PyTorch", "learning"):
        import torch
    import onnx

    file = io.BytesIO()
    module.eval()
    torch.onnx.export(
        module,
        (torch.zeros(2, size),),
        file,
        input_names=[_INPUT],
        output_names=[_OUTPUT],
        dynamic_axes={_INPUT: {0: "rows"}, _OUTPUT: {0: "rows"}},
        opset_version=_OPSET,
        dynamo=False,
    )
    return onnx.load_from_string(file.getvalue())
