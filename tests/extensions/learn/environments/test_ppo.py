"""Training by PPO: gradients, the curve, the net's file."""

import csv
from pathlib import Path

import numpy as np
import pytest

import cantstop_arena as ca
from cantstop_arena.environments import ppo
from cantstop_arena.game_api.policy_net import PolicyNet

pytest.importorskip("gymnasium", reason="needs pip install -e '.[gymnasium]'")


def loss_of(trainer: ppo.Trainer, samples: ppo.Samples) -> float:
    """The loss by its definition, without gradients."""
    rows, settings = np.arange(len(samples.actions)), trainer.settings
    spread = samples.advantages.std() + 1e-6
    advantages = (samples.advantages - samples.advantages.mean()) / spread
    *_, outputs = ppo.forward(trainer.weights, samples.observations)
    policy = ppo.probabilities(outputs[:, :-1], samples.legal)
    logs = np.log(np.maximum(policy, 1e-9))
    ratios = np.exp(logs[rows, samples.actions] - samples.chances)
    clipped = np.clip(ratios, 1 - settings.clip, 1 + settings.clip)
    policy_loss = -np.minimum(ratios * advantages, clipped * advantages).mean()
    value_loss = ((outputs[:, -1] - samples.targets) ** 2).mean() / 4
    entropy = -(policy * logs).sum(axis=1).mean()
    return float(policy_loss + value_loss - settings.entropy * entropy)


@pytest.mark.slow
def test_gradients_are_those_of_the_loss() -> None:
    settings = ppo.PPOSettings(steps=8, width=16)
    trainer = ppo.Trainer(ca.vector_env("cautious", 8), 1, settings=settings)
    samples = trainer.play()
    rng = np.random.default_rng(2)
    trainer.weights = [
        array.astype(np.float64) + 0.1 * rng.standard_normal(array.shape)
        for array in trainer.weights
    ]
    gradients = trainer.gradients(samples)
    for array, gradient in zip(trainer.weights, gradients, strict=True):
        direction = rng.standard_normal(array.shape)
        losses = []
        for sign in (1, -1):
            array += sign * 1e-6 * direction
            losses.append(loss_of(trainer, samples))
            array -= sign * 1e-6 * direction
        assert (losses[0] - losses[1]) / 2e-6 == pytest.approx(
            float((gradient * direction).sum()), rel=1e-3, abs=1e-6
        )


@pytest.mark.slow
def test_steps_that_begin_a_deal_are_no_samples() -> None:
    settings = ppo.PPOSettings(steps=80, width=8)
    env = ca.vector_env("rule28", 8)
    trainer = ppo.Trainer(env, 1, settings=settings)
    samples = trainer.play()
    assert 0 < 80 * 8 - len(samples.actions) < 80
    assert (samples.legal.sum(axis=1) < samples.legal.shape[1]).all()
    assert np.isfinite(samples.advantages).all()


def test_a_cut_off_game_keeps_the_value_of_its_last_position() -> None:
    rewards, values = (
        np.zeros((2, 2), np.float32),
        np.array([[0, 0], [0, 0], [0.5, 0.5]], np.float32),
    )
    is_end = np.array([[False, False], [True, False]])
    is_cut = np.array([[False, False], [False, True]])
    advantages = ppo.advantages_of(rewards, values, is_end, is_cut, 0.5)
    assert advantages.tolist() == [[0, 0.25], [0, 0.5]]


@pytest.mark.slow
def test_the_command_writes_the_net_and_its_curve(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mine.npz"
    options = "--opponents cautious --envs 8 --updates 3 --every 2 --games 20"
    ppo.main([str(out), *options.split()])
    curve = [*csv.DictReader(out.with_suffix(".csv").open())]
    assert [row["updates"] for row in curve] == ["2", "3"]
    lines = capsys.readouterr().out.splitlines()
    assert f"glenn-aloi {float(curve[-1]['win_rate']):.1%} (" in lines[-1]
    net = PolicyNet.load(out.read_bytes())
    assert net(np.zeros((3, 58), np.float32)).shape == (3, 79)
    again = tmp_path / "again.npz"
    ppo.main([str(again), *options.split()])
    assert again.read_bytes() == out.read_bytes(), "the same seed gives the same net"


@pytest.mark.long
def test_a_net_learns() -> None:
    trainer = ppo.Trainer(ca.vector_env("cautious", 256), 12)
    before = ppo.score(trainer.net, "cautious", 400)
    for _ in range(12):
        trainer.update()
    after = ppo.score(trainer.net, "cautious", 400)
    assert before.win_rate < 0.05 and after.win_rate - after.margin > 0.1
