"""The training loop: rounds of practice games, each followed by learning from them.

A round depends only on the seed, its number and the nets after the round before. So the nets do not
depend on the number of workers, and an interrupted training can be resumed.
"""

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.learn.training import position_samples, rolling_samples, trial_games
from cantstop_arena.extensions.learn.training.learner import Learner, Samples
from cantstop_arena.extensions.learn.training.threads import TrainingThread, TrainingThreads
from cantstop_arena.extensions.strength.exact.turn_board import board_for
from cantstop_arena.extensions.strength.nets.net import NET, ROLLING_NET
from cantstop_arena.games.cantstop.rules import RuleSet

_MEMORY = 300_000  # samples of exact games in memory
_ROLLING_MEMORY = 1_000_000  # samples of states within turns in memory
_MC_RATE, _TD_RATE, _ROLLING_RATE = 0.02, 0.01, 0.02
_SLOWER = ((0.5, 1.0), (0.8, 0.3), (1.0, 0.1))  # (share of a stage, rate until then)
_AVERAGED = 0.8  # share of the rounds of a stage; the nets after later rounds are averaged
_LOOKS = 16  # how often a new sample is learned from, on average
_ROLLING_LOOKS = 400_000  # samples learned from in a round
_HEURISTIC, _EXACT, _TEST, _ROLLING = 1, 2, 3, 4  # the streams of random numbers


class TrainingPlan(msgspec.Struct, frozen=True):
    """The numbers of rounds and of games per round, by stage."""

    heuristic_rounds: int = 60
    heuristic_games: int = 4000
    exact_rounds: int = 110
    exact_games: int = 256
    rolling_rounds: int = 40
    rolling_games: int = 128
    test_games: int = 500


class TrainingTask(msgspec.Struct, frozen=True):
    """The rules and number of players to train for, the seed, and the heuristics to begin with."""

    rules: RuleSet
    players: int
    seed: int
    family: Any  # records of HEURISTIC; strength is measured against the first


class TrainingLoop:
    """A training in progress: `ends` learns the values of positions, and `rolls` afterwards the
    values of rolling on."""

    def __init__(self, subject: TrainingTask, plan: TrainingPlan, workers: int) -> None:
        self.subject, self.plan = subject, plan
        self.boards = board_for(subject.rules)
        players, seed = subject.players, subject.seed
        self.ends = Learner(players, NET, _MEMORY, np.random.default_rng([seed, 0]))
        chance = np.random.default_rng([seed, _ROLLING])
        self.rolls = Learner(players, ROLLING_NET, _ROLLING_MEMORY, chance)
        self.rounds_done = 0
        self.error = 0.0  # the root mean square error in the last round
        self.residual = 0.0  # that of the values of positions in the last round of exact games
        self._workers = TrainingThreads(workers, subject.rules, players)

    @property
    def rounds(self) -> int:
        """The number of rounds of all stages."""
        return self.plan.heuristic_rounds + self.plan.exact_rounds + self.plan.rolling_rounds

    def advance(self) -> None:
        """Play the next round and learn from it."""
        number = self.rounds_done
        for rounds, play in (
            (self.plan.heuristic_rounds, self._heuristic_round),
            (self.plan.exact_rounds, self._exact_round),
            (self.plan.rolling_rounds, self._rolling_round),
        ):
            if 0 <= number < rounds:
                play(number)
            number -= rounds
        self.rounds_done += 1

    @property
    def rolls_are_learned(self) -> bool:
        """Whether the last round trained the net of rolling on."""
        return self.rounds_done > self.rounds - self.plan.rolling_rounds

    def strength(self, games: int) -> float:
        """The share of games that the nets win with the first heuristic in all other seats; with
        one player, the mean turns per game.

        The nets play exact turns while `ends` is trained, then a lookahead of one roll. All trials
        are played on the same deals, which are not used for training.
        """
        board, ends, rolls = self.boards[0], self.ends.net()[0], self.rolls.net()[0]
        numbers, key = self.subject.family[0], self._key(_TEST, 0)

        def exact(worker: TrainingThread, start: int, end: int) -> int:
            tried = (board, ends, worker.workspace, *worker.game, numbers, key, start, end)
            return int(trial_games.exact_trial(*tried))

        def lookahead(worker: TrainingThread, start: int, end: int) -> int:
            tried = (board, ends, rolls, worker.sheets, *worker.game, numbers, key, start, end)
            return int(trial_games.lookahead_trial(*tried))

        play = lookahead if self.rolls_are_learned else exact
        return float(sum(self._workers.shared(games, play))) / games

    # Rounds

    def _heuristic_round(self, number: int) -> None:
        key, family = self._key(_HEURISTIC, number), self.subject.family

        def play(worker: TrainingThread, start: int, end: int, buffer: Samples) -> int:
            arguments = (*worker.game, family, key, start, end)
            count: int = position_samples.heuristic_games(*arguments, *buffer)
            return count

        samples = self._workers.played(
            self.plan.heuristic_games, position_samples.MAX_SAMPLES, play
        )
        rate = _MC_RATE * _progress_line(number / self.plan.heuristic_rounds)
        picks = self._generator(_HEURISTIC, number).permutation(len(samples[1])) * 2
        self.ends.learn_once(self.boards[0], samples, self._turned(picks, _HEURISTIC, number), rate)

    def _exact_round(self, number: int) -> None:
        board, net, family = self.boards[0], self.ends.latest()[0], self.subject.family
        key = self._key(_EXACT, number)

        def play(worker: TrainingThread, start: int, end: int, buffer: Samples) -> int:
            arguments = (board, net, worker.workspace, *worker.game, family, key, start, end)
            count: int = position_samples.exact_games(*arguments, *buffer)
            return count

        samples = self._workers.played(self.plan.exact_games, position_samples.MAX_SAMPLES, play)
        self.residual = self.ends.error_on(self.boards[0], samples)
        self.ends.remember(*samples)
        count = _LOOKS * self.plan.exact_games * 18
        share = number / self.plan.exact_rounds
        self._learn(self.ends, _EXACT, number, count, _TD_RATE * _progress_line(share))
        if share >= _AVERAGED:
            self.ends.average()

    def _rolling_round(self, number: int) -> None:
        board, net, key = self.boards[0], self.ends.net()[0], self._key(_ROLLING, number)

        def play(worker: TrainingThread, start: int, end: int, buffer: Samples) -> int:
            arguments = (board, net, worker.workspace, *worker.game, key, start, end)
            count: int = rolling_samples.rolling_games(*arguments, *buffer)
            return count

        samples = self._workers.played(self.plan.rolling_games, rolling_samples.MAX_SAMPLES, play)
        self.rolls.remember(*samples)
        share = number / self.plan.rolling_rounds
        self._learn(
            self.rolls, _ROLLING, number, _ROLLING_LOOKS, _ROLLING_RATE * _progress_line(share)
        )
        if share >= _AVERAGED:
            self.rolls.average()

    def _learn(self, learner: Learner, stage: int, number: int, count: int, rate: float) -> None:
        """Learn from the memory; it is empty on a board that is always won in one turn."""
        if learner.sample_count:
            picks = self._generator(stage, number).integers(learner.sample_count, size=count) * 2
            self.error = learner.learn(self.boards[0], self._turned(picks, stage, number), rate)

    # Random numbers

    def _generator(self, stage: int, number: int) -> np.random.Generator:
        return np.random.default_rng([self.subject.seed, stage, number])

    def _key(self, stage: int, number: int) -> np.uint64:
        return np.uint64(self._generator(stage + 10, number).integers(1 << 63))

    def _turned(self, picks: NDArray[np.int64], stage: int, number: int) -> NDArray[np.int64]:
        """Picks of samples, half of them mirrored at random if the board is symmetric."""
        if not self.boards[0].is_mirrored:
            return picks
        return picks + self._generator(stage + 20, number).integers(2, size=len(picks))


def _progress_line(share: float) -> float:
    """The factor of the learning rate when a share of a stage is over."""
    return next(pace for until, pace in _SLOWER if share < until)
