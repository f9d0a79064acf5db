"""Proximal policy optimization (PPO) in NumPy: trains a net that plays against other bots.

The method is that of Schulman et al., "Proximal Policy Optimization Algorithms" (2017), with masks
of legal actions and generalized advantage estimation. The net and its gradients are written out, so
that nothing but NumPy and Gymnasium is needed:

    python -m cantstop_arena.environments.ppo mine.npz --opponents cautious,rule28 --updates 300
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.environments.vector_env import VectorGames, vector_env
from cantstop_arena.errors import ArenaError
from cantstop_arena.game_api.policy_net import PolicyNet
from cantstop_arena.ratings.estimate import Estimate, wilson
from cantstop_arena.tables.column import estimate_text

Array = NDArray[Any]


class PPOSettings(msgspec.Struct, frozen=True):
    """The numbers of the method."""

    steps: int = 64  # of each environment, between two updates
    epochs: int = 3  # how often each sample is learned from
    minibatches: int = 8  # of an epoch
    width: int = 128  # of the two hidden layers
    rate: float = 1e-3  # of learning; it falls to a tenth of this
    clip: float = 0.2  # how far an update may move the probability of an action
    trace: float = 0.95  # lambda of the advantages
    entropy: float = 0.01  # weight of the bonus for undecided policies
    max_norm: float = 0.5  # of the gradient


class Trainer:
    """A training in progress: `update` plays a few steps in every environment and learns from them.

    The last layer has one output more than actions: the value of the position for the agent.
    """

    def __init__(
        self, env: VectorGames, updates: int, seed: int = 1, settings: PPOSettings | None = None
    ) -> None:
        self.env, self.updates, self.settings = env, updates, settings or PPOSettings()
        self.update_count = self.samples = 0
        self._rng = np.random.default_rng(seed)
        self._observations, info = env.reset(seed=seed)
        self._legal = info["action_mask"]
        self._is_over = np.zeros(env.num_envs, np.bool_)
        actions = self._legal.shape[1]
        self.weights = _initial_weights(
            self._rng, [self._observations.shape[1], *2 * [self.settings.width], actions + 1]
        )
        self._adam = _Adam(self.weights)

    @property
    def net(self) -> PolicyNet:
        """The policy as it is now."""
        hidden, bias, two, other_bias, last, last_bias = (array.copy() for array in self.weights)
        head = (np.ascontiguousarray(last[:, :-1]), last_bias[:-1].copy())
        return PolicyNet([(hidden, bias), (two, other_bias), head])

    def update(self) -> None:
        """Play and learn once."""
        samples = self.play()
        share = self.update_count / self.updates
        rate = self.settings.rate * max(0.1, 1 - share)
        indices = np.arange(len(samples.actions))
        for _ in range(self.settings.epochs):
            self._rng.shuffle(indices)
            for part in np.array_split(indices, self.settings.minibatches):
                gradients = self.gradients(samples.part(part))
                self._adam.step(self.weights, gradients, rate, self.settings.max_norm)
        self.update_count += 1
        self.samples += len(indices)

    def play(self) -> Samples:
        """Take `steps` in every environment; returns the agent's decisions."""
        steps, n = self.settings.steps, self.env.num_envs
        observations = np.zeros((steps, *self._observations.shape), np.float32)
        legal = np.zeros((steps, *self._legal.shape), np.bool_)
        actions, chances = np.zeros((steps, n), np.int64), np.zeros((steps, n), np.float32)
        rewards, values = np.zeros((steps, n), np.float32), np.zeros((steps + 1, n), np.float32)
        is_end, is_cut, is_sample = (np.zeros((steps, n), np.bool_) for _ in range(3))
        rows = np.arange(n)
        for step in range(steps):
            outputs = forward(self.weights, self._observations)[-1]
            policy = probabilities(outputs[:, :-1], self._legal)
            action = _draw(policy, self._legal, self._rng)
            observations[step], legal[step] = self._observations, self._legal
            actions[step], values[step] = action, outputs[:, -1]
            # The step after an end begins the next game, whatever the action: nothing to learn.
            is_sample[step] = ~self._is_over
            chances[step] = np.log(np.maximum(policy[rows, action], 1e-9))
            self._observations, rewards[step], is_end[step], is_cut[step], info = self.env.step(
                action
            )
            self._legal = info["action_mask"]
            self._is_over = is_end[step] | is_cut[step]
        values[steps] = forward(self.weights, self._observations)[-1][:, -1]
        advantages = advantages_of(rewards, values, is_end, is_cut, self.settings.trace)
        arrays = (observations, legal, actions, chances, advantages, advantages + values[:steps])
        indices = is_sample.reshape(-1).nonzero()[0]
        return Samples(*(array.reshape(steps * n, *array.shape[2:]) for array in arrays)).part(
            indices
        )

    def gradients(self, samples: Samples) -> list[Array]:
        """The gradients of the loss by the weights.

        The loss is that of the clipped policy, a quarter of the squared error of the value, and the
        negative entropy times its weight.
        """
        count, rows = np.float32(len(samples.actions)), np.arange(len(samples.actions))
        deviation = samples.advantages.std() + 1e-6
        advantages = (samples.advantages - samples.advantages.mean()) / deviation
        first, second, outputs = forward(self.weights, samples.observations)
        policy = probabilities(outputs[:, :-1], samples.legal)
        logs = np.log(np.maximum(policy, 1e-9))
        ratios = np.exp(logs[rows, samples.actions] - samples.chances)
        clip = self.settings.clip
        is_clipped = ((advantages > 0) & (ratios > 1 + clip)) | (
            (advantages < 0) & (ratios < 1 - clip)
        )
        pulls = np.where(is_clipped, 0, -advantages * ratios) / count
        slopes = np.empty_like(outputs)
        slopes[:, :-1] = -policy * pulls[:, None]
        slopes[rows, samples.actions] += pulls
        entropy = -(policy * logs).sum(axis=1, keepdims=True)
        slopes[:, :-1] += self.settings.entropy / count * policy * (logs + entropy)
        slopes[:, -1] = 0.5 * (outputs[:, -1] - samples.targets) / count
        second_slopes = (slopes @ self.weights[4].T) * (second > 0)
        first_slopes = (second_slopes @ self.weights[2].T) * (first > 0)
        inputs = ((samples.observations, first_slopes), (first, second_slopes), (second, slopes))
        return [gradient for x, dy in inputs for gradient in (x.T @ dy, dy.sum(0))]


class Samples(msgspec.Struct, frozen=True):
    """Decisions of the agent, one in each row."""

    observations: Array
    legal: Array
    actions: Array
    chances: Array  # logarithms of the probabilities with which the actions were drawn
    advantages: Array
    targets: Array  # of the value

    def part(self, rows: Array) -> Samples:
        """The samples in some rows."""
        return Samples(*(getattr(self, name)[rows] for name in self.__struct_fields__))


class _Adam:
    """Adam (Kingma and Ba, 2015), with gradients scaled to a maximal norm."""

    def __init__(self, weights: Sequence[Array]) -> None:
        self._means = [np.zeros_like(array) for array in weights]
        self._squares = [np.zeros_like(array) for array in weights]
        self._steps = 0

    def step(
        self, weights: Sequence[Array], gradients: list[Array], rate: float, norm: float
    ) -> None:
        """Change the weights in place."""
        self._steps += 1
        length = np.sqrt(sum(float((gradient * gradient).sum()) for gradient in gradients))
        scale = np.float32(min(1.0, norm / (length + 1e-8)))
        for array, gradient, mean, square in zip(
            weights, gradients, self._means, self._squares, strict=True
        ):
            scaled = gradient * scale
            mean += 0.1 * (scaled - mean)
            square += 0.001 * (scaled * scaled - square)
            unbiased = mean / (1 - 0.9**self._steps)
            deviation = np.sqrt(square / (1 - 0.999**self._steps))
            array -= np.float32(rate) * unbiased / (deviation + np.float32(1e-8))


def _initial_weights(rng: np.random.Generator, sizes: Sequence[int]) -> list[Array]:
    """Weights as He et al. (2015) draw them; those of the last layer are small, so that the first
    policy is nearly uniform."""
    weights: list[Array] = []
    for number, shape in enumerate(pairwise(sizes)):
        scale = 0.01 if number == len(sizes) - 2 else np.sqrt(2 / shape[0])
        weights += [(rng.standard_normal(shape) * scale).astype(np.float32)]
        weights += [np.zeros(shape[1], np.float32)]
    return weights


def forward(weights: Sequence[Array], observations: Array) -> tuple[Array, Array, Array]:
    """The values of the two hidden layers and the outputs."""
    first = np.maximum(observations @ weights[0] + weights[1], 0)
    second = np.maximum(first @ weights[2] + weights[3], 0)
    return first, second, second @ weights[4] + weights[5]


def probabilities(logits: Array, legal: Array) -> Array:
    """The policy: softmax over the legal actions. Every row needs one."""
    masked: Array = np.where(legal, logits, np.float32(-1e9))
    masked -= masked.max(axis=1, keepdims=True)
    np.exp(masked, out=masked)
    masked *= legal
    masked /= masked.sum(axis=1, keepdims=True)
    return masked


def _draw(policy: Array, legal: Array, rng: np.random.Generator) -> Array:
    cumulative = policy.cumsum(axis=1)
    thresholds = rng.random(len(policy))[:, None] * cumulative[:, -1:]
    actions = np.minimum((cumulative <= thresholds).sum(axis=1), policy.shape[1] - 1)
    is_legal = legal[np.arange(len(policy)), actions]  # else it is by rounding
    chosen: Array = np.where(is_legal, actions, legal.argmax(axis=1))
    return chosen


def advantages_of(
    rewards: Array, values: Array, is_end: Array, is_cut: Array, trace: float
) -> Array:
    """Generalized advantage estimates; a game that the turn limit cuts has its last value."""
    advantages, later = np.zeros_like(rewards), np.zeros(rewards.shape[1], np.float32)
    for step in reversed(range(len(rewards))):
        error = rewards[step] + values[step + 1] * ~is_end[step] - values[step]
        later = error + np.float32(trace) * later * ~(is_end[step] | is_cut[step])
        advantages[step] = later
    return advantages


# Strength ---------------------------------------------------------------------------------------


class Score(msgspec.Struct, frozen=True):
    """Games of a net against an opponent, its best action taken at each decision."""

    opponent: str
    games: int
    wins: int

    @property
    def win_rate(self) -> float:
        """The share of games won."""
        return self.wins / self.games

    @property
    def estimate(self) -> Estimate:
        """The win rate with its 95% interval."""
        return Estimate(self.win_rate, *wilson(self.win_rate, self.games, 1.96))

    @property
    def margin(self) -> float:
        """Half the width of the 95% interval of the win rate."""
        return (self.estimate.width or 0.0) / 2

    def __str__(self) -> str:
        return f"{self.opponent} {estimate_text(self.estimate, 1, 100, unit='%')}"


def score(net: Callable[[Array], Array], opponent: Any, games: int = 2000, **setting: Any) -> Score:
    """Play games against an opponent, one in each environment; `setting` is that of `vector_env`.

    The deals are the same for every net, and no training's unless its seed is this text.
    """
    env = vector_env(opponent, games, **setting)
    observations, info = env.reset(seed="score")
    is_open, wins = np.ones(games, np.bool_), 0
    while is_open.any():
        logits = np.where(info["action_mask"], net(observations), -np.inf)
        observations, rewards, is_end, is_cut, info = env.step(logits.argmax(axis=1))
        wins += int((rewards[is_open] > 0).sum())
        is_open &= ~(is_end | is_cut)
    return Score(str(opponent), games, wins)


# The command ------------------------------------------------------------------------------------


def trained(
    trainer: Trainer, rivals: Sequence[str], every: int, games: int
) -> Iterator[list[Score]]:
    """Train to the end; after each `every` updates, and the last one, yields the scores."""
    while trainer.update_count < trainer.updates:
        trainer.update()
        if trainer.update_count % every == 0 or trainer.update_count == trainer.updates:
            yield [score(trainer.net, rival, games) for rival in rivals]


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, print the training curve, and write the net."""
    options = _options().parse_args(arguments)
    opponents = options.opponents.split(",")
    trainer = Trainer(vector_env(opponents, options.envs), options.updates, options.seed)
    started, rows = process_time(), []
    for scores in trained(trainer, options.rivals.split(","), options.every, options.games):
        seconds = process_time() - started
        line = f"{trainer.update_count:6,} updates {trainer.samples:12,} samples {seconds:7.0f} s  "
        print(line, ", ".join(map(str, scores)), flush=True)
        rows += [
            (trainer.update_count, trainer.samples, round(seconds), *_cells(hidden))
            for hidden in scores
        ]
        trainer.net.save(options.out)
        with options.out.with_suffix(".csv").open("w", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *rows])


COLUMNS = (
    "updates",
    "samples",
    "processor_seconds",
    "opponent",
    "games",
    "wins",
    "win_rate",
    "margin",
)


def _cells(hidden: Score) -> tuple[Any, ...]:
    return (
        hidden.opponent,
        hidden.games,
        hidden.wins,
        round(hidden.win_rate, 4),
        round(hidden.margin, 4),
    )


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m cantstop_arena.environments.ppo", description=__doc__
    )
    parser.add_argument("out", type=Path, help="the net's file, .npz")
    parser.add_argument("--opponents", default="cautious,rule28,glenn-aloi,tuned")
    parser.add_argument("--updates", type=int, default=600)
    parser.add_argument("--envs", type=int, default=512)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rivals", default="glenn-aloi", help="opponents of the training curve")
    parser.add_argument("--every", type=int, default=50, help="updates between its points")
    parser.add_argument("--games", type=int, default=2000, help="of each point and rival")
    return parser


if __name__ == "__main__":
    try:
        main()
    except ArenaError as error:
        sys.exit(f"error: {error}")
