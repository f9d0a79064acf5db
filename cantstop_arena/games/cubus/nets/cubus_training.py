"""The training of champion's net: rounds of games against itself, with a step after each game."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cubus.engine.bound import best_value
from cantstop_arena.games.cubus.engine.library import library
from cantstop_arena.games.cubus.engine.query import compiled_rules
from cantstop_arena.games.cubus.nets.cubus_gradient import Schedule, learn_from_games, new_draft
from cantstop_arena.games.cubus.nets.cubus_net import CUBUS_NET
from cantstop_arena.games.cubus.nets.self_play import new_self_play
from cantstop_arena.games.cubus.nets.two_ply_search import new_workspace
from cantstop_arena.games.cubus.rules import RuleSet

ROUNDS = 20
GAMES = 1000  # of a round
_RATE = 0.002  # at first; it falls to 0
_TRACE = 0.7


class CubusTraining:
    """A training in progress."""

    def __init__(self, rules: RuleSet, players: int, seed: int, rounds: int | None) -> None:
        self.rules, self.players, self.rounds = rules, players, rounds or ROUNDS
        self._seed = seed
        self._draft = new_draft(players, np.random.default_rng([seed, 0]))
        self._net = np.zeros(1, CUBUS_NET).view(np.recarray)
        self._net[0].players = players
        self._game, self._work = new_self_play(), new_workspace()
        self._work.states[0].players = players
        self.rounds_done = 0
        self._loss = 0.0

    def advance(self) -> None:
        """Play the games of the next round, and learn from each."""
        number = self.rounds_done
        keys = np.random.default_rng([self._seed, 1, number]).integers(1 << 63, size=GAMES)
        self._loss = learn_from_games(
            library(self.rules.box),
            best_value(),
            self._net[0],
            compiled_rules(self.rules),
            keys.astype(np.uint64),
            Schedule(self._rate(number), self._rate(number + 1), _TRACE, number * GAMES),
            self._game,
            self._work,
            self._draft,
        )
        self.rounds_done += 1

    def _rate(self, number: int) -> float:
        return _RATE * (1 - number / self.rounds)

    def net(self) -> NDArray[np.void]:
        """The net of the weights so far, as a record array of length 1."""
        return self._net

    def arrays(self) -> Mapping[str, NDArray[np.float64]]:
        """All that the next round depends on, apart from its number."""
        draft = self._draft
        return {"numbers": draft.numbers, "means": draft.means, "squares": draft.squares}
