"""The loop in machine code that plays a kernel's games with compiled bots."""

from __future__ import annotations

from types import FunctionType, SimpleNamespace
from typing import Any

import numba
import numpy as np
from numba import types

from cantstop_arena.errors import BotError
from cantstop_arena.native.bot_compiler import caller, errors_of_bot, register_function
from cantstop_arena.native.compile_errors import BotWording
from cantstop_arena.native.decorators import compiled_for
from cantstop_arena.native.kernel_code import (
    ANSWER,
    BAD_OPENING,
    CHANCE,
    ENDLESS,
    FUNCTIONS,
    LOOP_ARGUMENTS,
    MOVES,
    NO_ACTION,
    NO_OUTCOME,
    NO_SEAT,
    OVER,
    SEAT,
    STREAM,
    RulesOfKernel,
    Slots,
)
from cantstop_arena.native.numba_store import INLINE
from cantstop_arena.native.object_files import Compiled

DECIDE = types.int64(types.int64)
"""A bot's decision: the index of an action, given the address of the workspace."""
_CHECKED = {"boundscheck": True}

# Arithmetic of the streams is in uint64 throughout: with int64 it would become float64.
_ONE, _LAST = np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_GOLDEN, _MIX_1, _MIX_2 = map(
    np.uint64, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
_S27, _S30, _S31 = map(np.uint64, (27, 30, 31))


@numba.njit(**INLINE)
def number_at(key, count):
    """As `game_api.streams.number_at`."""
    word = key + _GOLDEN * count
    word = (word ^ word >> _S30) * _MIX_1
    word = (word ^ word >> _S27) * _MIX_2
    return word ^ word >> _S31


@numba.njit(**INLINE)
def _first_below(key, bound):
    """The first number of `Stream.below` of the stream with this key."""
    limit, count = np.uint64(bound), np.uint64(0)
    while True:
        count += _ONE
        word = number_at(key, count)
        remainder = word % limit
        if word - remainder <= _LAST - limit + _ONE:
            return np.int64(remainder)


@numba.njit(**INLINE)
def _contains(numbers, count, number):
    """Whether a number is among the first of some numbers."""
    is_member = False
    for cell in range(count):
        is_member |= numbers[cell] == number
    return is_member


_decide = caller(DECIDE)


@numba.njit(**INLINE)
def _nothing(state):
    """Stands for a function of chance in a game without."""
    return 0


def loop_of(kernel: RulesOfKernel, slots: Slots) -> Any:
    """The function that plays games in the order of a block, from `start` on.

    Arguments are the numbers that other processes watch; rows for the state, the payoffs and the
    workspace, of which `eyes` and `moves` are parts; the rules; the addresses of the bots by
    position in the group; the positions by seat, a row for each order; for each game the payoffs
    and counts of decisions by seat, and whether anything was drawn; for each deal and order its
    opening, followed by -1, and the keys of chance and of each seat's bot; for each seat the key
    and count of its stream; the numbers of the first game and the end, and the most decisions.

    It returns the number of the next game. That has a fault if it is not the end: of the bot, whose
    answer is on the workspace, or, if the number is negative, of the game: -1 - its number.
    """
    functions: Any = (kernel.functions[name] or _nothing for name in FUNCTIONS)
    setup, who, legal, act, observe, payoffs_of, outcomes, name = functions

    def play(
        watched, state, got, workspace, eyes, moves, rules, addresses, orders, payoffs, decisions,
        openings, keys, streams, start, stop, max_decisions,
    ):  # fmt: skip
        players, size = len(got), len(state)
        workspace_at, streams_at = np.int64(workspace.ctypes.data), np.int64(streams.ctypes.data)
        for cursor in range(start, stop):
            game = cursor - start
            order = cursor % len(orders)
            dice = cursor - start // len(orders) * len(orders)  # a row of openings and keys
            watched[slots.cursor] = cursor
            watched[slots.mark] = slots.game
            for seat in range(players):
                watched[slots.positions + seat] = orders[order, seat]
                streams[seat, 0], streams[seat, 1] = keys[dice, 1 + seat], 0
                got[seat] = 0
            for cell in range(size):
                state[cell] = 0
            setup(state, rules, players)
            count, opening, has_draws = 0, 0, False
            while True:
                watched[slots.step] += 1
                seat = who(state)
                if seat == OVER:
                    if openings[dice, opening] >= 0:
                        workspace[ANSWER] = BAD_OPENING
                        return -1 - cursor
                    break
                if seat == CHANCE:
                    bound = outcomes(state)
                    if bound < 1:
                        workspace[ANSWER] = NO_OUTCOME
                        return -1 - cursor
                    key = number_at(keys[dice, 0], np.uint64(name(state) + 1))
                    act(state, _first_below(key, bound))
                    has_draws = True
                    continue
                if not 0 <= seat < players:
                    workspace[ANSWER] = NO_SEAT
                    return -1 - cursor
                legal_count = legal(state, moves)
                if legal_count < 1:
                    workspace[ANSWER] = NO_ACTION
                    return -1 - cursor
                if openings[dice, opening] >= 0:
                    number = openings[dice, opening]
                    opening += 1
                    if not _contains(moves, legal_count, number):
                        workspace[ANSWER] = BAD_OPENING
                        return -1 - cursor
                    act(state, number)
                    continue
                for cell in range(len(eyes)):
                    eyes[cell] = 0
                observe(state, seat, eyes)
                workspace[SEAT], workspace[MOVES] = seat, legal_count
                workspace[STREAM] = streams_at + 16 * seat
                watched[slots.seat] = seat
                watched[slots.mark] = slots.bot
                answer = _decide(addresses[orders[order, seat]], workspace_at)
                watched[slots.mark] = slots.game
                if not 0 <= answer < legal_count:
                    workspace[ANSWER] = answer
                    return cursor
                decisions[game, seat] += 1
                count += 1
                if count > max_decisions:
                    workspace[ANSWER] = ENDLESS
                    return -1 - cursor
                act(state, moves[answer])
            payoffs_of(state, got)
            for seat in range(players):
                payoffs[game, seat] = got[seat]
                has_draws |= streams[seat, 1] > 0
            decisions[game, players] = has_draws
        watched[slots.mark] = slots.arena
        return stop

    return play


def compile_loop(kernel: RulesOfKernel, slots: Slots, game: str) -> list[Compiled]:
    """The machine code of the loop, as a list of one. Raises BotError if it does not compile."""
    with errors_of_bot(f"the kernel of {game}", _WORDING):
        for name, function in kernel.functions.items():
            if function is None:
                continue
            if not isinstance(function, FunctionType):
                raise BotError(f"{name} is no function of Python; it needs no decorator")
            register_function(function, _CHECKED)
        play = SimpleNamespace(py_func=loop_of(kernel, slots))
        return [compiled_for(play, LOOP_ARGUMENTS)]


_WORDING = BotWording(types=(), decisions=(), hint=lambda type_name, attribute: "")
