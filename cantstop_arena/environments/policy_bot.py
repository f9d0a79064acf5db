"""What was learnt elsewhere as a bot: a function, an SB3 model, a policy of OpenSpiel.

A bot's file makes one in `register_bots`; docs/environments.md has examples.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from inspect import signature
from pkgutil import resolve_name
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.environments.extras import extra
from cantstop_arena.game_api.position import IllegalAction, Position
from cantstop_arena.games.registry import DEFAULT, game_named

Policy = Callable[[NDArray[np.float32], NDArray[np.int8]], Any]
"""Takes an observation and a mask; returns an action, or how likely each action is to be taken."""


class PolicyBot:
    """A bot with the decisions of a game, each of them taken by one policy."""

    def __init__(
        self, policy: Policy, game: str = DEFAULT, how: Callable[..., int] | None = None
    ) -> None:
        """From a function of an observation and a mask; likelihoods are drawn by.

        Likelihoods of illegal actions do not count; the others need not add up to 1. `how` a policy
        is asked that is none such function is the business of the other ways to make a bot.
        """
        self._choose = partial(how or _by_function, policy)
        self._game = game_named(game)
        for name in self._game.decisions:
            setattr(self, name, self._decide)

    @classmethod
    def from_sb3(
        cls, model: Any, algorithm: str = "", deterministic: bool = True, game: str = DEFAULT
    ) -> PolicyBot:
        """From a model of Stable-Baselines3: what it thinks best, or else drawn as it would.

        `model` is one that was loaded, or the bytes of its file; then `algorithm` says what loads
        it: "sb3_contrib:MaskablePPO". It is loaded once in a process, and computes in one thread.
        """
        if isinstance(model, bytes):
            model = _loaded(model, algorithm)
        return cls(partial(_predicted if deterministic else _likely, model), game)

    @classmethod
    def from_openspiel(cls, policy: Any, game: str = DEFAULT) -> PolicyBot:
        """From OpenSpiel: a policy with `action_probabilities(state)`, or a bot with `step(state)`.

        States are those of `openspiel_game`.
        """
        return cls(policy, game, _by_openspiel)

    def _decide(self, view: Any, moves: Sequence[Any] | None = None) -> Any:
        position = self._game.position_of(view, moves)
        action = self._choose(position, view.random)
        if action not in position.legal:
            raise IllegalAction(f"the policy chose action {action}, which is illegal here")
        return position.answer_for(action)


def _by_function(policy: Policy, position: Position, random: Callable[[], float]) -> int:
    observed, mask = position.observation(position.seat)
    answer = np.asarray(policy(observed, mask))
    return _sampled_action(answer * mask, random) if answer.ndim else int(answer)


def _sampled_action(likely: NDArray[Any], random: Callable[[], float]) -> int:
    """An action by how likely each is. Raises IllegalAction where none is."""
    ladder = likely.cumsum(dtype=np.float64)
    if not ladder[-1] > 0:
        raise IllegalAction("the policy finds no legal action likely")
    return int(ladder.searchsorted(random() * ladder[-1], side="right"))


def _by_openspiel(policy: Any, position: Position, random: Callable[[], float]) -> int:
    from cantstop_arena.environments.openspiel_game import state_at

    state = state_at(position)
    if not hasattr(policy, "action_probabilities"):
        return int(policy.step(state))
    likely = np.zeros(position.action_count)
    for action, probability in policy.action_probabilities(state).items():
        likely[action] = probability
    return _sampled_action(likely, random)


# Stable-Baselines3 ------------------------------------------------------------------------------


def _predicted(model: Any, observation: NDArray[np.float32], mask: NDArray[np.int8]) -> int:
    masks = _masks_for(model.predict, mask)
    action, _ = model.predict(observation, deterministic=True, **masks)
    return int(action)


def _likely(model: Any, observation: NDArray[np.float32], mask: NDArray[np.int8]) -> NDArray[Any]:
    """How likely a model with a policy that draws, such as PPO, is to take each action."""
    observed, _ = model.policy.obs_to_tensor(observation)
    masks = _masks_for(model.policy.get_distribution, mask)
    chances = model.policy.get_distribution(observed, **masks).distribution.probs
    likely: NDArray[Any] = chances.detach().numpy()[0]
    return likely


def _masks_for(function: Callable[..., Any], mask: NDArray[np.int8]) -> dict[str, Any]:
    """The mask as an argument, for algorithms that heed one."""
    heeds = "action_masks" in signature(function).parameters
    return {"action_masks": mask.astype(bool)} if heeds else {}


@lru_cache(maxsize=8)
def _loaded(content: bytes, algorithm: str) -> Any:
    """A model, once in a process: bots are made anew for every game."""
    with extra("Stable-Baselines3", "learning"):
        import torch

        loader = resolve_name(algorithm)
    torch.set_num_threads(1)
    return loader.load(io.BytesIO(content), device="cpu")
