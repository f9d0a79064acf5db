"""What was won in deals is looked up for several orders at once; here it is found game by game."""

import random

import numpy as np
import pytest

from cantstop_arena.deals.outcomes import win_units
from cantstop_arena.deals.sampling import wins_by_deal
from cantstop_arena.deals.seatings import MAX_SEATS, Orders, standard_orders

DEALS = 50


def won_game_by_game(masks: list[int], orders: Orders) -> list[int]:
    players = len(orders[0])
    won = [0] * (2 * players)
    for mask, order in zip(masks, orders, strict=True):
        winners = [seat for seat in range(players) if mask >> seat & 1]
        for seat in winners:
            won[order[seat]] += win_units(players) // len(winners)
            won[players + seat] += win_units(players) // len(winners)
    return won


@pytest.mark.parametrize("players", range(1, MAX_SEATS + 1))
def test_shares_are_what_each_game_brings(players: int) -> None:
    orders, chance = standard_orders(players), random.Random(players)
    masks = [[chance.randrange(1, 1 << players) for _ in orders] for _ in range(DEALS)]
    found = wins_by_deal(np.array(masks, np.uint8), orders)
    assert found.tolist() == [won_game_by_game(of_deal, orders) for of_deal in masks]
