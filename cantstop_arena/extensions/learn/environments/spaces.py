"""Gymnasium spaces for observations and actions, and the rendering of positions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.learn.environments.extras import extra
from cantstop_arena.game_api.position import Position
from cantstop_arena.views.default_view import GameView

with extra("Gymnasium", "gymnasium"):
    from gymnasium import spaces

RENDER_MODES = ("human", "ansi")


class ActionSpace(spaces.Discrete):
    """The space of action numbers."""

    def sample(
        self, mask: NDArray[np.int8] | None = None, probability: Any | None = None
    ) -> np.int64:
        """A random action; faster with a mask than Gymnasium's, which takes longer than a step."""
        if mask is None:
            return np.int64(super().sample(probability=probability))
        legal = mask.nonzero()[0]
        index = int(self.np_random.random() * len(legal))
        return np.int64(legal[index] if len(legal) else self.start)


def actions_of(position: Position) -> ActionSpace:
    """The space of a game's actions."""
    return ActionSpace(position.action_count)


def observations_of(position: Position) -> Any:
    """The space of a seat's observations. Raises UsageError where a game has none."""
    size = position.observation_size
    if not size:
        kind = type(position.view(position.seat)).__name__
        raise UsageError(f"there is nothing to observe: {kind} needs a method features()")
    return spaces.Box(0.0, 1.0, (size,), np.float32)


def observations_with_masks(position: Position) -> Any:
    """The space of a seat's observations, together with its action masks."""
    mask = spaces.Box(0, 1, (position.action_count,), np.int8)
    return spaces.Dict({"observation": observations_of(position), "action_mask": mask})


def check_render_mode(mode: str | None) -> None:
    """Raise UsageError for an unknown render mode."""
    if mode is not None and mode not in RENDER_MODES:
        raise UsageError(f"render_mode must be {' or '.join(RENDER_MODES)}, not {mode!r:.40}")


def render_position(view: GameView, position: Position, mode: str | None) -> str | None:
    """A position as text, returned in the mode "ansi", printed in the mode "human"."""
    if mode is None:
        return None
    text = view.draw_position(position)
    if mode == "ansi":
        return text
    print(text)
    return None
