"""The training of champion's net: rounds of games against itself, with a step after each game."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.cubus.bots import deny
from cantstop_arena.extensions.cubus.bots.champion import champion_with
from cantstop_arena.extensions.cubus.chance import keys_of_deal
from cantstop_arena.extensions.cubus.compiled_bots import play_all
from cantstop_arena.extensions.cubus.compiled_games import plays
from cantstop_arena.extensions.cubus.engine.bound import best_value
from cantstop_arena.extensions.cubus.engine.library import library
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    compiled_rules,
)
from cantstop_arena.extensions.cubus.nets.cubus_gradient import (
    Schedule,
    learn_from_games,
    new_draft,
)
from cantstop_arena.extensions.cubus.nets.cubus_net_files import CubusNet, as_bytes
from cantstop_arena.extensions.cubus.nets.net_records import CUBUS_NET, new_workspace
from cantstop_arena.extensions.cubus.nets.self_play import new_self_play
from cantstop_arena.extensions.cubus.rules import RuleSet
from cantstop_arena.game_api.training import NetTrial
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.table.seated_bot import SeatedBot

ROUNDS = 20
GAMES = 1000  # of a round
TRIAL_DEALS = 60  # each in all seatings
_RATE = 0.002  # at first; it falls to 0
_TRACE = 0.7


def start_training(
    rules: RuleSet, players: int, seed: int, rounds: int | None, workers: int
) -> "CubusTraining":
    """A new training, in one thread. Raises UsageError for rules that it does not know."""
    if not plays(rules):
        raise UsageError(
            f"no net can be trained for rules {rules.name}: training knows rules without take_down,"
            " with ending: none, and with duty: knock or free"
        )
    return CubusTraining(rules, players, seed, rounds)


class CubusTraining:
    """A training in progress: games of the net against itself, one turn ahead."""

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

    def arrays(self) -> Mapping[str, NDArray[np.float64]]:
        """All that the next round depends on, apart from its number."""
        draft = self._draft
        return {"numbers": draft.numbers, "means": draft.means, "squares": draft.squares}

    def warm_up(self) -> None:
        """Compile what a trial needs."""
        self._trial_shares(1)

    def trial(self) -> NetTrial:
        """The share of games that champion wins with deny in all other seats."""
        shares, games = self._trial_shares(TRIAL_DEALS), TRIAL_DEALS * self.players
        score = float(shares.mean())
        half = 1.96 * float(shares.std(ddof=1)) / len(shares) ** 0.5
        text = f"champion wins {score:.1%} against deny ({games} games), loss {self._loss:.3f}"
        return NetTrial(text, "champion", "deny", score, half, games)

    def _trial_shares(self, deals: int) -> NDArray[np.float64]:
        """The share of its games that champion wins in each deal."""
        keys = [keys_of_deal(self._seed, deal, self.players) for deal in range(deals)]
        shares = np.zeros(deals)
        net = CubusNet(self.rules, self.players, "", self._net[0])
        champion = SeatedBot("champion", champion_with({self.players: net}), "champion")
        rival = SeatedBot("deny", BotFunctions(build=deny.build, knock=deny.knock), "deny")
        for own in range(self.players):
            bots = [champion if seat == own else rival for seat in range(self.players)]
            points = play_all(self.rules, bots, keys).seats[:, :, 0]
            wins = points == points.max(axis=1, keepdims=True)
            shares += wins[:, own] / wins.sum(axis=1)
        return shares / self.players

    def file(self, command: str) -> bytes:
        """The content of a file of the net."""
        return as_bytes(CubusNet(self.rules, self.players, command, self._net[0]))
