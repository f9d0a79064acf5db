"""What agents see and do, as spaces of Gymnasium."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.environments.extras import extra
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.position import Position
from cantstop_arena.views.default_view import GameView

with extra("Gymnasium", "gymnasium"):
    from gymnasium import spaces

RENDER_MODES = ("human", "ansi")


class ActionSpace(spaces.Discrete):
    """The numbers of actions."""

    def sample(
        self, mask: NDArray[np.int8] | None = None, probability: Any | None = None
    ) -> np.int64:
        """A random one; with a mask quickly, as Gymnasium takes longer for it than a step does."""
        if mask is None:
            return np.int64(super().sample(probability=probability))
        legal = mask.nonzero()[0]
        card = int(self.np_random.random() * len(legal))
        return np.int64(legal[card] if len(legal) else self.start)


def actions_of(position: Position) -> ActionSpace:
    """The space of the actions of a game."""
    return ActionSpace(position.action_count)


def observations_of(position: Position) -> Any:
    """The space of what a seat sees."""
    return spaces.Box(0.0, 1.0, (position.observation_size,), np.float32)


def observations_with_masks(position: Position) -> Any:
    """The space of what a seat sees, together with which actions are legal for it."""
    mask = spaces.Box(0, 1, (position.action_count,), np.int8)
    return spaces.Dict({"observation": observations_of(position), "action_mask": mask})


def check_render_mode(mode: str | None) -> None:
    """Raise UsageError where a mode is none of those that there are."""
    if mode is not None and mode not in RENDER_MODES:
        raise UsageError(f"render_mode must be {' or '.join(RENDER_MODES)}, not {mode!r:.40}")


def render_position(view: GameView, position: Position, mode: str | None) -> str | None:
    """A position as text, returned in the mode "ansi", printed for a "human"."""
    if mode is None:
        return None
    sample = view.draw_position(position)
    if mode == "ansi":
        return sample
    print(sample)
    return None
