"""A game as a single-agent Gymnasium environment: the agent has one seat, bots the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.seeds import Seed
from cantstop_arena.extensions.learn.environments.extras import extra
from cantstop_arena.extensions.learn.environments.opponents import opponent as opponent_for
from cantstop_arena.extensions.learn.environments.setting import (
    DealSequence,
    checked_seat,
    gymnasium_seed,
    setting_for,
)
from cantstop_arena.extensions.learn.environments.spaces import (
    RENDER_MODES,
    actions_of,
    check_render_mode,
    observations_of,
    render_position,
)
from cantstop_arena.extensions.learn.lockstep.lockstep_positions import LOST
from cantstop_arena.game_api.position import IllegalAction, Position
from cantstop_arena.games.registry import DEFAULT
from cantstop_arena.views.default_view import view_of

with extra("Gymnasium", "gymnasium"):
    import gymnasium


_REBUILT = ("_bot", "_view", "position")  # what a copy builds anew


class Duel(gymnasium.Env[NDArray[np.float32], Any]):
    """An agent against bots.

    The agent changes seats from deal to deal unless `seat` fixes one. In a game with partners it
    plays all seats of its side; `seat` is then the one that decides. The reward comes at the end:
    with two players 1 for a win and -1 for a loss (see `position.returns_of`). The info has the
    `action_mask`. An illegal action ends the game with the reward -1, in a game with payoffs the
    least of them; the info then has its message as `illegal_action`.
    """

    metadata: dict[str, Any] = {"render_modes": [*RENDER_MODES], "render_fps": 1}  # noqa: RUF012 - as in Gymnasium

    def __init__(
        self,
        opponent: Any = None,
        rules: Any = None,
        players: int | None = None,
        seat: int | None = None,
        game: str = DEFAULT,
        render_mode: str | None = None,
    ) -> None:
        """For `opponent` see `opponents.opponent`, for `rules` and `players` `setting.setting_for`.

        Raises UsageError, also for a game that has no actions with fixed numbers.
        """
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self._setting = setting_for(rules, players, game)
        self.position: Position = self._setting.start(seed=0)
        self._opponent = opponent
        self._bot = opponent_for(opponent, self._setting.game)
        self._fixed_seat = checked_seat(seat, self._setting.players)
        self._deals = DealSequence()
        self._actions: list[int] = []  # of the agent in this deal
        self._view = view_of(self._setting.game)
        self.seat = seat or 0
        self._has_ended = True
        _, self._mask = self.position.observation(self.seat)
        self.observation_space = observations_of(self.position)
        self.action_space = actions_of(self.position)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start the next deal, or deal 0 of a new `seed`; `options` may have a `deal`.

        Deals in which the agent has no decision are skipped.
        """
        super().reset(seed=gymnasium_seed(seed))
        self._begin(*self._deals.next(seed, options))
        while self.position.is_over:
            self._begin(*self._deals.next(None, None))
        self._show()
        return self._observation_and_info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Take an action, and let the bots play until the agent's next decision."""
        if self._has_ended:
            raise gymnasium.error.ResetNeeded("the game is over: call reset() for the next one")
        reward, outcome = self._take(int(action))
        self._show()
        is_cut_off = self.position.is_cut_off
        observation, info = self._observation_and_info()
        return (
            observation,
            reward,
            self._has_ended and not is_cut_off,
            is_cut_off,
            {**info, **outcome},
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of legal actions, a boolean array, for MaskablePPO."""
        return self._mask.astype(bool)

    def render(self) -> str | None:
        """The board as text: printed in the mode "human", else returned."""
        return render_position(self._view, self.position, self.render_mode)

    def _take(self, action: int) -> tuple[float, dict[str, Any]]:
        """The reward of an action, and what the info says of an illegal one."""
        reward, outcome = 0.0, {}
        self._actions.append(action)
        try:
            self.position.step(action)
        except IllegalAction as error:
            low, _ = self.position.return_range or (LOST, -LOST)
            self._has_ended, reward, outcome = True, low, {"illegal_action": str(error)}
        if self.position.is_over:
            self._has_ended, reward = True, self.position.returns[self.seat]
        self._turn_to_own()
        return reward, outcome

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key not in _REBUILT}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Build the bots anew, and repeat the agent's actions in this deal: bots have no copies."""
        vars(self).update(state)
        self._bot = opponent_for(self._opponent, self._setting.game)
        self._view = view_of(self._setting.game)
        self.position = self._setting.start(seed=0)
        actions = self._actions
        if self._deals.seed is not None:
            self._begin(self._deals.seed, self._deals.deal)
        for action in actions:
            self._take(action)

    def _begin(self, seed: Seed, deal: int) -> None:
        self._actions = []
        players = self._setting.players
        self.seat = deal % players if self._fixed_seat is None else self._fixed_seat
        sides = self._setting.game.side_by_seat(players)
        self._own = [seat for seat in range(players) if sides[seat] == sides[self.seat]]
        bots = {seat: self._bot for seat in range(players) if seat not in self._own}
        self.position = self._setting.start(seed, deal, bots)
        self._turn_to_own()
        self._has_ended = False

    def _turn_to_own(self) -> None:
        """Take the seat of the side that is to decide, if the agent has partners."""
        if not self.position.is_over and self.position.seat in self._own:
            self.seat = self.position.seat

    def _observation_and_info(self) -> tuple[NDArray[np.float32], dict[str, Any]]:
        observation, self._mask = self.position.observation(self.seat)
        return observation, {"action_mask": self._mask}

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
