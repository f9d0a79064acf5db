"""A game as a PettingZoo environment: agents act in turn (AEC), or all at once (parallel).

from cantstop_arena.extensions.learn.environments import env, parallel_env

env("cantstop", players=3, rules="jump")
"""

from __future__ import annotations

from typing import Any

from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.learn.environments.extras import extra
from cantstop_arena.extensions.learn.environments.setting import DealSequence, Setting, setting_for
from cantstop_arena.game_api.position import IllegalAction, Position
from cantstop_arena.views.default_view import view_of

with extra("PettingZoo", "pettingzoo"):
    from pettingzoo import AECEnv, ParallelEnv

    from cantstop_arena.extensions.learn.environments.spaces import (
        RENDER_MODES,
        actions_of,
        check_render_mode,
        observations_with_masks,
        render_position,
    )


class TableEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo is not typed
    """An environment with the agents `player_0`, `player_1` and so on.

    An observation is a dict with the `observation` of the agent's seat and its `action_mask`, which
    is all zero when it is not the agent's turn. An agent that acts illegally loses, and all others
    win.
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
        self._observations = {agent: self._seat_space() for agent in self.possible_agents}
        self._actions = {agent: actions_of(self.position) for agent in self.possible_agents}

    def _seat_space(self) -> Any:
        return observations_with_masks(self.position)

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start the next deal, or deal 0 of a new `seed`; `options` may have a `deal`."""
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
        """An agent's observation, with the mask of its legal actions."""
        observation, mask = self.position.observation(self._seats[agent])
        return {"observation": observation, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Take the action of the selected agent; None when the game is over."""
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
        """The board as text: printed in the mode "human", else returned."""
        return render_position(self._view, self.position, self.render_mode)

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""

    def _end(self, returns: tuple[float, ...], is_cut_off: bool) -> None:
        for agent, reward in zip(self.possible_agents, returns, strict=True):
            self.rewards[agent] = self._cumulative_rewards[agent] = reward
            self.terminations[agent] = not is_cut_off
            self.truncations[agent] = is_cut_off

    def _end_illegally(self, agent: str, error: IllegalAction) -> None:
        self._end(self.position.returns_of_forfeit(self._seats[agent]), False)
        self.infos[agent]["illegal_action"] = str(error)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


class SealedEnv(ParallelEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo is not typed
    """An environment of a game in which all seats decide at once, each time.

    Agents and observations are as in `TableEnv`. An agent that acts illegally loses, and all others
    win.
    """

    def __init__(self, name: str, setting: Setting, render_mode: str | None = None) -> None:
        self._table = TableEnv(name, setting, render_mode)
        self.metadata = {**self._table.metadata, "is_parallelizable": True}
        self.render_mode = render_mode
        self.possible_agents = self._table.possible_agents
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations."""
        return self._table.observation_space(agent)

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions."""
        return self._table.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start the next deal; see `TableEnv.reset`. Returns observations and infos.

        Raises UsageError when not all seats decide at once.
        """
        self._table.reset(seed, options)
        self.agents = [*self.possible_agents]
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[dict[str, Any], ...]:
        """Take the actions of all agents.

        Returns observations, rewards, terminations, truncations and infos.
        """
        table = self._table
        for agent in self.agents:
            if not (table.terminations[agent] or table.truncations[agent]):
                table.step(actions[agent])
        agents, observations = self.agents, self._observations()
        if any(table.terminations.values()) or any(table.truncations.values()):
            self.agents = []
        rewards, infos = ({a: each[a] for a in agents} for each in (table.rewards, table.infos))
        return observations, rewards, {**table.terminations}, {**table.truncations}, infos

    def _observations(self) -> dict[str, Any]:
        """What each agent sees, with the mask of its actions."""
        position, sealed = self._table.position, dict[str, dict[str, Any]]()
        for agent, seat in zip(self.possible_agents, range(position.players), strict=True):
            sealed[agent] = {
                "observation": position.observation(seat).observation,
                "action_mask": position.sealed_mask(seat),
            }
        if not position.is_over and not all(each["action_mask"].any() for each in sealed.values()):
            raise UsageError("in a parallel environment all seats decide at once; use env()")
        return sealed

    def render(self) -> str | None:
        """The board as text: printed in the mode "human", else returned."""
        return self._table.render()

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""


def env(
    game: str, players: int | None = None, rules: Any = None, render_mode: str | None = None
) -> TableEnv:
    """The environment of a game in which agents act in turn.

    For `rules` and `players` see `setting.setting_for`.

    `render_mode` is "human" (printed), "ansi" (returned as text) or None. Raises UsageError.
    """
    return TableEnv(f"{game}_v0", setting_for(rules, players, game), render_mode)


def parallel_env(
    game: str, players: int | None = None, rules: Any = None, render_mode: str | None = None
) -> SealedEnv:
    """The environment of a game in which all seats decide at once, each time; see `env`."""
    return SealedEnv(f"{game}_v0", setting_for(rules, players, game), render_mode)
