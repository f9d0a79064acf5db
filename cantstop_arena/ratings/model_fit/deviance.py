"""The deviance of the rating model as a test of its fit, with the deal as the unit of sampling.

The deviance compares the model with one that gives every seating probabilities of its own:

    G² = 2 Σ won · ln(won / expected)   over the seats of all seatings.

Were all games independent it would follow a chi-square distribution with as many degrees of freedom
as seatings · (seats - 1) less the parameters. They are not: seatings and groups share the deals'
luck. Then it is a weighted sum of chi-squares instead (Rao and Scott 1984). The sum of the
weights, its mean, is

    T = Σ tr(V₀⁻¹ V) - tr(H⁻¹ M)

with V₀ the multinomial covariance of a seating's wins and V the true one, H Fisher's information
and M the covariance of the score (see `covariance`). A deal is played once in each seating, so
V = V₀ but for shared wins. Those of unfinished games are counted and corrected for; other shared
wins count as if they were not shared, which errs on the side of the model. For seatings with few
wins of a seat, tr(V₀⁻¹ V) is replaced by the mean that the deviance then has, from binomial counts.

The sum Q of the squared weights (Satterthwaite 1946; Rao and Scott's second order) is that of the
squared inner products of the residuals of two deals: with r_d the residuals of deal d after the
fit, divided by the roots of the expected wins, T = D E|r_d|² and Q = D² E(r_d · r_e)², both summed
over the populations of deals. The quotient f = T² / Q, which cannot be more than there are degrees
of freedom, is taken from a sample of deals stored game by game (`covariance`). As T is itself
estimated from D deals, G² / T is compared with Fisher's F of f and f (D - 1) degrees of freedom
(Thomas and Rao 1987). Where a lineup has a single deal, nothing shows how a deal's games depend on
each other, and nothing is tested.

How Elo depends on the field: by how much it moves when another bot is left out.

Ratings of the games without that bot are compared with those of all games, both relative to the
even score of the remaining bots. Where one number for each bot fits all results, they differ by
chance only.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.ratings.covariance import DealClusters, Sandwich, sample_of
from cantstop_arena.ratings.elo import even_score
from cantstop_arena.ratings.model.evidence import Evidence, Floats, Ints, fields_of, gather_evidence
from cantstop_arena.ratings.model.luce import ELO, Luce, add_by_seat, chances, fit, win_covariance
from cantstop_arena.ratings.significance import fisher_tail

MIN_EFFECT = 1e-3  # of the design effect: with less, nothing varies but what the model explains
MIN_SAMPLE = 2  # deals of each lineup
MAX_SUMMED = 40.0  # wins up to which the deviance's mean is summed term by term
MAX_STEPS = 160
CHUNK = 4096  # counts whose terms are in memory together


class GoodnessOfFit(msgspec.Struct, frozen=True):
    """How well the model fits.

    `deviance` is G² and `degrees_of_freedom` are those that it has if all games are independent.
    `design_effect` is T / `degrees_of_freedom`, `effective_degrees_of_freedom` are T² / Q, and
    `p_value` is that of a larger deviance if the model holds; None where nothing is left to
    test.
    """

    deviance: float
    degrees_of_freedom: int
    design_effect: float | None
    effective_degrees_of_freedom: float | None
    p_value: float | None


def goodness(results: TournamentTotals) -> GoodnessOfFit:
    """The goodness of fit of a tournament's ratings."""
    evidence, order = gather_evidence(results)
    model = fit(evidence)
    seats = evidence.seats
    dof = max(evidence.lineups.shape[1] * (seats - 1) - _parameters(model), 0)
    deviance = _deviance(evidence, model)
    sandwich = Sandwich(model)
    repeats = (sandwich.deals - sandwich.populations) / max(sandwich.populations, 1)
    if dof == 0 or not repeats:
        return GoodnessOfFit(deviance, dof, None, None, None)
    mean = _mean_deviance(evidence, model, _unfinished(results, evidence, order)) - sandwich.trace
    effect = mean / dof
    if effect < MIN_EFFECT:
        return GoodnessOfFit(deviance, dof, max(effect, 0.0), None, None)
    effective = _effective_degrees_of_freedom(results, model, order)
    if effective is None:
        return GoodnessOfFit(deviance, dof, effect, None, None)
    effective = min(effective, float(dof))
    p_value = fisher_tail(deviance / mean, effective, effective * repeats)
    return GoodnessOfFit(deviance, dof, effect, effective, p_value)


def _parameters(model: Luce) -> int:
    fields = len({*fields_of(model.links.together).tolist()})
    return len(model.strengths) - fields + model.seats_separable * (model.evidence.seats - 1)


def _expected(evidence: Evidence, model: Luce) -> Floats:
    games: Floats = evidence.wins.sum(axis=0)
    return games * chances(evidence.lineups, model.parameters)


def _deviance(evidence: Evidence, model: Luce) -> float:
    won, expected = evidence.wins, _expected(evidence, model)
    odds = np.divide(won, expected, out=np.ones_like(won), where=won > 0)
    return max(2 * float((won * np.log(odds)).sum()), 0.0)


def _unfinished(results: TournamentTotals, evidence: Evidence, order: Ints) -> Floats:
    """The number of unfinished games of each seating of the evidence."""
    seatings = order[evidence.lineups].T.tolist()
    return np.array([results.tallies[tuple(seating)].unfinished for seating in seatings], float)


def _mean_deviance(evidence: Evidence, model: Luce, unfinished: Floats) -> float:
    """The mean that the deviance of all seatings would have around the true probabilities."""
    seats = evidence.seats
    games = evidence.wins.sum(axis=0)
    chance = _expected(evidence, model) / games
    deviances = binomial_deviance(np.broadcast_to(games, chance.shape), chance).sum(axis=0)
    trace_loss = unfinished / games / seats * (1 - 1 / seats) * (1 / chance).sum(axis=0)
    corrections = np.clip(1 - trace_loss / (seats - 1), 0.0, 1.0)
    return float((deviances * corrections).sum())


def binomial_deviance(games: Floats, chance: Floats) -> Floats:
    """The mean deviance of binomial counts with the mean μ, chance p: 1 - p + (1 - p²) / 6μ for
    many (Williams 1976), term by term for few.
    """
    means = games * chance
    deviance: Floats = 1 - chance + (1 - chance**2) / (6 * np.maximum(means, 1.0))
    few = means < MAX_SUMMED
    chunks = (
        np.array_split(numbers[few], 1 + np.count_nonzero(few) // CHUNK)
        for numbers in (games, chance)
    )
    deviance[few] = np.concatenate([*map(_summed_deviance, *chunks)])
    return deviance


def _summed_deviance(games: Floats, chance: Floats) -> Floats:
    """The mean deviance of binomial counts, term by term."""
    games, chance = games[:, None], np.clip(chance, 1e-300, 1 - 1e-12)[:, None]
    counts = np.arange(1, MAX_STEPS)
    with np.errstate(divide="ignore"):  # of more wins than games
        ways = np.cumsum(np.log(np.maximum(games - counts + 1, 0)) - np.log(counts), axis=1)
    logs = ways + counts * np.log(chance) + np.maximum(games - counts, 0) * np.log1p(-chance)
    summands: Floats = np.exp(logs) * 2 * counts * (np.log(counts) - np.log(games * chance))
    return np.asarray(summands.sum(axis=1))


def _effective_degrees_of_freedom(
    results: TournamentTotals, model: Luce, order: Ints
) -> float | None:
    """T² / Q from the sample of deals; None if it is too small."""
    sample = sample_of(results, order, MIN_SAMPLE)
    if sample is None:
        return None
    residuals = _residuals(sample, model)
    deals, mean, squares = len(residuals), 0.0, 0.0
    for columns in _columns_of_populations(model.evidence, sample.lineups):
        of_population = residuals[:, :, columns].reshape(deals, -1)
        products = of_population @ of_population.T
        norms = products.diagonal()
        mean += float(norms.sum()) / deals
        squares += float((products**2).sum() - (norms**2).sum()) / (deals * (deals - 1))
    return max(mean**2 / squares, 1.0) if squares > 0 else None


def _columns_of_populations(evidence: Evidence, lineups: Ints) -> Iterator[Ints]:
    """The indices of the seatings of each population; `lineups` are seats by seatings."""
    populations = {
        tuple(sorted(group)): (size, row)
        for size, each in enumerate(evidence.populations)
        for row, groups in enumerate(each.lineups.tolist())
        for group in groups
    }
    columns: dict[tuple[int, int], list[int]] = {}
    for column, group in enumerate(np.sort(lineups, axis=0).T.tolist()):
        columns.setdefault(populations[tuple(group)], []).append(column)
    yield from map(np.array, columns.values())


def _residuals(sample: DealClusters, model: Luce) -> Floats:
    """r_d of the deals of the sample, but for a common factor: deals by seats by seatings.

    Residuals are wins less expected wins, and less the change of expected wins that the deal itself
    causes in the fit: information times H⁻¹ u_d. Seatings count as played equally often.
    """
    bots, lineups = model.evidence.bots, sample.lineups
    chance = chances(lineups, model.parameters)
    residuals = sample.won(len(lineups)) - chance
    scores = np.stack([add_by_seat(lineups, bots, residual) for residual in residuals])
    deal_information = win_covariance(lineups, bots, np.ones(lineups.shape[1]), chance)
    steps = scores @ _inverse(deal_information, model)
    strength_steps = steps[:, :bots][:, lineups] + steps[:, bots:, None]
    expected_steps = chance * (
        strength_steps - (chance * strength_steps).sum(axis=1, keepdims=True)
    )
    after_fit: Floats = (residuals - expected_steps) / np.sqrt(chance)
    return after_fit


def _inverse(information: Floats, model: Luce) -> Floats:
    """H⁻¹ of one deal's seatings, for the differences that they determine."""
    if not model.seats_separable:
        bots = model.evidence.bots
        information[bots:], information[:, bots:] = 0, 0
    inverse: Floats = np.linalg.pinv(information, rcond=1e-9, hermitian=True)
    return inverse


MAX_BOTS = 60  # with more there are no moves: each bot left out takes a fit of its own
MIN_BOTS = 3


class EloShift(NamedTuple):
    """The change of a bot's Elo, in points, and the number of the bot that is left out."""

    points: float
    without: int


Moves: TypeAlias = tuple[EloShift, EloShift]


def moves(results: TournamentTotals) -> list[Moves | None]:
    """For each bot the lowest and the highest shift of its Elo, each without another bot.

    None for a bot that has no shift: whichever other bot is left out, the games no longer connect
    the remaining ones, or bound one of them on one side only.
    """
    bots = len(results.bots)
    if not MIN_BOTS <= bots <= MAX_BOTS or bots <= results.players or results.players < 2:
        return [None] * bots
    evidence, order = gather_evidence(results)
    shifts = _strength_shifts(evidence, fit(evidence))
    canonical = np.argsort(order, kind="stable")
    return [_extremes(shifts[:, index], order) for index in canonical]


def _strength_shifts(evidence: Evidence, model: Luce) -> Floats:
    """The changes of the bots' strengths without each bot, a row for each that is left out; nan
    where they are not determined.
    """
    bots = evidence.bots
    left_out, after = [], []
    for bot, remaining in enumerate(~np.eye(bots, dtype=np.bool_)):
        without_bot = (evidence.lineups != bot).all(axis=0)
        refit = fit(
            Evidence(bots, evidence.lineups[:, without_bot], evidence.wins[:, without_bot]),
            model.parameters,
        )
        if (
            refit.links.together[np.ix_(remaining, remaining)].all()
            and not refit.links.at_bound[remaining].any()
        ):
            left_out.append(bot)
            after.append(refit.strengths[remaining])
    shifts = np.full((bots, bots), np.nan)
    if left_out:
        before = np.array([np.delete(model.strengths, bot) for bot in left_out])
        moved = _above_even_score(np.array(after)) - _above_even_score(before)
        for bot, row in zip(left_out, moved, strict=True):
            shifts[bot, np.arange(bots) != bot] = row
    return shifts


def _above_even_score(strengths: Floats) -> Floats:
    """Strengths relative to the even score of each row."""
    return strengths - even_score(strengths)[0][:, None]


def _extremes(shifts: Floats, order: Ints) -> Moves | None:
    if np.isnan(shifts).all():
        return None
    lowest, highest = int(np.nanargmin(shifts)), int(np.nanargmax(shifts))
    return (
        EloShift(float(ELO * shifts[lowest]), int(order[lowest])),
        EloShift(float(ELO * shifts[highest]), int(order[highest])),
    )
