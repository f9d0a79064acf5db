"""Can't Stop as an OpenSpiel game: perfect information, rolls as explicit chance nodes.

Importing this module registers the game with OpenSpiel as `python_cantstop`:

    pyspiel.load_game("python_cantstop(players=3,rules=jump)")
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.environments.extras import extra
from cantstop_arena.environments.setting import Setting, setting_for
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.position import Position
from cantstop_arena.views.default_view import view_of

with extra("OpenSpiel", "openspiel"):
    import pyspiel

NAME = "python_cantstop"
SEATS = range(2, 5)
_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Can't Stop, of Can't Stop Arena",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=SEATS[-1],
    min_num_players=SEATS[0],
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"players": SEATS[0], "rules": "classic"},
)
_ENCODED_PREFIX = "spelled-"  # of rules without a name: their parameters follow, encoded


class ArenaGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel is not typed
    """The game with given rules, for two to four players."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        parameters = {**_TYPE.parameter_specification, **(params or {})}
        rules, players = _rules_argument(parameters["rules"]), int(parameters["players"])
        self.setting: Setting = setting_for(rules, players)
        if players not in SEATS:
            seats = f"{SEATS[0]} to {SEATS[-1]}"
            raise UsageError(f"in OpenSpiel players must be {seats}, not {players}")
        first = self.setting.start()
        self.observation_size = first.observation_size
        super().__init__(_TYPE, _info(first, self.setting), dict(parameters))

    def new_initial_state(self) -> ArenaState:
        """The state at the start of a game."""
        return ArenaState(self, self.setting.start())

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> ArenaObserver:
        """The observer of the game."""
        return ArenaObserver(self)


def _info(first: Position, setting: Setting) -> Any:
    return pyspiel.GameInfo(
        num_distinct_actions=first.action_count,
        max_chance_outcomes=first.outcome_count,
        num_players=setting.players,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=first.max_actions,
    )


class ArenaState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel is not typed
    """A position as an OpenSpiel state, with the same numbers for actions and outcomes."""

    def __init__(self, game: ArenaGame, position: Position) -> None:
        super().__init__(game)
        self.position = position

    def current_player(self) -> int:
        """The seat that decides, or OpenSpiel's number for chance or for a finished game."""
        if self.position.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        if self.position.is_chance:
            return int(pyspiel.PlayerId.CHANCE)
        return self.position.seat

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal if player == self.position.seat else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every multiset of dice with its probability."""
        return [*self.position.outcomes()]

    def _apply_action(self, action: int) -> None:
        if self.position.is_chance:
            self.position.give(action)
        else:
            self.position.step(action)

    def _action_to_string(self, player: int, action: int) -> str:
        is_roll = player == pyspiel.PlayerId.CHANCE
        return (self.position.outcome_name if is_roll else self.position.action_name)(action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """The returns of the game, seat by seat."""
        return [*self.position.returns]

    def __str__(self) -> str:
        return view_of(self.get_game().setting.game).draw_position(self.position)


class ArenaObserver:
    """The observations of a seat, with OpenSpiel's interface for observers."""

    def __init__(self, game: ArenaGame) -> None:
        self.tensor: NDArray[np.float32] = np.zeros(game.observation_size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: ArenaState, player: int) -> None:
        """Store a player's observation of a state in `tensor`."""
        self.tensor[:] = state.position.observation(player).observation

    def string_from(self, state: ArenaState, player: int) -> str:
        """The board as text, the same for every player."""
        return str(state)


pyspiel.register_game(_TYPE, ArenaGame)


def load(players: int = 2, rules: Any = "classic") -> ArenaGame:
    """The game with any rules that `setting.setting_for` takes. Raises UsageError."""
    return ArenaGame({"players": players, "rules": _rules_text(setting_for(rules, players))})


def _rules_text(setting: Setting) -> str:
    """Rules as a string parameter for OpenSpiel: their name, or all parameters encoded."""
    book, rules = setting.game.rules, setting.rules
    if rules in (named.rules for named in book.named.values()):
        return str(rules.name)
    data = json.dumps(book.as_dict(rules)).encode()
    return _ENCODED_PREFIX + urlsafe_b64encode(data).decode().rstrip("=")


def _rules_argument(text: str) -> Any:
    """The rules of a string parameter, as `setting.setting_for` takes them."""
    if not text.startswith(_ENCODED_PREFIX):
        return text
    encoded = text.removeprefix(_ENCODED_PREFIX)
    return json.loads(urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))


def state_at(position: Position) -> ArenaState:
    """A state without history at a position of Can't Stop."""
    return ArenaState(_game_for(position.rules, position.players), position)


_game_for = cache(lambda rules, players: load(players, rules))
