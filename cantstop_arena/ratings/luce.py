"""Strengths by maximum likelihood: the winner-only choice model of Luce (1959).

A bot of strength s wins a game in a lineup with probability exp(s) / Σ exp(s of the lineup), for
two seats the model of Bradley and Terry (1952). Strengths are natural logarithms; in Elo points
they are 400 / ln 10 times as large, so that ten times the odds are 400 points. The log-likelihood
is concave, its maximum unique up to a constant within each field of bots that met, and Newton's
method on counts added up over all games finds it in a few steps, whatever the order of the games.

The maximum exists if and only if the graph "i won something in a game against j" is strongly
connected (Ford 1957; Hunter 2004 for more than two seats). Where it is not, some differences would
grow without end; then each group of that field is given one virtual game shared by all its bots.
"""

from dataclasses import dataclass
from math import log
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.outcomes import WHOLE, Results

Floats: TypeAlias = NDArray[np.floating[Any]]
Ints: TypeAlias = NDArray[np.int64]
Truths: TypeAlias = NDArray[np.bool_]

MEAN_ELO = 1500.0
ELO = 400 / log(10)  # points for each unit of strength
MOST_STEPS = 200
MOST_HALVINGS = 60
ENOUGH = 1e-9  # a Newton step, in strength: the next one would be about its square
FAR = 8.0  # in strength: a longer step within a lineup is not to be trusted
DAMPING = 1e-12  # relative: keeps Newton's equations regular where rounding would not
TIE = 1e-10  # in strength: a smaller difference is rounding, counts cannot tell it


@dataclass(frozen=True, slots=True)
class Evidence:
    """Games added up: `lineups[n]` are the numbers of the bots that met, `wins[n]` what each won.

    Wins are in games; shared wins count in parts, so a row of `wins` sums to the games played.
    """

    bots: int
    lineups: Ints
    wins: Floats


@dataclass(frozen=True, slots=True)
class Ratings:
    """Strengths of the bots, by number.

    `fields` gives for each bot the lowest number among the bots it is connected with by games;
    strengths of different fields cannot be compared, each field has mean 0 (1500 Elo).
    `at_bound` are the bots whose rating the games bound on one side only, so that it rests on
    virtual games: those outside the largest set of bots that all won, directly or through others,
    against each other.
    """

    strengths: tuple[float, ...]
    fields: tuple[int, ...]
    at_bound: tuple[int, ...]

    @property
    def elo(self) -> tuple[float, ...]:
        """Strengths in Elo points, mean 1500."""
        return tuple(MEAN_ELO + ELO * strength for strength in self.strengths)

    @property
    def regularised(self) -> bool:
        """Whether virtual games were needed."""
        return bool(self.at_bound)


def rate(results: Results) -> Ratings:
    """The ratings of a tournament's bots."""
    return fit(gathered(results))


def gathered(results: Results) -> Evidence:
    """A tournament's games, the seatings of each group added up; groups without games left out."""
    shape = (-1, results.players)
    seated = np.array(list(results.tallies), np.int64).reshape(shape)
    parts = np.array([tally.wins for tally in results.tallies.values()], np.int64).reshape(shape)
    order = np.argsort(seated, axis=1, kind="stable")
    lineups, row = np.unique(np.take_along_axis(seated, order, axis=1), axis=0, return_inverse=True)
    wins = np.zeros(lineups.shape, np.int64)
    np.add.at(wins, row.reshape(-1), np.take_along_axis(parts, order, axis=1))
    played = wins.any(axis=1)
    return Evidence(len(results.bots), lineups[played], wins[played] / WHOLE)


def fit(evidence: Evidence) -> Ratings:
    """The strengths that make the wins most likely; never infinite, see the module's head."""
    won = _won_against(evidence)
    together = _closure(won | won.T)
    field = together.argmax(axis=1)
    at_bound = _at_bound(_closure(won), together)
    strengths = _newton(_bounded(evidence, at_bound, together), together)
    return Ratings(
        strengths=tuple(_tied(strengths).tolist()),
        fields=tuple(field.tolist()),
        at_bound=tuple(np.flatnonzero(at_bound).tolist()),
    )


def chances(evidence: Evidence, strengths: Floats) -> Floats:
    """The probability of winning that the model gives each bot of each lineup."""
    seated = strengths[evidence.lineups]
    odds = np.exp(seated - seated.max(axis=1, keepdims=True, initial=-np.inf))
    chance: Floats = odds / odds.sum(axis=1, keepdims=True)
    return chance


def gradient(evidence: Evidence, strengths: Floats) -> Floats:
    """The derivative of the log-likelihood: for each bot wins minus expected wins, in games.

    Written as wins · P(not to win) - losses · P(to win), which stays exact where one always wins.
    """
    chance = chances(evidence, strengths)
    others = 1 - np.eye(evidence.lineups.shape[1])
    surplus = evidence.wins * (chance @ others) - (evidence.wins @ others) * chance
    return _summed(evidence.lineups, surplus, evidence.bots)


def information(evidence: Evidence, strengths: Floats) -> Floats:
    """Fisher's information: the sum of games · (diag(p) - p pᵀ). Its rows add up to 0."""
    bots = evidence.bots
    games = evidence.wins.sum(axis=1, keepdims=True)
    chance = chances(evidence, strengths)
    pairs = evidence.lineups[:, :, None] * bots + evidence.lineups[:, None, :]
    products = (games * chance)[:, :, None] * chance[:, None, :]
    crossed = _summed(pairs, products, bots * bots).reshape(bots, bots)
    np.fill_diagonal(crossed, 0)
    return np.diag(crossed.sum(axis=1)) - crossed


def _summed(places: Ints, amounts: Floats, size: int) -> Floats:
    """The amounts added up by place, in the order in which they stand."""
    return np.bincount(places.ravel(), amounts.ravel(), minlength=size).astype(np.float64)


def _newton(evidence: Evidence, together: Truths) -> Floats:
    """The maximum, centred: each field's mean is 0. Needs evidence that has a maximum."""
    strengths = np.zeros(evidence.bots)
    for _ in range(MOST_STEPS):
        slope = gradient(evidence, strengths)
        step = np.linalg.solve(_pinned(information(evidence, strengths), together), slope)
        strengths = strengths + _uphill(evidence, strengths, step, slope)
        if np.abs(step).max(initial=0.0) < ENOUGH:
            break
    centre: Floats = (together @ strengths) / together.sum(axis=1)
    return strengths - centre


def _pinned(curvature: Floats, together: Truths) -> Floats:
    """The information made regular: the sum of each field held, and more than rounding added."""
    scale = curvature.diagonal()
    held = together * scale[scale > 0].min(initial=1.0)  # a larger weight would drown the rest
    regular: Floats = curvature + held + np.diag(DAMPING * scale)
    return regular


def _uphill(evidence: Evidence, strengths: Floats, step: Floats, slope: Floats) -> Floats:
    """The step, halved until it ends no steeper behind the ridge than it began before it.

    Slopes tell this more precisely than likelihoods, whose differences drown in rounding.
    """
    stretch = np.ptp(step[evidence.lineups], axis=1).max(initial=FAR)
    step = step * (FAR / stretch)
    for _ in range(MOST_HALVINGS):
        if gradient(evidence, strengths + step) @ step >= -slope @ step:
            break
        step = step / 2
    return step


def _tied(strengths: Floats) -> Floats:
    """Strengths that differ by no more than rounding made equal to the last digit."""
    order = np.argsort(strengths, kind="stable")
    tie = np.cumsum(np.diff(strengths[order], prepend=-np.inf) > TIE) - 1
    means = np.bincount(tie, strengths[order]) / np.bincount(tie)
    equal = np.empty_like(strengths)
    equal[order] = means[tie]
    return equal


def _won_against(evidence: Evidence) -> Truths:
    """Who won anything in a game against whom: a matrix of bots by bots."""
    won = np.zeros((evidence.bots, evidence.bots), np.bool_)
    for seat in range(evidence.lineups.shape[1]):
        lineups = evidence.lineups[evidence.wins[:, seat] > 0]
        won[lineups[:, seat, None], lineups] = True
    return won


def _closure(edges: Truths) -> Truths:
    """Who reaches whom along the edges, itself included: squared until paths of any length fit."""
    reach = edges | np.eye(len(edges), dtype=np.bool_)
    for _ in range(len(edges).bit_length()):
        hops = reach.astype(np.float32)
        reach = hops @ hops > 0
    return reach


def _at_bound(reach: Truths, together: Truths) -> Truths:
    """The bots outside the largest strongly connected part of their field; ties have no largest."""
    size = (reach & reach.T).sum(axis=1)
    largest = (together * size).max(axis=1, initial=0)
    rivals = (together & (size == largest)).sum(axis=1)
    outside: Truths = (size < largest) | (rivals > size)
    return outside


def _bounded(evidence: Evidence, at_bound: Truths, together: Truths) -> Evidence:
    """The evidence, with a virtual game for each lineup of a field that has a bot at the bound."""
    seats = evidence.lineups.shape[1]
    loose = np.any(together & at_bound, axis=1)[evidence.lineups[:, 0]]
    return Evidence(evidence.bots, evidence.lineups, evidence.wins + loose[:, None] / seats)
