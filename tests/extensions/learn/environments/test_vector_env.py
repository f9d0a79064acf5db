"""The vector environment: the games of `Duel`, in both reset modes, by the engine and in Python."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.game_packages import install_example, on_path
from helpers.nets import random_net
from helpers.parameters import slow_but

import cantstop_arena as ca
from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.learn.lockstep import lockstep_games
from cantstop_arena.extensions.learn.lockstep.lockstep_games import CantStopLockstep
from cantstop_arena.extensions.learn.lockstep.lockstep_positions import LockstepPositions

gymnasium = pytest.importorskip("gymnasium", reason="needs pip install -e '.[gymnasium]'")

NET = random_net()


def legal_action(mask: Any, number: int) -> int:
    """A legal action that follows from the mask and a number."""
    legal = mask.nonzero()[0]
    return int(legal[(number * 2654435761 >> 7) % len(legal)])


@pytest.mark.parametrize(
    ("opponent", "setting", "games"),
    slow_but(
        (1, 4),
        [
            ("rule28", {}, 20),
            ("tuned", {"rules": "jump", "players": 3}, 6),
            ("cautious", {"rules": "korean", "seat": 1}, 6),
            ("cautious", {"rules": {"turn_limit": 12}}, 8),
            ("bots/example.py", {}, 2),
            (
                ca.PolicyBot.from_batch(lambda batch: NET(batch.observations), temperature=1.0),
                {},
                8,
            ),
        ],
    ),
)
def test_one_environment_is_duel_to_the_byte(
    opponent: Any, setting: dict[str, Any], games: int
) -> None:
    from cantstop_arena.environments import Duel

    duel, env = Duel(opponent, **setting), ca.vector_env(opponent, 1, **setting)
    observation, info = duel.reset(seed=5)
    observations, infos = env.reset(seed=5)
    done = count = cut_off = 0
    while done < games:
        assert observation.tobytes() == observations[0].tobytes()
        assert (info["action_mask"] == infos["action_mask"][0]).all()
        assert duel.seat == infos["seat"][0]
        action = legal_action(infos["action_mask"][0], count) if count % 400 else -1
        observation, *result, info = duel.step(action)
        observations, *results, infos = env.step([action])
        assert result == [each[0] for each in results]
        assert ("illegal_action" in info) == ("illegal_action" in infos)
        count += 1
        if result[1] or result[2]:
            done, cut_off = done + 1, cut_off + int(result[2])
            assert observation.tobytes() == observations[0].tobytes()
            assert infos["action_mask"].all()  # the next action is ignored
            observation, info = duel.reset()
            observations, *results, infos = env.step([-99])
            assert not np.any(results)
    assert bool(cut_off) == ("turn_limit" in str(setting))


Game = tuple[tuple[tuple[bytes, int], ...], bytes, tuple[float, ...], int]
"""What was observed and done, the last observation, the returns and the deal."""


def games_of(env: Any, steps: int) -> list[list[Game]]:
    """The games of each environment that have ended after some steps, from a seed's first deals."""
    observations, infos = env.reset(seed=9)
    finished: list[list[Game]] = [[] for _ in range(env.num_envs)]
    moves: list[list[tuple[bytes, int]]] = [[] for _ in range(env.num_envs)]
    is_over = np.zeros(env.num_envs, np.bool_)
    for _ in range(steps):
        was_over = (
            is_over if env.metadata["autoreset_mode"].value == "NextStep" else is_over & False
        )
        actions = [
            legal_action(mask, 31 * len(moves[index]) + index)
            for index, mask in enumerate(infos["action_mask"])
        ]
        before, deals = observations, infos["deal"]
        observations, _, ends, cuts, infos = env.step(np.array(actions))
        is_over = ends | cuts
        for index in np.flatnonzero(~was_over):
            moves[index].append((before[index].tobytes(), actions[index]))
            if is_over[index]:
                last = infos.get("final_obs", observations)[index].tobytes()
                returns = tuple(infos["returns"][index])
                finished[index].append((tuple(moves[index]), last, returns, int(deals[index])))
                moves[index] = []
    return finished


def assert_same_games(games: Sequence[list[Game]], others: Sequence[list[Game]]) -> None:
    """The games of the environments are the same, as far as both have played."""
    assert sum(map(len, games)) > len(games) and sum(map(len, others)) > len(others)
    for mine, theirs in zip(games, others, strict=True):
        count = min(len(mine), len(theirs))
        assert mine[:count] == theirs[:count]


@pytest.mark.parametrize("opponents", [["rule28", "cautious", "tuned"], None])
def test_both_modes_play_the_same_games(opponents: Any) -> None:
    by_mode = [
        games_of(ca.vector_env(opponents, 6, autoreset=mode), 260)
        for mode in ("next_step", "same_step")
    ]
    assert_same_games(*by_mode)
    for index, games in enumerate(by_mode[0]):
        assert [deal for *_, deal in games] == [index + 6 * number for number in range(len(games))]


@pytest.mark.slow
@pytest.mark.parametrize("opponents", ["rule28", "batched", None])
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_machine_code_plays_the_games_of_positions(
    monkeypatch: pytest.MonkeyPatch, opponents: Any, mode: str
) -> None:
    setting: dict[str, Any] = {"rules": "jump", "players": 3, "autoreset": mode}
    if opponents == "batched":
        net = random_net(71)
        bot = ca.PolicyBot.from_batch(lambda batch: net(batch.observations), rows=4)
        opponents = [bot, "rule28"]
    compiled = ca.vector_env(opponents, 4, **setting)
    assert isinstance(compiled._games, CantStopLockstep)
    monkeypatch.setattr(lockstep_games, "plays_in_lockstep", lambda bots: False)
    plain = ca.vector_env(opponents, 4, **setting)
    assert isinstance(plain._games, LockstepPositions)
    assert_same_games(games_of(compiled, 500), games_of(plain, 500))


def test_spaces_seeds_and_wrappers_of_gymnasium() -> None:
    env = ca.vector_env("rule28", 8)
    observations, infos = env.reset(seed=1)
    again, _ = ca.vector_env("rule28", 8).reset(seed=1)
    assert (observations == again).all()
    assert (observations != env.reset()[0]).any(), "the next deals"
    assert env.observation_space.contains(observations)
    assert env.single_observation_space.shape == (58,)
    assert env.single_action_space == gymnasium.spaces.Discrete(79)
    assert (env.action_masks() == env.reset(seed=1)[1]["action_mask"]).all()
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    _, infos = wrapped.reset(seed=1)
    ends = 0
    for step in range(200):
        actions = np.array([legal_action(mask, step) for mask in infos["action_mask"]])
        observations, rewards, terminations, truncations, infos = wrapped.step(actions)
        assert rewards.dtype == np.float64 and terminations.dtype == truncations.dtype == np.bool_
        ends += int(terminations.sum())
    assert ends == wrapped.episode_count > 8


def test_an_illegal_action_loses_and_the_others_win() -> None:
    env = ca.vector_env("rule28", 4, players=3, autoreset="same_step")
    _, infos = env.reset(seed=3)
    seats = infos["seat"]
    assert set(seats) == {0, 1, 2}
    _, rewards, terminations, _, infos = env.step(np.full(4, 500))
    assert (rewards == -1).all() and terminations.all() and infos["illegal_action"].all()
    assert (infos["returns"][np.arange(4), seats] == -0.5).all()
    assert (infos["returns"].sum(axis=1) == 0).all()
    assert infos["action_mask"].any(axis=1).all() and (infos["deal"] == np.arange(4, 8)).all()


def test_without_copies_arrays_are_overwritten() -> None:
    for copy in (True, False):
        env = ca.vector_env("rule28", 2, copy=copy)
        first, infos = env.reset(seed=1)
        before = first.copy()
        second, *_ = env.step(infos["action_mask"].argmax(axis=1))
        assert (first is second) != copy
        assert (first == before).all() == copy


def test_other_games_play_in_python(tmp_path: Path) -> None:
    install_example(tmp_path, "kuhn_poker")
    with on_path(tmp_path):
        env = ca.vector_env("balanced", 3, game="kuhn-poker")
        assert isinstance(env._games, LockstepPositions)
        assert_same_games(
            games_of(env, 30),
            games_of(ca.vector_env("balanced", 3, game="kuhn-poker", autoreset="same_step"), 30),
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "must be 1 or greater"),
        ({"seat": 2}, "seat must be 0 to 1"),
        ({"autoreset": "never"}, "autoreset must be 'next_step' or 'same_step'"),
        ({"game": "salvage"}, "there is nothing to observe: "),
    ],
)
@pytest.mark.usefixtures("second_game")
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ca.vector_env(**{"opponents": None, "n": 2, **arguments})


def test_wrong_calls() -> None:
    env = ca.vector_env(None, 2)
    with pytest.raises(UsageError, match="call reset"):
        env.step([0, 0])
    env.reset(seed="a text")
    with pytest.raises(UsageError, match="2 actions are needed"):
        env.step([0])
    with pytest.raises(UsageError, match="reset_mask"):
        env.reset(options={"reset_mask": np.ones(2, np.bool_)})
