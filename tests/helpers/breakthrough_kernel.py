"""Breakthrough with a kernel beside its state: a row of cells, then the turn and the winner + 1."""

from functools import cache
from typing import Any

from cantstop_arena.deals.payoff import Payoff
from cantstop_arena.games import Kernel
from helpers.breakthrough import Breakthrough, Rules

PLACES = 64
TURN, WINNER, SIZE = range(PLACES, PLACES + 3)


def setup(s, rules, players):
    size, rows = rules[0], rules[1]
    s[SIZE] = size
    for cell in range(size * rows):
        s[cell], s[size * size - 1 - cell] = 1, 2


def who(s):
    return -4 if s[WINNER] else s[TURN] % 2


def target(s, number):
    ahead = s[SIZE] if s[TURN] % 2 == 0 else -s[SIZE]
    return number // 3 + ahead + number % 3 - 1


def legal(s, out):
    size, own, count = s[SIZE], s[TURN] % 2 + 1, 0
    for number in range(3 * size * size):
        if s[number // 3] != own:
            continue
        column = number // 3 % size + number % 3 - 1
        if not 0 <= column < size:
            continue
        other = s[target(s, number)]
        if other == 0 or (other != own and number % 3 != 1):
            out[count] = number
            count += 1
    return count


def act(s, number):
    size, seat = s[SIZE], s[TURN] % 2
    cell = target(s, number)
    s[number // 3], s[cell] = 0, seat + 1
    s[TURN] += 1
    others = 0
    for place in range(size * size):
        others += s[place] == 2 - seat
    if cell // size == (size - 1 if seat == 0 else 0) or others == 0:
        s[WINNER] = seat + 1


def observe(s, seat, out):
    for cell in range(s[SIZE] * s[SIZE]):
        out[cell] = 0 if s[cell] == 0 else 1 if s[cell] == seat + 1 else 2


def payoffs(s, out):
    for seat in range(2):
        out[seat] = 1 if s[WINNER] == seat + 1 else -1


@cache
def kernel_of(size: int) -> Kernel:
    """The kernel for a length of a side, whose view has as many cells."""
    return Kernel(
        size=PLACES + 3,
        widest=3 * PLACES,
        seen=PLACES,
        setup=setup,
        who=who,
        legal=legal,
        act=act,
        observe=observe,
        payoffs=payoffs,
        view={"cells": slice(0, size * size)},
    )


class KernelBreakthrough(Breakthrough):
    """The same game, from the kernel alone."""

    name = "breakthrough_kernel"
    state = None  # type: ignore[assignment]  # the kernel's
    payoff = Payoff("game", low=-1, high=1, zero_sum=True)

    def kernel(self, rules: Rules, players: int) -> Kernel:
        return kernel_of(rules.size)


class BothBreakthrough(Breakthrough):
    """The same game with a state of its own and the kernel."""

    name = "breakthrough_both"

    def kernel(self, rules: Any, players: int) -> Kernel:
        return kernel_of(rules.size)
