"""The reference of Elo in a field: the strength of a player that would score half against it.

The even score of strengths b is the strength m of a player that would score half against the field,
meeting each bot once: with pᵢ = logistic(bᵢ - m), the root of Σ pᵢ = n / 2. It moves with them as

    ∂m/∂bⱼ = pⱼ (1 - pⱼ) / Σ pᵢ (1 - pᵢ),

so that the errors of Elo are exact to first order. For equal bots, and for two bots, m is the mean;
bots that are far from the others hardly move it, and their errors hardly enter the others' Elo.
"""

import numpy as np

from cantstop_arena.ratings.model.evidence import Floats

_BISECTIONS = 200


def even_score(strengths: Floats) -> tuple[float, Floats]:
    """The strength of a player that would score half against these, and its derivatives."""
    low, high = float(strengths.min()), float(strengths.max())
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if np.tanh((strengths - middle) / 2).sum() > 0:
            low = middle
        else:
            high = middle
    slopes = 1 / np.cosh((strengths - (low + high) / 2) / 2) ** 2
    return (low + high) / 2, slopes / slopes.sum()
