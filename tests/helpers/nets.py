"""Small nets in the format ONNX, as files that play."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import cantstop_arena as ca
from cantstop_arena.game_api.policy_net import PolicyNet


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


def write_net(path: str, **setting: Any) -> Path:
    """Write the file of a random net that says it was trained for a setting, if any is given."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return ca.to_onnx(random_net(), path, **setting)
