"""Luck removed: its mean is 0 by the exact odds, and what it is taken from keeps its mean."""

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from conftest import Tables
from helpers.arena import Arena
from helpers.finished import Finished
from helpers.simulated import results, seatings_of
from msgspec.structs import replace

from cantstop_arena.deals.control_variate import MIN_DEALS, correction
from cantstop_arena.deals.outcomes import Block, Luck, TournamentTotals
from cantstop_arena.deals.sampling import Bytes, DealSums, Ints, gather_deals, wins_by_deal
from cantstop_arena.deals.seatings import standard_orders
from cantstop_arena.deals.winners import WIN_UNITS
from cantstop_arena.games.cantstop.dice_odds import all_rolls, pairings, success_count
from cantstop_arena.games.cantstop.engine import luck
from cantstop_arena.games.cantstop.engine.game_array import BUST, MOVE, ROLL
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, RuleSet
from cantstop_arena.ratings.elo import rate
from cantstop_arena.ratings.model.evidence import Floats
from cantstop_arena.ratings.model.luce import ELO

RULES = [CLASSIC, NAMED["korean"][0]]


def rolls_of(table: EngineTable, seats: tuple[int, ...], deal: int) -> Iterator[None]:
    """Plays a game; stops after each roll, before anything is moved."""
    table.start(seats, deal)
    yield from (None for stop in table.watched_stops() if stop == ROLL)


def columns(mask: int) -> list[int]:
    return [column for column in range(2, 13) if mask >> column & 1]


def at_stake(table: EngineTable) -> Fraction:
    """The progress of the turn, in columns."""
    game = table.games[0]
    return sum(
        (
            Fraction(
                int(game.runners[column] - game.markers[game.seat, column]),
                int(game.lengths[column]),
            )
            for column in columns(int(game.placed))
        ),
        Fraction(),
    )


def chance_to_bust(table: EngineTable) -> Fraction:
    """By counting, as bots do that look the odds up."""
    game = table.games[0]
    placed, claimed, topped = (
        columns(int(mask)) for mask in (game.placed, game.claimed, game.topped)
    )
    moving = [column for column in placed if column not in topped]
    return 1 - Fraction(success_count(table.rules, moving, claimed, topped), 6**4)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_over_all_rolls_of_the_dice_luck_adds_up_to_nothing(tables: Tables, rules: RuleSet) -> None:
    table = tables.of(rules, ["plain rule28", "plain cautious", "plain odds"], 3)
    game, some = table.games[0], 0
    for number, _ in enumerate(rolls_of(table, (0, 1, 2), 4)):
        if number % 9:
            continue
        seat_luck, usable = np.zeros(3, np.int64), game.board & ~(game.claimed | game.topped)
        usable = usable if game.free else usable & game.placed
        waiting = game.waiting
        for dice in all_rolls(6):
            moves = any(usable >> column & 1 for pair in pairings(dice) for column in pair)
            game.waiting = MOVE if moves else BUST
            luck.score_roll(table.handle, seat_luck)
            assert seat_luck.sum() == 0
            some += bool(seat_luck.any())
        game.waiting = waiting
        assert not seat_luck.any()
    assert some


@pytest.mark.parametrize("bots", [["rule28", "odds"], ["plain rule28", "plain odds"]])
def test_what_is_kept_of_a_deal_is_the_luck_of_its_rolls(tables: Tables, bots: list[str]) -> None:
    table = tables.of(CLASSIC, bots, 2)
    wanted = np.zeros((6, 4))
    for deal in range(6):
        for seats in table.orders:
            for _ in rolls_of(table, seats, deal):
                seat, busted = int(table.games[0].seat), table.games[0].waiting == BUST
                found = float(at_stake(table) * (chance_to_bust(table) - busted))
                for other in range(2):
                    sign = 1 if other == seat else -1
                    wanted[deal, [seats[other], 2 + other]] += sign * found
    table.scores_luck = True
    try:
        result = table.play(Block((0, 1), 0, 6))
    finally:
        table.scores_luck = False
    kept = np.frombuffer(result.measures, "<i4").reshape(6, -1)[:, -4:]
    assert kept == pytest.approx(1e6 * wanted, abs=1)


# Wins and luck made up ------------------------------------------------------------------------


ORDERS = standard_orders(2)


def made_up(deals: int, rng: np.random.Generator) -> tuple[Bytes, Ints]:
    """The winners of a pair's deals, and luck that goes along with them."""
    chance = rng.normal(size=(deals, 1))
    ahead = 0.3 + chance + rng.normal(size=(deals, 2))
    first = np.column_stack([ahead[:, 0] > 0, ahead[:, 1] <= 0])
    winners = np.where(first, 1, 2).astype(np.uint8)
    units = np.rint(1e5 * chance).astype(np.int64)
    return winners, np.concatenate([units, -units, 0 * units, 0 * units], axis=1)


def removed(winners: Bytes, luck: Ints) -> DealSums:
    """A pair's deals without luck."""
    block = ((0, 1), 0, winners, luck)
    return gather_deals(
        2, ORDERS, {(0, 1): [(0, len(winners))]}, lambda *_: [block], correction(ORDERS, [block])
    )


def test_coefficients_are_those_of_the_other_half_of_the_deals() -> None:
    winners, luck = made_up(400, np.random.default_rng(1))
    before = correction(ORDERS, [((0, 1), 0, winners, luck)])
    luck[::2] *= 3
    winners[::2] = 1
    after = correction(ORDERS, [((0, 1), 0, winners, luck)])
    assert after.coefficients[0, 1][0] == before.coefficients[0, 1][0] > 0
    assert after.coefficients[0, 1][1] != before.coefficients[0, 1][1]
    few = correction(ORDERS, [((0, 1), 0, winners[: 2 * MIN_DEALS - 1], luck[:49])])
    assert not few.coefficients[0, 1][0]


def test_rounding_adds_up_to_nothing_and_nothing_is_won_by_nobody() -> None:
    found = correction(ORDERS, [((0, 1), 0, *made_up(400, np.random.default_rng(2)))])
    _, luck = made_up(5000, np.random.default_rng(3))
    parts = found((0, 1), 7, luck)
    wanted = -found.coefficients[0, 1][np.arange(7, 5007) % 2, None] * luck
    assert abs((parts - wanted).sum(axis=0)).max() < 25
    assert abs(parts - wanted).max() < 1.01
    assert not (parts[:, 0] + parts[:, 1]).any()


def test_the_mean_stays_and_the_intervals_hold_it() -> None:
    """Of 400 tournaments of 100 deals; the truth is read from 400,000 deals."""
    rng = np.random.default_rng(4)
    truth = wins_by_deal(made_up(400_000, rng)[0], ORDERS)[:, 0].mean() / (2 * WIN_UNITS)
    means, variances, plain = [], [], []
    for _ in range(400):
        winners, luck = made_up(100, rng)
        (deal_range,) = removed(winners, luck).ranges
        mean = deal_range.totals[0] / 100
        variance = (deal_range.products[0, 0] / 100 - mean**2) / 99
        means.append(mean / (2 * WIN_UNITS))
        variances.append(variance / (2 * WIN_UNITS) ** 2)
        plain.append(wins_by_deal(winners, ORDERS)[:, 0].mean() / (2 * WIN_UNITS))
    error = np.std(means) / 20
    assert abs(np.mean(means) - truth) < 3 * error
    assert np.var(means) < 0.7 * np.var(plain)
    held = np.abs(np.array(means) - truth) < 1.984 * np.sqrt(variances)
    assert 0.92 <= held.mean() <= 0.98


def test_luck_of_another_kind_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    winners, _ = made_up(2000, rng)
    _, luck = made_up(2000, rng)
    found = correction(ORDERS, [((0, 1), 0, winners, luck)])
    assert not found.coefficients[0, 1].any()


def test_nobody_is_left_with_less_than_nothing() -> None:
    """Here luck and wins go together, but all were lucky, and few of them won."""
    winners = np.tile(np.array([2, 1], np.uint8), (400, 1))
    winners[::21] = [1, 2]
    luck = np.where(winners[:, :1] == [1], 10, 1) * np.array([1, -1, 0, 0])
    assert not correction(ORDERS, [((0, 1), 0, winners, luck)]).coefficients[0, 1].any()
    luck -= 3 * np.array([1, -1, 0, 0])
    assert correction(ORDERS, [((0, 1), 0, winners, luck)]).coefficients[0, 1].all()


# Runs -----------------------------------------------------------------------------------------

LUCKY = "games: 4000\nseed: 3\nluck_removed: true\nbots: [rule28, glenn-aloi, cautious]\n"
PLAIN = LUCKY.replace("luck_removed: true\n", "")


@pytest.fixture
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rated(arena: Arena, *words: str) -> dict[str, dict[str, float]]:
    told = arena("rate", "results/lucky", "--format", "json", *words, code=None)
    return {row["bot"]: row for row in json.loads(told.text)["standings"]["rows"]}


def width(row: dict[str, float], what: str) -> float:
    return row[f"{what}_high"] - row[f"{what}_low"]


def test_half_the_games_do_and_plain_tables_stay(
    arena: Arena, finished: Finished, in_tmp: Path
) -> None:
    told = finished.bring({"lucky.yaml": LUCKY}, "run", "lucky.yaml")
    assert "as narrow as those of about" in told
    calm, plain = rated(arena), rated(arena, "--plain")
    summary = json.loads(Path("results/lucky/summary.json").read_text())["luck_removed"]
    finished.bring({"lucky.yaml": PLAIN}, "run", "lucky.yaml")
    assert rated(arena) == plain
    ratios = [(width(plain[bot], "score") / width(calm[bot], "score")) ** 2 for bot in calm]
    assert min(ratios) > 1.3
    assert np.mean(ratios) == pytest.approx(summary["worth"], rel=0.05)
    assert all(width(calm[bot], "elo") < 0.9 * width(plain[bot], "elo") for bot in calm)
    for bot in calm:
        assert abs(calm[bot]["score"] - plain[bot]["score"]) < width(plain[bot], "score") / 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("game: cubus\nluck_removed: true\nbots: [greedy, eager]\n", "nothing scores it in cubus"),
        ("players: 1\nluck_removed: true\nbots: [odds, rule28]\n", "there is nothing to win"),
        ("luck_removed: 1\nbots: [odds, rule28]\n", "must be true or false, not 1"),
    ],
)
def test_where_luck_cannot_be_removed_that_is_said(
    arena: Arena, in_tmp: Path, text: str, why: str
) -> None:
    in_tmp.joinpath("no.yaml").write_text(text)
    told = arena("run", "no.yaml", code=2)
    assert why in told.output


def test_groups_of_three_share_luck_and_bad_luck(tables: Tables) -> None:
    table = tables.of(CLASSIC, ["rule28", "odds", "cautious"], 3)
    table.scores_luck = True
    try:
        result = table.play(Block((0, 1, 2), 0, 60))
    finally:
        table.scores_luck = False
    kept = np.frombuffer(result.measures, "<i4").reshape(60, -1)[:, -6:]
    assert abs(kept[:, :3].sum(axis=1)).max() <= 3
    assert kept[:, :3].any() and kept[:, 3:].any()
    winners = result.masks()
    assert len(list(seatings_of((0, 1, 2)))) == winners.shape[1]
    found = correction(standard_orders(3), [((0, 1, 2), 0, winners, kept)])
    assert not found((0, 1, 2), 0, kept)[:, :3].sum(axis=1).any()
    assert [*combinations(range(3), 3)] == [*found.coefficients]


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3])
def test_elo_without_luck_holds_the_truth_and_is_narrower(players: int) -> None:
    """In 100 tournaments by the model of the ratings, the noise of each seat being told as luck."""
    strengths, rng = np.array([0.5, 0.0, -0.5]), np.random.default_rng(players)
    held, narrower = [], []
    for _ in range(100):
        played, calm = told_luck(strengths, players, 150, rng)
        for found, before, true in zip(
            rate(calm).ratings, rate(played).ratings, 1500 + ELO * strengths, strict=True
        ):
            assert found.error is not None and before.error is not None
            assert found.low is not None and found.high is not None
            held.append(found.low <= true <= found.high)
            narrower.append(found.error / before.error)
    assert 0.91 <= np.mean(held) <= 0.985
    assert np.mean(narrower) < 0.85


def told_luck(
    strengths: Floats, players: int, deals: int, rng: np.random.Generator
) -> tuple[TournamentTotals, TournamentTotals]:
    """A simulated tournament, half of its noise the deals' own, and the same without luck."""
    orders, bots = standard_orders(players), len(strengths)
    common = rng.gumbel(size=(deals, players))
    run, blocks = {}, []
    for group in combinations(range(bots), players):
        kept = np.zeros((deals, 2 * players))
        winners = np.zeros((deals, len(orders)), np.uint8)
        for number, order in enumerate(orders):
            own = rng.gumbel(size=common.shape)
            noise = np.where(rng.random((deals, 1)) < 0.5, common, own)
            seated = strengths[[group[place] for place in order]]
            winners[:, number] = 1 << (noise + seated).argmax(axis=1)
            apart = noise - noise.mean(axis=1, keepdims=True)
            kept[:, players:] += apart
            kept[:, order] += apart
        run[group] = winners
        blocks.append((group, 0, winners, np.rint(1e5 * kept).astype(np.int64)))
    played, spans = results(bots, players, [run]), {group: [(0, deals)] for group in run}
    calm = gather_deals(bots, orders, spans, lambda *_: blocks, correction(orders, blocks))
    return played, replace(played, deals=calm, luck=Luck(played.deals, 2.0))
