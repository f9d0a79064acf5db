"""A policy as a small net of NumPy arrays, and its file."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.atomic_files import draft_of

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""The weights (inputs, outputs) and the biases (outputs,) of a layer."""


class PolicyNet:
    """A multilayer perceptron with rectifiers, from observations to logits of actions."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self.layers = tuple(layers)

    def __call__(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """The logits (rows, actions) of observations (rows, numbers)."""
        values = observations
        for number, (weights, biases) in enumerate(self.layers):
            if number:
                values = np.maximum(values, 0, out=values)
            values = values @ weights
            values += biases
        return values

    @classmethod
    def load(cls, file: bytes | Path | str) -> PolicyNet:
        """The net of a file that `save` has written, or of its content."""
        with np.load(io.BytesIO(file) if isinstance(file, bytes) else file) as archive:
            arrays = [archive[name] for name in archive.files]
        return cls([*zip(arrays[::2], arrays[1::2], strict=True)])

    def save(self, path: Path | str) -> None:
        """Write the layers into a file of NumPy's, `.npz`."""
        arrays: dict[str, Any] = {}
        for number, (weights, biases) in enumerate(self.layers):
            arrays |= {f"weights{number}": weights, f"biases{number}": biases}
        with draft_of(Path(path)) as draft, draft.open("wb") as file:
            np.savez_compressed(file, **arrays)
