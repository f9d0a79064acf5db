"""A game as an environment of PettingZoo, in which agents act in turn (AEC)."""

from __future__ import annotations

from typing import Any

from cantstop_arena.environments.extras import extra
from cantstop_arena.environments.setting import DealSequence, Setting
from cantstop_arena.game_api.position import IllegalAction, Position, returns_of
from cantstop_arena.views.default_view import view_of

with extra("PettingZoo", "pettingzoo"):
    from pettingzoo import AECEnv

    from cantstop_arena.environments.spaces import (
        RENDER_MODES,
        actions_of,
        check_render_mode,
        observations_with_masks,
        render_position,
    )


class TableEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo is not typed
    """Agents `player_0`, `player_1` and so on around a table.

    An observation has the numbers that `observation` and the `action_mask`, both those of the
    agent's seat; off turn nothing is legal. Whoever acts illegally loses, and all others win.
    """

    def __init__(self, name: str, setting: Setting, render_mode: str | None = None) -> None:
        check_render_mode(render_mode)
        super().__init__()
        self.metadata = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self._setting = setting
        self._deals = DealSequence()
        self._view = view_of(setting.game)
        self.position: Position = setting.start(seed=0)
        self.possible_agents = [f"player_{seat}" for seat in range(setting.players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observations = {agent: self._observed() for agent in self.possible_agents}
        self._actions = {agent: actions_of(self.position) for agent in self.possible_agents}

    def _observed(self) -> Any:
        return observations_with_masks(self.position)

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the next deal of the seed, or the first of another; `options` may name a `deal`."""
        self.position = self._setting.start(*self._deals.next(seed, options))
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.agents[self.position.seat]
        self._show()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees, and which actions are legal for it now."""
        observed, mask = self.position.observation(self._seats[agent])
        return {"observation": observed, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Take the action of the agent that is selected; None where the game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        try:
            self.position.step(-1 if action is None else action)
        except IllegalAction as error:
            self._end_illegally(agent, error)
            return
        if self.position.is_over:
            self._end(self.position.returns, self.position.is_cut_off)
        self.agent_selection = self.possible_agents[self.position.seat]
        self._show()

    def render(self) -> str | None:
        """The board as text: printed for a human, else returned."""
        return render_position(self._view, self.position, self.render_mode)

    def close(self) -> None:
        """Nothing is open."""

    def _end(self, returns: tuple[float, ...], is_cut_off: bool) -> None:
        for agent, reward in zip(self.possible_agents, returns, strict=True):
            self.rewards[agent] = self._cumulative_rewards[agent] = reward
            self.terminations[agent] = not is_cut_off
            self.truncations[agent] = is_cut_off

    def _end_illegally(self, agent: str, error: IllegalAction) -> None:
        others = [seat for other, seat in self._seats.items() if other != agent]
        self._end(returns_of(others, len(self.possible_agents)), False)
        self.infos[agent]["illegal_action"] = str(error)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
