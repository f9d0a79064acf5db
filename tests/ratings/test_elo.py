"""Strengths and seats' effects against other libraries' maxima, exactness, and edge cases."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import isfinite, log, log10
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers.oracles import choix, optimize
from helpers.simulated import Run, Truth, results, seatings_of
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import WIN_UNITS, Tally, TournamentTotals
from cantstop_arena.deals.sampling import Bytes, DealSums, Populations
from cantstop_arena.deals.seatings import Group
from cantstop_arena.ratings.elo import Ratings, even_score, rate
from cantstop_arena.ratings.labels import Label
from cantstop_arena.ratings.model.evidence import Evidence
from cantstop_arena.ratings.model.luce import ELO, fit
from cantstop_arena.ratings.scores import scores

pytestmark = pytest.mark.filterwarnings("error")

Wins = dict[Group, tuple[float, ...]]  # of each group, by bot, in all seatings alike


def counted(bots: int, wins: Wins) -> Evidence:
    """What bots won, each seating with its part of it."""
    seats = len(next(iter(wins), (0, 0)))
    rows = [
        (seating, [shares[group.index(bot)] for bot in seating])
        for group, shares in wins.items()
        for seating in seatings_of(group)
    ]
    lineups = np.array([seating for seating, _ in rows], np.int64).reshape(-1, seats)
    won = np.array([won for _, won in rows], float).reshape(-1, seats)
    return Evidence(bots, lineups.T, won.T)


def random_wins(bots: int, seats: int, seed: int) -> Evidence:
    """Shared wins among them, and seats that matter."""
    rng = np.random.default_rng(seed)
    rows = [seating for group in combinations(range(bots), seats) for seating in seatings_of(group)]
    won = rng.integers(30, 6000, (seats, len(rows))) * np.arange(seats, 0, -1)[:, None]
    return Evidence(bots, np.array(rows, np.int64).T, won / WIN_UNITS)


def scipy_parameters(evidence: Evidence) -> NDArray[np.float64]:
    bots, games = evidence.bots, evidence.wins.sum()

    def loss(parameters: NDArray[np.complex128]) -> Any:
        seated = parameters[evidence.lineups] + parameters[bots:, None]
        return (evidence.wins * (np.log(np.exp(seated).sum(axis=0)) - seated)).sum() / games

    start = np.zeros(bots + evidence.seats)
    found = optimize.minimize(loss, start, jac="cs", method="BFGS", tol=1e-10).x
    centres = np.repeat([found[:bots].mean(), found[bots:].mean()], [bots, evidence.seats])
    return np.asarray(found - centres)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seed", [1, 2])
def test_strengths_and_seats_are_those_that_scipy_finds(seats: int, seed: int) -> None:
    evidence = random_wins(5, seats, seed)
    model = fit(evidence)
    assert model.parameters == pytest.approx(scipy_parameters(evidence), abs=1e-6)
    assert not model.links.at_bound.any()


@pytest.mark.slow
def test_strengths_of_pairs_are_those_of_choix() -> None:
    wins: Wins = {
        (0, 1): (7, 3),
        (0, 2): (9, 2),
        (0, 3): (5, 6),
        (1, 2): (8, 8),
        (1, 3): (4, 9),
        (2, 3): (3, 6),
    }
    listed = [
        (group[place], group[1 - place])
        for group, shares in wins.items()
        for place in (0, 1)
        for _ in range(int(shares[place]))
    ]
    model = fit(counted(4, wins))
    assert model.strengths == pytest.approx(choix.opt_pairwise(4, listed, tol=1e-9), abs=1e-6)
    assert model.seats == pytest.approx([0, 0], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4])
def test_strengths_of_tables_are_those_of_choix(seats: int) -> None:
    random = Random(seats)
    wins: Wins = {
        group: tuple(random.randint(1, 20) for _ in group)
        for group in combinations(range(5), seats)
    }
    listed = [
        (winner, tuple(bot for bot in group if bot != winner))
        for group, shares in wins.items()
        for winner, times in zip(group, shares, strict=True)
        for _ in range(int(times))
    ]
    ours = fit(counted(5, wins)).strengths
    assert ours == pytest.approx(choix.opt_top1(5, listed, tol=1e-9), abs=1e-6)


def test_three_wins_to_one_are_190_85_elo() -> None:
    strengths = fit(counted(2, {(0, 1): (3, 1)})).strengths
    assert ELO * (strengths[0] - strengths[1]) == pytest.approx(400 * log(3, 10), abs=1e-9)


def test_a_table_of_four_by_hand() -> None:
    strengths = fit(counted(4, {(0, 1, 2, 3): (40, 30, 20, 10)})).strengths
    assert strengths - strengths[3] == pytest.approx([log(4), log(3), log(2), 0], abs=1e-12)


def test_the_first_seats_advantage_by_hand() -> None:
    """Equal bots, the first seat wins three of four: 190.85 Elo."""
    tallies: dict[Group, Tally] = {(0, 1): won(30, 10), (1, 0): won(30, 10)}
    ratings = rate(told(tallies, 2))
    assert ratings.first_seat is not None
    assert ratings.first_seat.points == pytest.approx(400 * log(3, 10))
    assert [seat.points for seat in ratings.seats] == pytest.approx(
        [200 * log(3, 10), -200 * log(3, 10)]
    )


def won(*wins: float) -> Tally:
    return Tally(round(sum(wins)), tuple(round(WIN_UNITS * share) for share in wins), 0, 0, {}, {})


def told(tallies: Mapping[Group, Tally], bots: int, **changes: Any) -> TournamentTotals:
    """Results of which the deals are not known."""
    played = results(bots, len(next(iter(tallies), (0, 1))), [])
    return replace(played, tallies=tallies, **changes)


# --- exactness ----------------------------------------------------------------------------------


def renumbered(
    played: TournamentTotals, numbers: Sequence[int], shuffle: Random
) -> TournamentTotals:
    """The same tournament, its bots named and numbered otherwise, everything in another order."""
    tallies = [
        (tuple(numbers[bot] for bot in seating), tally) for seating, tally in played.tallies.items()
    ]
    shuffle.shuffle(tallies)
    names = tuple(f"other{shuffle.random()}" for _ in numbers)
    deals = DealSums(
        tuple(renumbered_populations(each, numbers) for each in played.deals.populations),
        renumbered_sample(played, numbers),
    )
    return replace(played, bots=names, tallies=dict(tallies), deals=deals)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), seats=st.integers(2, 4), numbers=st.permutations(range(5)))
@settings(max_examples=max(1, settings().max_examples // 4))
def test_names_and_numbers_of_bots_change_no_digit(
    seed: int, seats: int, numbers: list[int]
) -> None:
    rng = np.random.default_rng(seed)
    seated = (rng.normal(size=seats) / 4).tolist()
    truth = Truth(rng.normal(size=5).tolist(), seated, 0.4)
    played = results(5, seats, [truth.run(20, rng), truth.run(7, rng)])
    here, there = rate(played), rate(renumbered(played, numbers, Random(seed)))
    assert [there.ratings[number] for number in numbers] == list(here.ratings)
    assert [there.ranks[number] for number in numbers] == list(here.ranks)
    assert [there.groups[number] for number in numbers] == list(here.groups)
    assert there.seats == here.seats
    for one, other in combinations(range(5), 2):
        there_too = there.superiority(numbers[one], numbers[other])
        assert there_too == here.superiority(one, other)


def renumbered_populations(populations: Populations, numbers: Sequence[int]) -> Populations:
    """The same populations of single lineups in another sequence, with bots in ascending order."""
    lineups = np.array(numbers)[populations.lineups]
    order = np.argsort(lineups, axis=2)[:, 0]
    columns = np.concatenate(
        [order, np.broadcast_to(order.shape[1] + np.arange(order.shape[1]), order.shape)], axis=1
    )
    renumbered = Populations(
        np.sort(lineups, axis=2),
        populations.deals,
        np.take_along_axis(populations.totals, columns, axis=1),
        np.take_along_axis(
            np.take_along_axis(populations.products, columns[:, None], axis=2),
            columns[:, :, None],
            axis=1,
        ),
        np.take_along_axis(
            populations.sample, np.repeat(columns, populations.sampled, axis=0), axis=1
        ),
        populations.sampled,
    )
    return renumbered.of_rows(np.arange(len(order))[::-1])


def renumbered_sample(played: TournamentTotals, numbers: Sequence[int]) -> dict[Group, Bytes]:
    winners = {}
    for group, masks in played.deals.winners.items():
        there: Group = tuple(sorted(numbers[bot] for bot in group))
        orders = [tuple(numbers[bot] for bot in seating) for seating in seatings_of(group)]
        winners[there] = masks[:, [orders.index(seating) for seating in seatings_of(there)]]
    return winners


def doubled(played: TournamentTotals) -> TournamentTotals:
    populations = [
        replace(each, deals=2 * each.deals, totals=2 * each.totals, products=2 * each.products)
        for each in played.deals.populations
    ]
    tallies = {seating: tally + tally for seating, tally in played.tallies.items()}
    return replace(played, tallies=tallies, deals=DealSums(tuple(populations)))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_twice_the_games_have_half_the_variance(seats: int) -> None:
    truth = Truth([1, 0.5, 0, -1], [0.2, *[0] * (seats - 1)], 0.4)
    played = truth.played(50, np.random.default_rng(7))
    once, twice = rate(played), rate(doubled(played))
    assert twice.elo == once.elo
    bessel = (50 / 49) / (100 / 99)
    assert 2 * bessel * twice.covariance == pytest.approx(once.covariance)


@pytest.mark.parametrize("seed", range(5))
def test_identical_bots_rate_equal_to_the_last_digit(seed: int) -> None:
    """Twins play the same in every deal: whoever of them sits there, wins."""
    rng = np.random.default_rng(seed)
    three = Truth([1, 0, -1], [0.2, -0.2], 0.5).run(40, rng)
    run: dict[Group, Any] = {
        (0, 2): three[0, 1],
        (1, 2): three[0, 1],
        (0, 3): three[0, 2],
        (1, 3): three[0, 2],
        (2, 3): three[1, 2],
    }
    run[0, 1] = np.tile(rng.integers(1, 3, (40, 1)).astype(np.uint8), (1, 2))
    ratings = rate(results(4, 2, [run]))
    assert ratings.ratings[0] == ratings.ratings[1]
    assert ratings.superiority(0, 1) == 0.5
    assert len(set(ratings.elo)) == 3
    assert set(ratings.groups[0]) & set(ratings.groups[1])


def test_the_order_of_blocks_and_stretches_does_not_matter() -> None:
    truth, rng = Truth([1, 0, -1], [0.2, -0.2]), np.random.default_rng(1)
    runs = [truth.run(20, rng), replace(truth, lineups=[(0, 1)]).run(30, rng)]
    assert rate(results(3, 2, runs)).ratings == rate(results(3, 2, runs[::-1])).ratings


# --- what has no plain answer -------------------------------------------------------------------


def sweep(deals: int, groups: Mapping[Group, int], players: int = 2) -> Run:
    """Deals in which the bot with that number wins every game of the group."""
    return {
        group: np.array(
            [[1 << seating.index(winner) for seating in seatings_of(group)]] * deals, np.uint8
        )
        for group, winner in groups.items()
    }


def test_who_won_everything_is_far_ahead_and_said_to_be_at_the_bound() -> None:
    rng = np.random.default_rng(1)
    ratings = rate(Truth([40, 0.3, 0], [0.1, -0.1]).played(100, rng))
    assert ratings.at_bound == ratings.labels[Label.ONE_SIDED] == (0,)
    assert ratings.high[0] is None
    assert ratings.low[0] is not None
    assert ratings.low[0] > ratings.elo[1]
    assert ratings.low[1] is not None
    assert (ratings.errors[0] or 0) > 150
    assert (ratings.difference(1, 2).ahead.error or 0) < 60  # type: ignore[union-attr]


def test_half_a_win_is_added_for_two_bots() -> None:
    ratings = rate(results(2, 2, [sweep(100, {(0, 1): 0})]))
    assert ratings.at_bound == (0, 1)
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(ELO * log(200.5 / 0.5))
    assert ratings.low[1] is ratings.high[0] is None
    found = ratings.difference(0, 1)
    assert found is not None
    assert found.ahead.error == pytest.approx(ELO * 2**0.5, rel=0.01)
    assert 0.99 < found.superiority <= 1


def test_who_won_nothing_is_far_behind_and_said_to_be_at_the_bound() -> None:
    ratings = rate(Truth([0, 0.2, -40, 0], [0.1, 0, -0.1]).played(60, np.random.default_rng(2)))
    assert ratings.at_bound == (2,)
    assert ratings.low[2] is None
    assert ratings.high[2] is not None
    assert min(ratings.elo) == ratings.elo[2]


def test_a_seat_that_always_wins_is_said_to_be_at_the_bound() -> None:
    ratings = rate(Truth([0.1, 0, -0.1], [40, 0]).played(50, np.random.default_rng(3)))
    assert Label.SEATS_ONE_SIDED in ratings.labels
    assert ratings.first_seat is not None
    assert 500 < ratings.first_seat.points < 2500
    assert (ratings.first_seat.error or 0) > 100
    assert ratings.elo == pytest.approx([1500] * 3)


def test_strength_and_seat_can_be_at_the_bound_together() -> None:
    """The stronger always wins in the first seat, and sometimes in the second."""
    rng = np.random.default_rng(4)
    second = rng.integers(1, 3, 40).astype(np.uint8)
    games = np.stack([np.ones(40, np.uint8), second], axis=1)
    ratings = rate(results(3, 2, [{(0, 1): games, (0, 2): games}]))
    assert Label.SEATS_ONE_SIDED in ratings.labels
    assert all(isfinite(elo) for elo in ratings.elo)


@pytest.mark.parametrize("anchor", [{}, {"bot0": 1700.0}, {"bot1": 1200.0}])
def test_the_elo_of_two_bots_is_that_of_the_score(anchor: dict[str, float]) -> None:
    """Whatever the seats do, and without virtual games as long as each won something."""
    first = np.array([[1, 1]] * 27 + [[2, 1]] * 3, np.uint8)  # the first seat always, or hardly
    played = results(2, 2, [{(0, 1): first}], anchor=anchor)
    ratings, score = rate(played), scores(played)[0]
    assert score.mean == pytest.approx(0.45)
    ahead = ratings.difference(0, 1)
    assert ahead is not None
    low, points, high = (
        400 * log10(share / (1 - share))
        for share in (score.low or 0, score.mean or 0, score.high or 0)
    )
    found = ahead.ahead
    assert (found.low, found.points, found.high) == pytest.approx((low, points, high))
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(points)
    assert [ratings.elo[int(bot[3:])] for bot in anchor] == [*anchor.values()]
    assert anchor or sum(ratings.elo) == pytest.approx(3000)
    assert not {Label.SEATS_ONE_SIDED, Label.ONE_SIDED} & {*ratings.labels}
    behind = ratings.difference(1, 0)
    assert behind is not None
    assert (behind.ahead.low, behind.ahead.high) == pytest.approx((-high, -low))
    assert ratings.lead_over_others(1) == behind.ahead


def test_the_even_score_of_each_field_is_1500() -> None:
    truth = Truth([0.5, 1, 0, -1, 0, 2], [0.1, -0.1], lineups=[(0, 2), (1, 3), (1, 4), (3, 4)])
    ratings = rate(truth.played(80, np.random.default_rng(5)))
    assert ratings.fields == (0, 1, 0, 1, 1, 5)
    assert sum(ratings.elo[bot] for bot in (0, 2)) == pytest.approx(3000)
    odds = [10 ** ((ratings.elo[bot] - 1500) / 400) for bot in (1, 3, 4)]
    assert sum(odd / (1 + odd) for odd in odds) == pytest.approx(1.5)
    assert ratings.elo[5] == 1500
    assert ratings.superiority(0, 1) is None
    assert ratings.difference(0, 1) is None
    assert ratings.labels[Label.NO_GAMES] == (5,)
    assert ratings.labels[Label.FIELDS] == (0, 1, 2, 3, 4)
    assert not set(ratings.groups[0]) & set(ratings.groups[1])


def test_an_anchor_holds_its_field() -> None:
    truth = Truth([0.5, 1, 0, -1], [0.1, -0.1], lineups=[(0, 1), (1, 2), (0, 2)])
    rng = np.random.default_rng(6)
    ratings = rate(truth.played(80, rng, anchor={"bot1": 1700.0}))
    assert ratings.elo[1] == 1700
    assert ratings.errors[1] == 0
    assert ratings.low[1] == ratings.high[1] == 1700
    assert (ratings.errors[0] or 0) > 0
    assert ratings.elo[3] == 1500


def test_a_long_circle_of_winners_needs_no_virtual_games() -> None:
    circle = {tuple(sorted((bot, (bot + 1) % 9))): bot for bot in range(9)}
    ratings = rate(results(9, 2, [sweep(7, circle)]))
    assert not ratings.regularised
    assert ratings.elo == pytest.approx([1500] * 9)
    broken = rate(results(9, 2, [sweep(7, {**circle, (0, 8): 0})]))
    assert broken.at_bound == tuple(range(9))


def test_one_seating_alone_does_not_tell_the_seats() -> None:
    ratings = rate(told({(0, 1): won(3, 1)}, 2))
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(400 * log(3, 10))
    assert Label.SEATS_UNKNOWN in ratings.labels
    assert ratings.first_seat is not None
    assert (ratings.first_seat.points, ratings.first_seat.error) == (0, None)


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("bots", [1, 2, 5])
def test_no_games_are_no_differences(bots: int, players: int) -> None:
    ratings = rate(results(bots, players, []))
    assert ratings.elo == (1500,) * bots
    assert not ratings.regularised
    check(ratings)


def test_a_bot_alone_is_average() -> None:
    run: Run = {(bot,): np.ones((9, 1), np.uint8) for bot in range(2)}
    ratings = rate(results(2, 1, [run]))
    assert ratings.elo == (1500, 1500)
    assert Label.ALONE in ratings.labels
    check(ratings)


def test_the_one_deal_of_one_lineup_has_no_error() -> None:
    ratings = rate(Truth([0.5, 0], [0.1, -0.1]).played(1, np.random.default_rng(8)))
    assert ratings.errors == ratings.low == ratings.high == (None,) * 2
    assert ratings.labels[Label.FEW_DEALS] == (0, 1)
    assert set(ratings.ranks) == {(1, 2)}


def test_one_deal_of_several_lineups_has_the_error_of_what_the_model_expects() -> None:
    """They differ from each other, if not from a mean of their own: the error is not 0."""
    truth, rng = Truth([0.0] * 6, [0.1, -0.1], 0.5), np.random.default_rng(8)
    rated = [rate(truth.played(1, rng)) for _ in range(60)]
    for ratings in rated:
        assert Label.FEW_DEALS not in ratings.labels
        assert all(error and error > 10 for error in ratings.errors)
    ends = [end for ratings in rated for end in zip(ratings.low, ratings.high, strict=True)]
    held = [(low or 0) <= 1500 <= (high or 9e9) for low, high in ends]
    assert np.mean(held) > 0.93


def test_equal_deals_have_the_error_that_their_number_allows() -> None:
    """Each wins in the first seat: all deals are the same."""
    run: Run = {(0, 1): np.array([[1, 2]] * 20 + [[2, 1]] * 20, np.uint8)}
    both = rate(results(2, 2, [run]))
    assert Label.SAME_DEALS not in both.labels
    even = np.array([[3, 3]] * 40, np.uint8)
    same = rate(results(2, 2, [{(0, 1): even}]))
    assert same.labels[Label.SAME_DEALS] == (0, 1)
    assert same.elo == (1500, 1500)
    assert same.superiority(0, 1) == 0.5
    assert 0 < (same.errors[0] or 0) < 60


def even_score_of(ratings: Ratings, bots: list[int]) -> float:
    """The Elo of a player that would score half against these bots."""
    return ELO * float(even_score(np.array([ratings.elo[bot] for bot in bots]) / ELO)[0])


def check(ratings: Ratings) -> None:
    """Whatever was played, every number is one."""
    bots = len(ratings.bots)
    for points in (*ratings.ratings, *ratings.seats, *filter(None, [ratings.first_seat])):
        told = (points.points, points.error, points.low, points.high)
        assert all(number is None or isfinite(number) for number in told)
        assert points.low is None or points.low <= points.points + 1e-9
        assert points.high is None or points.points <= points.high + 1e-9
    assert np.isfinite(ratings.covariance).all()
    for one in range(bots):
        for other in range(bots):
            chance = ratings.superiority(one, other)
            assert chance is None or 0 <= chance <= 1
    for field in set(ratings.fields):
        members = [bot for bot in range(bots) if ratings.fields[bot] == field]
        assert even_score_of(ratings, members) == pytest.approx(1500, abs=1e-6)
    for (best, worst), signs in zip(ratings.ranks, ratings.groups, strict=True):
        assert 1 <= best <= worst <= bots
        assert signs


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    seats=st.integers(1, 4),
    deals=st.sampled_from([1, 2, 3, 30]),
    far=st.sampled_from([0.0, 1.0, 10.0, 50.0]),
    kept=st.sampled_from([0.3, 0.7, 1.0]),
    shared=st.sampled_from([0.0, 0.5, 1.0]),
    unfinished=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_no_games_whatever_give_a_rating_without_bounds(
    seed: int, seats: int, deals: int, far: float, kept: float, shared: float, unfinished: float
) -> None:
    rng = np.random.default_rng(seed)
    groups = [group for group in combinations(range(5), seats) if rng.random() < kept]
    strengths, effects = far * rng.normal(size=5), far * rng.normal(size=seats)
    truth = Truth(strengths.tolist(), effects.tolist(), shared, unfinished, groups)
    part = replace(truth, lineups=groups[: len(groups) // 2])
    ratings = rate(results(5, seats, [truth.run(deals, rng), part.run(2, rng)]))
    check(ratings)
    assert all(abs(elo) < 1e5 for elo in ratings.elo)


HUGE: list[Wins] = [
    {(0, 1): (10**9, 0)},
    {
        **{(0, 1, 3): (0, 0, 1 / 60), (0, 2, 5): (0, 1 / 60, 1e9)},
        **{(1, 2, 6): (5, 5, 0), (1, 3, 5): (0, 1000, 0)},
    },
    {
        **{(0, 2, 4): (1 / 60, 1e12, 0), (0, 3, 4): (0, 0, 1), (0, 3, 5): (1, 0, 0)},
        **{(1, 2, 4): (0, 0, 1 / 60), (1, 3, 5): (1 / 60, 0, 1)},
        **{(2, 3, 5): (0, 1e12, 1e12), (2, 4, 5): (0, 1, 0)},
    },
]


@pytest.mark.parametrize("wins", HUGE)
def test_newtons_equations_stay_regular(wins: Wins) -> None:
    """Games that numbers of sixteen digits cannot weigh against each other."""
    assert np.isfinite(fit(counted(7, wins)).parameters).all()


@pytest.mark.parametrize(
    "wins",
    [
        {
            **{(0, 1): (10000, 2), (0, 2): (0, 10), (0, 3): (0, 1), (0, 4): (1, 0)},
            **{(1, 2): (0, 1), (1, 3): (1, 2), (1, 4): (2, 1000), (2, 3): (10, 10000)},
            **{(2, 4): (1, 10000), (3, 4): (2, 2)},
        },
        {
            **{(0, 1): (10**4, 10**4), (0, 2): (1, 1000), (0, 3): (2, 10**8)},
            **{(1, 2): (1000, 10**8), (1, 3): (0, 10), (2, 3): (10**4, 10**8)},
        },
    ],
)
def test_newton_does_not_diverge_where_its_first_steps_leap_too_far(wins: Wins) -> None:
    bots = 1 + max(bot for group in wins for bot in group)
    strengths = fit(counted(bots, wins)).strengths
    odds = np.exp(strengths)
    for bot in range(bots):
        expected = sum(
            sum(shares) * odds[bot] / odds[list(group)].sum()
            for group, shares in wins.items()
            if bot in group
        )
        found = sum(shares[group.index(bot)] for group, shares in wins.items() if bot in group)
        assert expected == pytest.approx(found, rel=1e-9)
