"""Trains linear.py: a linear policy, by policy gradient (REINFORCE; Williams, 1992), in seconds.

python bots/policy/train.py    # needs cantstop-arena[gymnasium]; writes linear.npy beside it
"""

import sys
from pathlib import Path

import numpy as np

from cantstop_arena.environments import Duel

GAMES = 4000
RATE = 0.01


def likely(weights, observation, mask):
    """The probability of each action: a softmax over those that are legal."""
    scores = np.where(mask, weights @ observation, -np.inf)
    exponents = np.exp(scores - scores.max())
    return exponents / exponents.sum()


def play(env, weights, random):
    """Play a game; returns its reward, and the gradient of its actions' log probability."""
    observation, info = env.reset()
    direction, reward, is_over = np.zeros_like(weights), 0.0, False
    while not is_over:
        chances = likely(weights, observation, info["action_mask"])
        action = random.choice(len(chances), p=chances)
        chances[action] -= 1
        direction -= np.outer(chances, observation)
        observation, reward, ended, cut_off, info = env.step(action)
        is_over = ended or cut_off
    return reward, direction


def train(opponent="random", games=GAMES, seed=1):
    """The weights after so many games, starting with a policy that plays at random."""
    env, random, usual = Duel(opponent), np.random.default_rng(seed), 0.0
    env.reset(seed=seed)
    weights = np.zeros((env.action_space.n, env.observation_space.shape[0]))
    for game in range(1, games + 1):
        reward, direction = play(env, weights, random)
        weights += RATE * (reward - usual) * direction
        usual += (reward - usual) / min(game, 200)
    print(f"{opponent}: {usual:+.2f} a game in the last 200", file=sys.stderr)
    return weights


if __name__ == "__main__":
    np.save(Path(__file__).with_name("linear.npy"), train())
