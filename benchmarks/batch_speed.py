"""The speed of bots that decide for many games at once, each figure as a ratio: `make bench`.

A net of 58-256-256-80 numbers plays classic games against rule28 and against itself: by NumPy, and
by ONNX Runtime where it is installed (the package `onnx` writes its file), for several numbers of
rows. Beside it the same net is called once a decision, as it is where a bot in plain Python plays
along. Times are processor time of one thread.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import Block
from cantstop_arena.game_api.batches import Batch
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.table_spec import bot_start

SIZES = (58, 256, 256, 80)
FREE_RUNNERS, STOP = 54, 77  # of an observation; the action that stops
Layers = list[tuple[Any, Any]]


class TimedNet:
    """A net as a bot, which counts its calls, the rows with a game, and its own time."""

    def __init__(self, run: Callable[[Any], Any]) -> None:
        self._run = run
        self.seconds, self.calls, self.decisions = 0.0, 0, 0

    def decide(self, batch: Batch) -> Any:
        """The logits of a batch."""
        start = time.process_time()
        logits = np.ascontiguousarray(self._run(batch.observations)[:, : batch.legal.shape[1]])
        self.seconds += time.process_time() - start
        self.calls += 1
        self.decisions += int(np.count_nonzero(batch.live))
        return logits


def net_layers() -> Layers:
    """Random weights, but for one unit of each layer: with these the net rolls again while a
    runner is free, so that its games are about as long as those of a trained net."""
    generator = np.random.default_rng(1)
    layers = [
        (
            generator.standard_normal((width, height), np.float32) * np.float32((2 / width) ** 0.5),
            np.zeros(height, np.float32),
        )
        for width, height in pairwise(SIZES)
    ]
    for weights, _ in layers:
        weights[:, 0] = 0
    layers[0][0][FREE_RUNNERS, 0] = layers[1][0][0, 0] = 1
    layers[2][0][:, STOP : STOP + 2] = 0
    layers[2][0][0, STOP + 1] = 1
    layers[2][1][STOP] = 0.1
    return layers


def by_numpy(layers: Layers) -> Callable[[Any], Any]:
    """A function that computes the net with NumPy."""

    def run(rows: Any) -> Any:
        for weights, biases in layers[:-1]:
            rows = rows @ weights
            rows += biases
            np.maximum(rows, 0, out=rows)
        weights, biases = layers[-1]
        return rows @ weights + biases

    return run


def by_onnx(layers: Layers) -> Callable[[Any], Any] | None:
    """A function that computes the net with ONNX Runtime; None where it is not installed."""
    try:
        import onnx
        import onnxruntime
    except ImportError:
        return None
    nodes, tensors, name = [], [], "observations"
    for number, (weights, biases) in enumerate(layers):
        is_last = number == len(layers) - 1
        for letter, values in (("w", weights), ("b", biases)):
            tensors.append(onnx.numpy_helper.from_array(values, f"{letter}{number}"))
        out = "logits" if is_last else f"h{number}"
        inputs = [name, f"w{number}", f"b{number}"]
        nodes.append(onnx.helper.make_node("Gemm", inputs, [out]))
        if not is_last:
            name = f"r{number}"
            nodes.append(onnx.helper.make_node("Relu", [out], [name]))
    shapes = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["rows", width])
        for name, width in (("observations", SIZES[0]), ("logits", SIZES[-1]))
    ]
    graph = onnx.helper.make_graph(nodes, "policy", shapes[:1], shapes[1:], tensors)
    opset = [onnx.helper.make_opsetid("", 21)]
    model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    content = model.SerializeToString()
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return lambda rows: session.run(None, {"observations": rows})[0]


def table_of(run: Callable[[Any], Any], rows: int, against: str) -> tuple[Any, list[TimedNet]]:
    """A table of the net and a rival, which is a built-in bot or the net itself."""
    nets = [TimedNet(run) for _ in range(1 if against else 2)]
    seats = []
    for number, net in enumerate(nets):
        bot = BatchedBot(GAME, net.decide, rows)
        seats.append(SeatedBot(f"net {number}", bot, f"net {number}", bot.seated))
    if against:
        loader = Loader(Path())
        rival = loader.built_in_bot(against, GAME)
        seats.append(seat_bot(bot_start(against, rival, rival.defaults), loader))
    table = GAME.table(CLASSIC, seats, 2, 7)
    table.warm_up()
    return table, nets


def measure(
    title: str, run: Callable[[Any], Any], rows: int, games: int, against: str, alone: bool = False
) -> float:
    """Print a line, and return games a second of processor time."""
    table, nets = table_of(run, rows, against)
    table.play(Block((0, 1), 1 << 20, 2))  # compiles, and loads
    for net in nets:
        net.seconds, net.calls, net.decisions = 0.0, 0, 0
    start = time.process_time()
    table.play(Block((0, 1), 0, games // 2), alone=alone)
    spent = time.process_time() - start
    decisions = sum(net.decisions for net in nets)
    seconds, calls = sum(net.seconds for net in nets), sum(net.calls for net in nets)
    fill = 1 if alone else decisions / (calls * rows)
    print(
        f"{title:24} {against or 'itself':8} {rows:5} {games:7,} {games / spent:9,.0f}"
        f" {decisions / games:7.1f} {1e6 * spent / decisions:8.2f} {1e6 * seconds / decisions:8.2f}"
        f" {fill:5.0%}",
        flush=True,
    )
    return games / spent


def main() -> None:
    """Measure, and print each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the games")
    share = 10 if parser.parse_args().quick else 1
    layers = net_layers()
    runs = {"NumPy": by_numpy(layers), "ONNX Runtime": by_onnx(layers)}
    print(f"{'':24} {'against':8} {'rows':>5} {'games':>7} {'games/s':>9}", end="")
    print(f" {'dec./g.':>7} {'us/dec.':>8} {'net':>8} {'fill':>5}")
    for against in ("rule28", ""):
        for library, run in runs.items():
            if run is None:
                print(f"{library} is not installed")
                continue
            one = measure(f"{library}, alone", run, 64, 200 // share, against, alone=True)
            for rows, games in ((1, 600), (64, 16_384), (256, 16_384), (1024, 32_768)):
                speed = measure(library, run, rows, games // share, against)
                if rows == 64:
                    print(f"  {speed / one:.1f} times as many games as alone")


if __name__ == "__main__":
    main()
