"""The choice model's probabilities, and the derivatives of its likelihood.

Parameters are the strengths of the bots, then the effects of the seats. With N games of a lineup
and its probabilities p the score is Σ (wins - N p), by bot and by seat, and Fisher's information is
Σ N (diag(p) - p pᵀ), likewise (McFadden 1974).
"""

import numpy as np

from cantstop_arena.ratings.model.evidence import Evidence, Floats, Ints


def chances(lineups: Ints, parameters: Floats) -> Floats:
    """The model's probability that each seat wins: seats by lineups."""
    strengths = seated_strengths(lineups, parameters)
    odds = np.exp(strengths - strengths.max(axis=0, initial=-np.inf))
    chance: Floats = odds / odds.sum(axis=0)
    return chance


def seated_strengths(lineups: Ints, parameters: Floats) -> Floats:
    """The bot's strength plus the seat's effect: seats by lineups."""
    seats = len(lineups)
    strengths: Floats = parameters[lineups] + parameters[-seats:, None]
    return strengths


def add_by_seat(lineups: Ints, bots: int, amounts: Floats) -> Floats:
    """The sums of amounts (seats by lineups) for each bot, then for each seat: one array."""
    by_bot = np.bincount(lineups.ravel(), amounts.ravel(), minlength=bots)
    return np.concatenate([by_bot, amounts.sum(axis=1)])


def gradient(evidence: Evidence, parameters: Floats) -> Floats:
    """The derivative of the log-likelihood: wins minus expected wins, by bot and by seat.

    Computed as wins · P(no win) - losses · P(win), which stays exact where one seat always wins.
    """
    chance = chances(evidence.lineups, parameters)
    other_seats = 1 - np.eye(evidence.seats)
    surplus = evidence.wins * (other_seats @ chance) - (other_seats @ evidence.wins) * chance
    return add_by_seat(evidence.lineups, evidence.bots, surplus) + evidence.luck_correction


def information(evidence: Evidence, parameters: Floats, seats_separable: bool = True) -> Floats:
    """Fisher's information: the sum of games · (diag(p) - p pᵀ), by bots and seats."""
    games = evidence.wins.sum(axis=0)
    matrix = win_covariance(
        evidence.lineups, evidence.bots, games, chances(evidence.lineups, parameters)
    )
    if not seats_separable:
        matrix[evidence.bots :] = 0
        matrix[:, evidence.bots :] = 0
    return matrix


def win_covariance(lineups: Ints, bots: int, games: Floats, chance: Floats) -> Floats:
    """The covariance of the wins by bot and seat: the sum of games · (diag(p) - p pᵀ)."""
    seats, index = len(lineups), np.arange(len(lineups))
    products = -games * chance[:, None] * chance
    products[index, index] = 0
    products[index, index] = -products.sum(axis=1)
    bot_pairs = lineups[:, None] * bots + lineups
    bot_seats = lineups[:, None] * seats + index[:, None]
    size = bots + seats
    matrix = np.empty((size, size))
    matrix[:bots, :bots] = add_by_index(bot_pairs, products, bots * bots).reshape(bots, bots)
    matrix[:bots, bots:] = add_by_index(bot_seats, products, bots * seats).reshape(bots, seats)
    matrix[bots:, :bots] = matrix[:bots, bots:].T
    matrix[bots:, bots:] = products.sum(axis=2)
    return matrix


def add_by_index(indices: Ints, amounts: Floats, size: int) -> Floats:
    """The sums of the amounts that have the same index: an array of length `size`."""
    indices = np.broadcast_to(indices, amounts.shape)
    return np.bincount(indices.ravel(), amounts.ravel(), minlength=size).astype(np.float64)
