"""The speed of other libraries' environments in CPU time, with random legal actions.

None of them has Can't Stop, so each plays games of its own, with chance in them, and four in a row.
Steps are counted as in `environments_speed.py`, and drawing the actions counts. Install them in
an environment of their own (`pip install open_spiel rlcard pgx pettingzoo[classic]`), and start
this file there: a library that is missing is left out.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import random
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from time import process_time
from typing import Any

import numpy as np

SECONDS = 3.0
Steps = Callable[[], int]  # plays some steps, and returns their number


def open_spiel_states(name: str) -> Steps:
    """Steps of one game of OpenSpiel by the functions of its states; a draw by chance is none."""
    game = import_module("pyspiel").load_game(name)

    def play() -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, chances)[0])
            else:
                state.apply_action(random.choice(state.legal_actions()))
                steps += 1
        return steps

    return play


def open_spiel_vector(name: str, n: int) -> Steps:
    """Steps of n environments of OpenSpiel in its vector environment."""
    environments = import_module("open_spiel.python.rl_environment")
    output = import_module("open_spiel.python.rl_agent").StepOutput
    vector = import_module("open_spiel.python.vector_env")
    env = vector.SyncVectorEnv([environments.Environment(name) for _ in range(n)])
    now = [env.reset()]

    def play() -> int:
        actions = []
        for time_step in now[0]:
            seen = time_step.observations
            legal = seen["legal_actions"][seen["current_player"]]
            actions.append(output(action=random.choice(legal), probs=None))
        now[0] = env.step(actions, reset_if_done=True)[0]
        return n

    return play


def rlcard_games(name: str) -> Steps:
    """Steps of games of RLCard, with its own agents that draw."""
    agents = import_module("rlcard.agents")
    env = import_module("rlcard").make(name, config={"seed": 1})
    env.set_agents([agents.RandomAgent(env.num_actions) for _ in range(env.num_players)])

    def play() -> int:
        before = env.timestep
        env.run(is_training=True)
        return int(env.timestep - before)

    return play


def pettingzoo_games(name: str) -> Steps:
    """Steps of games of PettingZoo's own environments."""
    env = import_module(f"pettingzoo.classic.{name}").env()
    env.reset(seed=1)

    def play() -> int:
        env.reset()
        steps = 0
        for agent in env.agent_iter():
            observation, _, is_over, is_cut_off, _ = env.last()
            if is_over or is_cut_off:
                env.step(None)
            else:
                env.step(env.action_space(agent).sample(observation["action_mask"]))
                steps += 1
        return steps

    return play


def pgx_vector(name: str, n: int) -> Steps:
    """Steps of n games of Pgx, which begin anew where they end; actions are drawn in JAX."""
    jax, pgx = import_module("jax"), import_module("pgx")
    env = pgx.make(name)
    step = import_module("pgx.experimental").auto_reset(env.step, env.init)

    def step_all(state: Any, key: Any) -> Any:
        draws, keys = jax.random.split(key)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(draws, logits, axis=1)
        return jax.vmap(step)(state, actions, jax.random.split(keys, n))

    compiled, key = jax.jit(step_all), jax.random.PRNGKey(1)
    now = [jax.jit(jax.vmap(env.init))(jax.random.split(key, n)), key]

    def play() -> int:
        for _ in range(16):
            now[1], subkey = jax.random.split(now[1])
            now[0] = compiled(now[0], subkey)
        now[0].current_player.block_until_ready()
        return 16 * n

    return play


def measure(title: str, make: Callable[..., Steps], *parameters: Any) -> None:
    """Print steps a second of processor time, all threads of the process counted."""
    play, steps = make(*parameters), 0
    play()  # loads, and compiles
    start = process_time()
    while process_time() - start < SECONDS:
        steps += play()
    print(f"{steps / (process_time() - start):12,.0f} steps a CPU second, {title}", flush=True)


def main() -> None:
    """Measure each library that is installed."""
    random.seed(1)
    np.random.seed(1)  # RLCard's agents draw from it
    games: dict[str, list[tuple[Any, ...]]] = {
        "open_spiel": [
            *((open_spiel_states, name) for name in ("pig", "backgammon", "connect_four")),
            *((open_spiel_vector, name, 256) for name in ("pig", "backgammon", "connect_four")),
        ],
        "rlcard": [(rlcard_games, name) for name in ("leduc-holdem", "gin-rummy")],
        "pettingzoo": [(pettingzoo_games, name) for name in ("connect_four_v3", "leduc_holdem_v4")],
        "pgx": [
            (pgx_vector, name, n)
            for name in ("backgammon", "connect_four", "kuhn_poker")
            for n in (256, 1024)
        ],
    }
    for library, rows in games.items():
        try:
            title = f"{library} {version(library)}"
            import_module("pyspiel" if library == "open_spiel" else library)
        except ImportError:
            print(f"{library} is not installed")
            continue
        for make, name, *n in rows:
            measure(f"{title}, {name}{f', {n[0]} games at once' if n else ''}", make, name, *n)


if __name__ == "__main__":
    main()
