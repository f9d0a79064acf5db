"""Luck removed: its mean is 0 by the exact odds, and what it is taken from keeps its mean."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from conftest import Tables
from helpers.simulated import seatings_of

from cantstop_arena.deals.control_variate import correction
from cantstop_arena.deals.outcomes import BY_STAKE, BY_VALUE, WIN_UNITS, Block
from cantstop_arena.deals.sampling import wins_by_deal
from cantstop_arena.deals.seatings import standard_orders
from cantstop_arena.games.cantstop.dice_odds import all_rolls, pairings, success_count
from cantstop_arena.games.cantstop.engine import luck
from cantstop_arena.games.cantstop.engine.game_array import BUST, MOVE, ROLL
from cantstop_arena.games.cantstop.engine.winning_chance import chances_of
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.play.engine_tally import LUCK_UNIT
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, RuleSet

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


@pytest.mark.slow
@pytest.mark.parametrize("measure", [BY_STAKE, BY_VALUE])
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_over_all_rolls_of_the_dice_luck_adds_up_to_nothing(
    tables: Tables, rules: RuleSet, measure: str
) -> None:
    players = 2 if measure == BY_VALUE else 3
    table = tables.of(rules, ["plain rule28", "plain cautious", "plain odds"][:players], players)
    game, some = table.games[0], 0
    chances = chances_of(game, measure == BY_VALUE)
    for number, _ in enumerate(rolls_of(table, (*range(players),), 4)):
        if number % 9:
            continue
        seat_luck, usable = np.zeros(players, np.int64), game.board & ~(game.claimed | game.topped)
        usable = usable if game.free else usable & game.placed
        waiting, offer, listed = game.waiting, game.offer, game.moves.copy()
        for roll, dice in enumerate(all_rolls(6)):
            moves = any(usable >> column & 1 for pair in pairings(dice) for column in pair)
            game.waiting, game.offer = MOVE if moves else BUST, game.offer_of[roll]
            luck.score_roll(table.handle, chances, seat_luck)
            assert seat_luck.sum() == 0
            some += bool(seat_luck.any())
        game.waiting, game.offer = waiting, offer
        game.moves[:] = listed
        assert not seat_luck.any()
    assert some


@pytest.mark.slow
def test_measuring_by_winning_chances_leaves_the_game_alone(tables: Tables) -> None:
    table = tables.of(CLASSIC, ["plain rule28", "plain odds"], 2)
    chances, some = chances_of(table.games[0], True), 0
    for _ in rolls_of(table, (0, 1), 4):
        game, seat_luck = table.games[0], np.zeros(2, np.int64)
        game.moves[game.move_count :] = 0  # what is there was written, and not listed
        before = game.tobytes()
        luck.score_roll(table.handle, chances, seat_luck)
        some += abs(int(seat_luck[0])) > LUCK_UNIT
        game.moves[game.move_count :] = 0
        assert game.tobytes() == before
    assert some > 20


@pytest.mark.slow
def test_winning_chances_explain_more_than_stakes(tables: Tables) -> None:
    """In games of bots of like strength, all of which are played."""
    worth = {}
    for measure in (BY_STAKE, BY_VALUE):
        table = tables.of(CLASSIC, ["rule28", "glenn-aloi"], 2)
        table.luck_measure = measure
        result = table.play(Block((0, 1), 0, 3000))
        kept = np.frombuffer(result.measures, "<i4").reshape(3000, -1)[:, -4:].astype(float)
        wins = wins_by_deal(result.masks(), table.orders)[:, 0] / WIN_UNITS
        worth[measure] = 1 / (1 - np.corrcoef(wins, kept[:, 0])[0, 1] ** 2)
        assert abs(kept[:, 0].mean()) < 4 * kept[:, 0].std() / 3000**0.5
    assert 1.4 < worth[BY_STAKE] < 1.8
    assert 1.9 < worth[BY_VALUE] < 2.6


@pytest.mark.slow
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
    table.luck_measure = BY_STAKE
    try:
        result = table.play(Block((0, 1), 0, 6))
    finally:
        table.luck_measure = ""
    kept = np.frombuffer(result.measures, "<i4").reshape(6, -1)[:, -4:]
    assert kept == pytest.approx(1e6 * wanted, abs=1)


def test_groups_of_three_share_luck_and_bad_luck(tables: Tables) -> None:
    table = tables.of(CLASSIC, ["rule28", "odds", "cautious"], 3)
    table.luck_measure = BY_STAKE
    try:
        result = table.play(Block((0, 1, 2), 0, 60))
    finally:
        table.luck_measure = ""
    kept = np.frombuffer(result.measures, "<i4").reshape(60, -1)[:, -6:]
    assert abs(kept[:, :3].sum(axis=1)).max() <= 3
    assert kept[:, :3].any() and kept[:, 3:].any()
    winners = result.masks()
    assert len(list(seatings_of((0, 1, 2)))) == winners.shape[1]
    found = correction(standard_orders(3), [((0, 1, 2), 0, winners, kept)])
    assert not found((0, 1, 2), 0, kept)[:, :3].sum(axis=1).any()
    assert [*combinations(range(3), 3)] == [*found.coefficients]
