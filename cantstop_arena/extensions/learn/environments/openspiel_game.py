"""Games as OpenSpiel games, with draws as explicit chance nodes.

Importing this module registers Can't Stop with OpenSpiel as `python_cantstop`:

    pyspiel.load_game("python_cantstop(players=3,rules=jump)")

`load` registers any other game, as `python_arena_NAME`. Games that draw from `deal.stream`, or by
`Chance(…, sample=…)`, have no explicit chance, and raise UsageError.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.errors import RulesError, UsageError
from cantstop_arena.extensions.learn.environments.extras import extra
from cantstop_arena.extensions.learn.environments.setting import Setting, setting_for
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.position import Position
from cantstop_arena.game_api.rulebook import RuleBook
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.views.default_view import view_of

with extra("OpenSpiel", "openspiel"):
    import pyspiel

SEATS = range(2, 9)
_NAME = re.compile(r"(?!true$|false$)[^\W\d][\w -]*", re.IGNORECASE)
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class ArenaGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel is not typed
    """A game with given rules and number of players; each game has a subclass, see `game_class`."""

    type: Any = None
    arena_game = ""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        parameters = {**self.type.parameter_specification, **(params or {})}
        rules, players = _rules_argument(parameters["rules"]), int(parameters["players"])
        seats = _seats(game_named(self.arena_game))
        if players not in seats:
            raise UsageError(
                f"in OpenSpiel players must be {seats[0]} to {seats[-1]}, not {players}"
            )
        self.setting: Setting = setting_for(rules, players, self.arena_game)
        first = self.setting.start()
        self.observation_size = first.observation_size
        super().__init__(self.type, _info(first, self.setting), dict(parameters))

    def new_initial_state(self) -> ArenaState:
        """The state at the start of a game."""
        return ArenaState(self, self.setting.start())

    def __reduce__(self) -> tuple[Any, ...]:
        parameters = {key: self.get_parameters()[key] for key in ("players", "rules")}
        return _restored_game, (self.arena_game, parameters)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> ArenaObserver:
        """The observer of the game."""
        return ArenaObserver(self)


def _info(first: Position, setting: Setting) -> Any:
    game = setting.game
    if first.return_range is None:
        raise UsageError(
            f"{game.title} pays without bounds, and OpenSpiel needs some: give its Payoff low and"
            " high"
        )
    low, high = first.return_range
    has_sum = _has_sum(game, setting.players)
    return pyspiel.GameInfo(
        num_distinct_actions=first.action_count,
        max_chance_outcomes=first.outcome_count,
        num_players=setting.players,
        min_utility=low,
        max_utility=high,
        max_game_length=first.max_actions,
        **({"utility_sum": 0.0} if has_sum else {}),
    )


def _seats(game: Game) -> Sequence[int]:
    """The numbers of players that OpenSpiel can have: two at least."""
    seats = [players for players in game.players if players in SEATS]
    if not seats:
        raise UsageError(f"{game.title} is a game for one, which OpenSpiel does not have here")
    return seats


class ArenaState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel is not typed
    """A position as an OpenSpiel state, with the same numbers for actions and outcomes."""

    def __init__(self, game: ArenaGame, position: Position, has_past: bool = False) -> None:
        super().__init__(game)
        self.position = position
        self._start = position.clone() if has_past else None  # OpenSpiel does not know its past

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored_state, (self.get_game(), self._start, self.history())

    def current_player(self) -> int:
        """The seat that decides, or OpenSpiel's number for chance or for a finished game."""
        if self.position.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        if self.position.is_chance:
            return int(pyspiel.PlayerId.CHANCE)
        return self.position.seat

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal if player == self.position.to_move else []

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
        self._has_hidden = not game.setting.game.perfect_information

    def set_from(self, state: ArenaState, player: int) -> None:
        """Store a player's observation of a state in `tensor`."""
        self.tensor[:] = state.position.observation(player).observation

    def string_from(self, state: ArenaState, player: int) -> str:
        """What a player knows, as text: the board; with hidden information all that it has seen."""
        return state.position.information(player) if self._has_hidden else str(state)


def _utility(game: Game) -> Any:
    """What is known of the sum of returns."""
    utility = pyspiel.GameType.Utility
    has_sum = all(_has_sum(game, players) for players in _seats(game))
    return utility.ZERO_SUM if has_sum else utility.GENERAL_SUM


def _has_sum(game: Game, players: int) -> bool:
    """Whether the returns of all seats always add up to 0."""
    if game.payoff is not None:
        return game.payoff.zero_sum
    sides = game.sides(players)
    return len(sides) > 1 and len({len(side) for side in sides}) == 1


@cache
def game_class(name: str) -> type[ArenaGame]:
    """The class of a game, which is registered with OpenSpiel as `python_arena_NAME`.

    OpenSpiel has games of its own called `python_NAME`, such as Kuhn poker; Can't Stop is
    `python_cantstop`.
    Raises UsageError for a game that cannot be one of OpenSpiel's.
    """
    game = game_named(name)
    seats, has_hidden = _seats(game), not game.perfect_information
    first = game.position(game.rules.default, seats[0])
    chance, information = pyspiel.GameType.ChanceMode, pyspiel.GameType.Information
    prefix = "python_" if name == DEFAULT else "python_arena_"
    short_name = f"{prefix}{name.replace('-', '_')}"
    kind = pyspiel.GameType(
        short_name=short_name,
        long_name=f"{game.title}, of Can't Stop Arena",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if first.outcome_count else chance.DETERMINISTIC,
        information=(
            information.IMPERFECT_INFORMATION if has_hidden else information.PERFECT_INFORMATION
        ),
        utility=_utility(game),
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=seats[-1],
        min_num_players=seats[0],
        provides_information_state_string=has_hidden,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=bool(first.observation_size),
        parameter_specification={"players": seats[0], "rules": game.rules.default.name},
    )
    created = type(f"{type(game).__name__}Game", (ArenaGame,), {"type": kind, "arena_game": name})
    pyspiel.register_game(kind, created)
    return created


def load(players: int | None = None, rules: Any = None, game: str = DEFAULT) -> ArenaGame:
    """A game with any rules and players that `setting.setting_for` takes. Raises UsageError."""
    setting = setting_for(rules, players, game)
    return game_class(game)({"players": setting.players, "rules": _rules_text(setting)})


def _restored_game(name: str, parameters: Mapping[str, Any]) -> ArenaGame:
    return game_class(name)(parameters)


def _restored_state(game: ArenaGame, start: Position | None, actions: Sequence[int]) -> ArenaState:
    state = game.new_initial_state() if start is None else ArenaState(game, start, True)
    for action in actions:
        state.apply_action(action)
    return state


def _rules_text(setting: Setting) -> str:
    """Rules as a string parameter for OpenSpiel: their name, or the changes of a named rule set.

    The changes are JSON with `;` for the commas, which would end the parameter:
    `classic{"sides":4;"columns_to_win":1}`.
    """
    book, rules, name = setting.game.rules, setting.rules, str(setting.rules.name)
    with suppress(UsageError):
        if _NAME.fullmatch(name) and setting_for(name, None, setting.game.name).rules == rules:
            return name
    by_base = {base: _changes(book, book.named[base].rules, rules) for base in book.named}
    base, changes = min(by_base.items(), key=lambda item: len(item[1]))
    if not _NAME.fullmatch(base):
        base, changes = "", {"base": base, **changes}
    text = re.sub(_JSON_STRING, _escaped, json.dumps(changes, separators=(",", ":")))
    return base + text.replace(",", ";")


def _changes(book: RuleBook[Any], base: Any, rules: Any) -> dict[str, Any]:
    """What must be said of rules that are derived from a base."""
    values = book.as_dict(rules)
    changes = {key: values[key] for key in (*book.parameters, "name")}
    for key in [*changes]:
        fewer = {other: value for other, value in changes.items() if other != key}
        parameters = {other: value for other, value in fewer.items() if other != "name"}
        with suppress(RulesError):
            if book.derive(base, parameters, fewer.get("name")) == rules:
                changes = fewer
    return changes


def _escaped(string: re.Match[str]) -> str:
    """A string of JSON without the characters that mean something in a game's parameters."""
    return re.sub("[(),=;]", lambda match: f"\\u{ord(match[0]):04x}", string[0])


def _rules_argument(text: str) -> Any:
    """The rules of a string parameter, as `setting.setting_for` takes them. Raises UsageError."""
    base, brace, changes = text.partition("{")
    if not brace:
        return text
    try:
        return {**({"base": base} if base else {}), **json.loads(brace + changes.replace(";", ","))}
    except ValueError:
        example = 'classic{"sides":4;"columns_to_win":1}'
        raise UsageError(f"invalid rules {text!r:.100}: write them like {example}") from None


def state_at(position: Position) -> ArenaState:
    """A state without history at a position of Can't Stop."""
    return ArenaState(_game_for(position.rules, position.players), position, True)


_game_for = cache(lambda rules, players: load(players, rules))

game_class(DEFAULT)
