"""The linear policy that train.py has trained, as a bot: `arena match bots/policy/linear.py random`."""

import io

import numpy as np

from cantstop_arena import Bot, hookimpl
from cantstop_arena.environments import PolicyBot, read_beside

WEIGHTS = np.load(io.BytesIO(read_beside(__file__, "linear.npy")))


def likely(observation, mask):
    """The weight of each action, proportional to its probability; illegal ones are ignored."""
    scores = WEIGHTS @ observation
    return np.exp(scores - scores[mask == 1].max())


def linear() -> PolicyBot:
    """Draws its actions from a linear policy."""
    return PolicyBot(likely)


@hookimpl
def register_bots():
    return [Bot("linear", linear)]
