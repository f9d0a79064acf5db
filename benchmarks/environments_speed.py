"""The speed of the environments in CPU time: games in PettingZoo's, steps in Gymnasium's.

Actions are drawn from the mask at random, which counts; in the vector environment by NumPy, so
steps alone are measured too. Opponents' decisions are not counted as steps.
"""

import random
from time import process_time
from typing import Any

import numpy as np

import cantstop_arena as ca
from cantstop_arena.environments import Duel, cantstop_v0

SECONDS = 3.0


def table_games() -> float:
    """Games a second of two agents, with PettingZoo."""
    env, games = cantstop_v0.env(players=2), 0
    env.reset(seed=1)
    start = process_time()
    while process_time() - start < SECONDS:
        for _ in range(20):
            play(env)
        games += 20
    return games / (process_time() - start)


def play(env: Any) -> None:
    env.reset()
    for agent in env.agent_iter():
        observation, _, is_over, is_cut_off, _ = env.last()
        is_dead = is_over or is_cut_off
        mask = None if is_dead else observation["action_mask"]
        env.step(None if is_dead else env.action_space(agent).sample(mask))


def duel_steps(opponent: str) -> float:
    """Steps a second of an agent against a bot, whose own are not counted, with Gymnasium."""
    env, steps = Duel(opponent), 0
    env.reset(seed=1)
    start = process_time()
    while process_time() - start < SECONDS:
        for _ in range(1000):
            legal = env.action_masks().nonzero()[0]
            _, _, is_over, is_cut_off, _ = env.step(legal[int(random.random() * len(legal))])
            if is_over or is_cut_off:
                env.reset()
        steps += 1000
    return steps / (process_time() - start)


def vector_steps(opponents: str | None, n: int) -> tuple[float, float]:
    """Steps a second of an agent in n games: with random actions, and without drawing them."""
    env = ca.vector_env(opponents, n, copy=False)
    _, infos = env.reset(seed=1)
    scores = np.random.default_rng(1).random((64, *infos["action_mask"].shape), np.float32)
    steps, rounds, stepping, start = 0, 0, 0.0, process_time()
    while process_time() - start < SECONDS:
        actions = (scores[rounds % 64] * infos["action_mask"]).argmax(axis=1)
        before = process_time()
        *_, infos = env.step(actions)
        stepping += process_time() - before
        steps, rounds = steps + n, rounds + 1
    return steps / (process_time() - start), steps / stepping


if __name__ == "__main__":
    print(f"{table_games():12,.0f} games a CPU second, PettingZoo, two agents")
    for opponent in ("rule28", "bots/example.py"):
        print(f"{duel_steps(opponent):12,.0f} steps a CPU second, Gymnasium, against {opponent}")
    for opponents in ("rule28", None):
        for n in (1, 16, 64, 256, 1024):
            steps, alone = vector_steps(opponents, n)
            print(
                f"{steps:12,.0f} steps a CPU second, {n} games at once against"
                f" {opponents or 'itself'}; {alone:,.0f} without drawing actions"
            )
