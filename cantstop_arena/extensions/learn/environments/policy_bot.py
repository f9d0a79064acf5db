"""Learned policies as bots: functions, nets, a Stable-Baselines3 model, a policy of OpenSpiel.

A bot's file creates one in `register_bots`; docs/reference/positions.md has examples.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from inspect import signature
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.bots.bot_files import read_source
from cantstop_arena.bots.onnx_bots import OnnxNet
from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.learn.environments.extras import extra
from cantstop_arena.game_api.action_numbers import numbers_of
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.batches import (
    DEFAULT_ROWS,
    Batch,
    numbered_decision,
    policy_output,
)
from cantstop_arena.game_api.position import Observation, Position
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.hookspecs import SPEED_HINT

Policy = Callable[[NDArray[np.float32], NDArray[np.int8]], Any]
"""Takes an observation and a mask; returns an action, or a weight for each action."""

BatchPolicy = Callable[[Batch], Any]
"""Takes a batch; returns actions or logits, or several arrays of which one is that."""


_FASTER = (
    "its policy decides for one game at a time: PolicyBot.from_batch(function) decides for many at"
    " once, tens of times as fast (docs/reference/positions.md)"
)


class PolicyBot:
    """A bot that takes all decisions of a game with one policy, for one game at a time.

    `from_batch`, `from_torch` and `from_onnx` make bots that decide for many games at once, which
    is tens of times as fast.
    """

    def __init__(
        self, policy: Policy, game: str = DEFAULT, choose: Callable[..., int] | None = None
    ) -> None:
        """From a function of an observation and a mask; from weights an action is sampled.

        Weights of illegal actions are ignored, and the others need not sum to 1. `choose` is for
        the other constructors: it takes a policy, a position and a source of random numbers, and
        returns the action. Policies of functions play any game that has numbered actions, and views
        with `features()`.
        """
        self._choose = partial(choose or _by_function, policy)
        self._game = game_named(game)
        if choose is not None and not self._game.has_positions:
            raise UsageError(
                f"{self._game.title} has no position_of, which policies of states need"
            )
        _compile_positions(game)
        for name in self._game.decisions:
            decide = partial(self._decide, name)
            setattr(decide, SPEED_HINT, _FASTER)
            setattr(self, name, decide)

    @classmethod
    def from_sb3(
        cls, model: Any, algorithm: str = "", deterministic: bool = True, game: str = DEFAULT
    ) -> PolicyBot:
        """From a Stable-Baselines3 model: its best action, or one sampled from its distribution.

        `model` is a loaded model, or the bytes of its file with the `algorithm` that loads it:
        "sb3_contrib:MaskablePPO". It is loaded once per process, and computes in one thread.
        """
        if isinstance(model, bytes):
            model = _load_model(model, algorithm)
        return cls(partial(_best_action if deterministic else _action_probabilities, model), game)

    @classmethod
    def from_openspiel(cls, policy: Any, game: str = DEFAULT) -> PolicyBot:
        """From OpenSpiel: a policy with `action_probabilities(state)`, or a bot with `step(state)`.

        The states are `openspiel_game.ArenaState`.
        """
        return cls(policy, game, _by_openspiel)

    @staticmethod
    def from_batch(
        function: BatchPolicy,
        *,
        temperature: float = 0.0,
        rows: int = DEFAULT_ROWS,
        game: str = DEFAULT,
    ) -> BatchPolicyBot:
        """From a function of a `Batch`, for many games at once: see docs/extensions/learn.md.

        It returns an action for each row, or a logit for each action: then the best legal one is
        taken, or with a `temperature` one is drawn from the softmax of the logits divided by it. Of
        several arrays, in a tuple or a mapping, the one named `logits` counts, else the first that
        has a logit for each action.
        """
        return BatchPolicyBot(function, temperature, rows, game)

    @staticmethod
    def from_onnx(
        model: bytes | Path | str,
        *,
        temperature: float = 0.0,
        rows: int | None = None,
        game: str = DEFAULT,
    ) -> BatchPolicyBot:
        """From a net in the format ONNX: its file, or the content.

        Its input are the observations, float32 (rows, numbers); for its outputs see `from_batch`.
        By default `rows` are those of its input if it has a fixed number, else 64. Raises BotError.
        """
        content = model if isinstance(model, bytes) else read_source(Path(model))
        net = OnnxNet(content)
        return BatchPolicyBot(net.decide, temperature, net.rows if rows is None else rows, game)

    @staticmethod
    def from_torch(
        module: Any, *, temperature: float = 0.0, rows: int = DEFAULT_ROWS, game: str = DEFAULT
    ) -> BatchPolicyBot:
        """From a module of PyTorch, which takes observations; for its outputs see `from_batch`.

        It computes in one thread, without gradients, and in its evaluation mode.
        """
        with extra("PyTorch", "learning"):
            import torch
        torch.set_num_threads(1)
        module.eval()

        def decide(batch: Batch) -> Any:
            with torch.inference_mode():
                return module(torch.from_numpy(batch.observations))

        return BatchPolicyBot(decide, temperature, rows, game)

    def _decide(self, name: str, view: Any, moves: Sequence[Any] | None = None) -> Any:
        decision = numbered_decision(self._game, name, view, moves)
        action = self._choose(decision.position or decision.observation, view.random)
        if not (0 <= action < len(decision.observation.mask) and decision.observation.mask[action]):
            raise IllegalAnswer(f"the policy chose action {action}, which is illegal here")
        return decision.answer_for(action)


class BatchPolicyBot:
    """A bot of a policy that decides for many games at once; see `PolicyBot.from_batch`."""

    def __init__(self, policy: BatchPolicy, temperature: float, rows: int, game: str) -> None:
        self._policy = policy
        self.temperature = temperature
        self.rows = rows
        self.game = game

    def decide(self, batch: Batch) -> Any:
        """The actions of a batch, or their logits."""
        return policy_output(self._policy(batch), batch)


@lru_cache
def _compile_positions(game: str) -> None:
    """Compile positions, or load them, which may take longer than a decision.

    Raises UsageError when the decisions of the game have no fixed numbers.
    """
    game_object = game_named(game)
    rules, players = game_object.rules.default, game_object.players[0]
    if not game_object.has_positions:
        numbers_of(game_object, rules, players)
    else:
        game_object.position(rules, max(players, 2)).observation(0)


def _by_function(policy: Policy, where: Position | Observation, random: Callable[[], float]) -> int:
    observation, mask = where if isinstance(where, tuple) else where.observation(where.seat)
    answer = np.asarray(policy(observation, mask))
    return _sampled_action(answer * mask, random) if answer.ndim else int(answer)


def _sampled_action(weights: NDArray[Any], random: Callable[[], float]) -> int:
    """An action sampled by weight. Raises IllegalAnswer when no weight is positive."""
    cumulative = weights.cumsum(dtype=np.float64)
    if not cumulative[-1] > 0:
        raise IllegalAnswer("the policy gives every legal action the weight 0")
    return int(cumulative.searchsorted(random() * cumulative[-1], side="right"))


def _by_openspiel(policy: Any, position: Position, random: Callable[[], float]) -> int:
    from cantstop_arena.extensions.learn.environments.openspiel_game import state_at

    state = state_at(position)
    if not hasattr(policy, "action_probabilities"):
        return int(policy.step(state))
    probabilities = np.zeros(position.action_count)
    for action, probability in policy.action_probabilities(state).items():
        probabilities[action] = probability
    return _sampled_action(probabilities, random)


# Stable-Baselines3 ------------------------------------------------------------------------------


def _best_action(model: Any, observation: NDArray[np.float32], mask: NDArray[np.int8]) -> int:
    masks = _masks_for(model.predict, mask)
    action, _ = model.predict(observation, deterministic=True, **masks)
    return int(action)


def _action_probabilities(
    model: Any, observation: NDArray[np.float32], mask: NDArray[np.int8]
) -> NDArray[Any]:
    """The action probabilities of a model with a stochastic policy, such as PPO."""
    observations, _ = model.policy.obs_to_tensor(observation)
    masks = _masks_for(model.policy.get_distribution, mask)
    tensor = model.policy.get_distribution(observations, **masks).distribution.probs
    probabilities: NDArray[Any] = tensor.detach().numpy()[0]
    return probabilities


def _masks_for(function: Callable[..., Any], mask: NDArray[np.int8]) -> dict[str, Any]:
    """The mask as a keyword argument, for algorithms that take one."""
    heeds = "action_masks" in signature(function).parameters
    return {"action_masks": mask.astype(bool)} if heeds else {}


@lru_cache(maxsize=8)
def _load_model(content: bytes, algorithm: str) -> Any:
    """A model of a file; cached, as there is a new bot for every game."""
    with extra("Stable-Baselines3", "learning"):
        import torch

        loader = resolve_name(algorithm)
    torch.set_num_threads(1)
    return loader.load(io.BytesIO(content), device="cpu")
