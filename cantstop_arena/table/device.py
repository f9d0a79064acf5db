"""What computes the answers of batched bots, as they may be rounded differently elsewhere."""

import platform
import sys
from collections.abc import Iterable
from functools import cache

import numpy as np

_LIBRARIES = ("onnxruntime", "torch", "jax", "tensorflow")
_INSTRUCTIONS = {"AVX512F": "avx512", "AVX2": "avx2", "SVE": "sve", "NEON": "neon"}
"""Those by which libraries choose how they multiply, the widest first."""


def libraries_here() -> list[str]:
    """The libraries for nets that this process has imported, with their versions."""
    modules = [sys.modules[name] for name in _LIBRARIES if name in sys.modules]
    return [f"{module.__name__} {getattr(module, '__version__', '?')}" for module in modules]


def device_name(libraries: Iterable[str]) -> str:
    """The kind of processor, and the libraries for nets, or NumPy if there are none.

    On the same device the same games come out: "x86-64 avx512, onnxruntime 1.32.0".
    """
    distinct = dict.fromkeys(libraries)
    return ", ".join([_processor(), *(distinct or [f"numpy {np.__version__}"])])


def may_differ(devices: Iterable[str]) -> bool:
    """Whether these are of several kinds of processor, or have several versions of a library.

    Bots that use different libraries do not make two devices of one.
    """
    versions: dict[str, set[str]] = {}
    for device in devices:
        processor, *libraries = device.split(", ")
        for name, version in [("", processor), *(text.split(" ", 1) for text in libraries)]:
            versions.setdefault(name, set()).add(version)
    return any(len(several) > 1 for several in versions.values())


@cache
def _processor() -> str:
    """The architecture, and the widest of its instructions."""
    try:
        from numpy._core._multiarray_umath import (  # type: ignore[import-not-found]
            __cpu_features__ as features,
        )
    except ImportError:
        features = {}
    widest = (name for feature, name in _INSTRUCTIONS.items() if features.get(feature))
    return " ".join([platform.machine().replace("_", "-"), *[*widest][:1]])
