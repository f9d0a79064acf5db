"""The training of nets for grandmaster and champion, as `arena train` does it."""

from collections.abc import Mapping
from functools import cached_property
from math import sqrt
from typing import Any

from numpy.typing import NDArray

from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.learn.training.exact_loss import loss_of_nets, solved_board
from cantstop_arena.extensions.learn.training.learner import ARRAYS
from cantstop_arena.extensions.learn.training.practice_players import family_of
from cantstop_arena.extensions.learn.training.training_loop import (
    TrainingLoop,
    TrainingPlan,
    TrainingTask,
)
from cantstop_arena.extensions.strength.exact.evaluator import Evaluator
from cantstop_arena.extensions.strength.exact.turn_board import objection
from cantstop_arena.extensions.strength.nets.net_files import Nets, as_bytes
from cantstop_arena.game_api.training import ExactLoss, NetTrial
from cantstop_arena.games.cantstop.bots.glenn_aloi import CONSTANT
from cantstop_arena.games.cantstop.bots.rule28 import NUMBERS
from cantstop_arena.games.cantstop.rules import RuleSet


def start_training(
    rules: RuleSet, players: int, seed: int, rounds: int | None, workers: int
) -> "NetTraining":
    """A new training; `rounds` are those of exact games. Raises UsageError for some rules."""
    if why := objection(rules, players):
        raise UsageError(
            f"no nets can be trained for rules {rules.name} with {players} seats: {why}"
        )
    task = TrainingTask(rules, players, seed, family_of([CONSTANT, CONSTANT, NUMBERS]))
    plan = TrainingPlan() if rounds is None else TrainingPlan(exact_rounds=rounds)
    return NetTraining(TrainingLoop(task, plan, workers))


class NetTraining:
    """A training loop, with trials and a file of nets."""

    def __init__(self, loop: TrainingLoop) -> None:
        self._loop = loop

    @property
    def rounds(self) -> int:
        """The number of rounds of all stages."""
        return self._loop.rounds

    @property
    def rounds_done(self) -> int:
        """The number of rounds that are done."""
        return self._loop.rounds_done

    @rounds_done.setter
    def rounds_done(self, number: int) -> None:
        self._loop.rounds_done = number

    def advance(self) -> None:
        """Play the next round and learn from it."""
        self._loop.advance()

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays of both nets in training, and of their memories."""
        learners = {"ends": self._loop.ends, "rolls": self._loop.rolls}
        return {
            f"{whose}.{name}": getattr(learner, name)
            for whose, learner in learners.items()
            for name in ARRAYS
        }

    def warm_up(self) -> None:
        """Compile what a trial needs."""
        self._loop.strength(1)
        if self._board is not None:
            self._board.warm_up()

    def trial(self) -> NetTrial:
        """The strength of grandmaster, and the error of its values of positions; in the later
        rounds that of champion, and the error of its values of rolling on."""
        loop = self._loop
        alone, games = loop.subject.players == 1, loop.plan.test_games
        strength = loop.strength(games)
        bot = "champion" if loop.rolls_are_learned else "grandmaster"
        result = (
            f"takes {strength:.2f} turns" if alone else f"wins {strength:.1%} against glenn-aloi"
        )
        half = None if alone else 1.96 * sqrt(strength * (1 - strength) / games)
        lost = self._exact_loss()
        exact = f", losing {lost.mean:.2f} {_unit(alone)} a game to perfect play" if lost else ""
        text = f"{bot} {result} ({games} games){exact}{self._precision(alone)}"
        rival = "" if alone else "glenn-aloi"
        return NetTrial(text, bot, rival, strength, half, games, lost)

    @cached_property
    def _board(self) -> Evaluator | None:
        """The exact values of the positions, if the board has been solved."""
        return solved_board(self._loop.subject.rules, self._loop.subject.players)

    def _exact_loss(self) -> ExactLoss | None:
        """What the decisions of the nets lose a game; None where the board has not been solved."""
        if self._board is None:
            return None
        lost = loss_of_nets(self._nets(""), self._board, self._loop.rolls_are_learned).lost()
        scale = 1 if self._loop.subject.players == 1 else 100
        return ExactLoss(scale * lost.mean, scale * lost.error, lost.deals)

    def _precision(self, alone: bool) -> str:
        """How well the nets know values, as text."""
        loop = self._loop
        scale, unit = 1 if alone else 100, _unit(alone)
        errors = []
        if loop.residual:
            errors.append(f", Bellman residual {scale * loop.residual:.2f} {unit}")
        if loop.rolls_are_learned:
            error = scale * loop.error
            errors.append(f", knowing what rolling on is worth within {error:.2f} {unit}")
        return "".join(errors)

    def file(self, command: str) -> bytes:
        """The content of a file of the nets."""
        return as_bytes(self._nets(command))

    def _nets(self, command: str) -> Nets:
        loop = self._loop
        task, ends, rolls = loop.subject, loop.ends.net(), loop.rolls.net()
        return Nets(task.rules, task.players, command, ends, rolls)


def _unit(alone: bool) -> str:
    return "turns" if alone else "points"
