"""The vector environment as Stable-Baselines3 steps it."""

import numpy as np
import pytest

import cantstop_arena as ca
from cantstop_arena.errors import UsageError

pytest.importorskip("gymnasium", reason="needs pip install -e '.[gymnasium]'")
pytest.importorskip("stable_baselines3", reason="needs pip install -e '.[learning]'")


def test_the_adapter_has_the_games_of_the_vector_environment() -> None:
    from cantstop_arena.environments import sb3_env

    plain = ca.vector_env("cautious", 6, autoreset="same_step")
    adapted = sb3_env(ca.vector_env("cautious", 6, autoreset="same_step"))
    adapted.seed(5)
    observations, infos = plain.reset(seed=5)
    assert (adapted.reset() == observations).all()
    ends = 0
    for _ in range(60):
        masks = np.stack(adapted.env_method("action_masks"))
        assert (masks == infos["action_mask"]).all()
        actions = masks.argmax(axis=1)
        observations, rewards, terminations, truncations, infos = plain.step(actions)
        others, their_rewards, is_over, their_infos = adapted.step(actions)
        assert (others == observations).all() and (their_rewards == rewards).all()
        assert (is_over == (terminations | truncations)).all()
        for index, info in enumerate(their_infos):
            assert bool(info) == is_over[index]
            if info:
                ends += 1
                assert (info["terminal_observation"] == infos["final_obs"][index]).all()
                assert info["TimeLimit.truncated"] == truncations[index]
    assert ends


def test_the_adapter_needs_the_other_mode() -> None:
    from cantstop_arena.environments import sb3_env

    with pytest.raises(UsageError, match="same_step"):
        sb3_env(ca.vector_env("cautious", 2))
