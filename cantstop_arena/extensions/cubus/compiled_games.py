"""The games of compiled bots: the row that their machine code shares, and the calls of it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.cubus.builds.cards import Cards
from cantstop_arena.extensions.cubus.chance import CubusKeys
from cantstop_arena.extensions.cubus.counts import GameCounts, SeatCounts
from cantstop_arena.extensions.cubus.engine import bot_row as at
from cantstop_arena.extensions.cubus.engine.bound import best_value
from cantstop_arena.extensions.cubus.engine.entry_points import kernel
from cantstop_arena.extensions.cubus.engine.library import library
from cantstop_arena.extensions.cubus.engine.text_order import ORDER
from cantstop_arena.extensions.cubus.nets.net_records import search_arrays
from cantstop_arena.extensions.cubus.rules import RuleSet
from cantstop_arena.game_api.kernel_spec import numbers_of, parameters_of
from cantstop_arena.native.kernel_code import PLAYERS, RULES, KernelWorkspace, NamedNumbers

Numbers = NDArray[np.int64]
_FUNCTIONS = {
    at.NEXT_OPTION: "next_option",
    at.CHOOSE: "choose",
    at.CHOOSE_NEARBY: "choose_nearby",
}
_LIBRARY = (at.MASKS, at.HEIGHTS, at.RANKS, at.BY_RANK, at.GROUPS, at.LEVELS)
_ANSWER = "None or what view.choose() or view.choose_nearby() returns"


class CountedGames(NamedTuple):
    """Counts of games: [game, seat, field of SeatCounts] and [game, field of GameCounts]."""

    seats: Numbers
    games: Numbers


class CubusMachineCode(NamedTuple):
    """The addresses of a bot's functions; `knock` is 0 if it never knocks.

    `net` is champion's, as an array of one record, `owners` what holds the machine code in memory.
    """

    build: int
    knock: int = 0
    net: Any = None
    owners: Sequence[Any] = ()


class WatchedNumbers(NamedTuple):
    """Numbers that other processes read: `slots` are the places of the cursor, the seat, the mark,
    the step and the positions, `marks` those of the arena, of a build and of a knock."""

    numbers: Any
    slots: Sequence[int]
    marks: Sequence[int]


def plays(rules: RuleSet) -> bool:
    """Whether the kernel can play these rules."""
    return not (rules.take_down or rules.ending != "none" or rules.duty == "strict")


def workspace(rules: RuleSet, players: int) -> KernelWorkspace:
    """What a compiled bot sees."""
    hands = [NamedNumbers(Cards, at.HANDS - at.VIEW + 4 * seat) for seat in range(players)]
    view: Mapping[str, Any] = {
        "turn": at.TURN - at.VIEW,
        "owner": at.OWNER - at.VIEW,
        "deck": at.DECK - at.VIEW,
        "passes": at.PASSES - at.VIEW,
        "hand": NamedNumbers(Cards, at.HAND - at.VIEW),
        "unseen": NamedNumbers(Cards, at.UNSEEN - at.VIEW),
        "scores": slice(at.SCORES - at.VIEW, at.SCORES - at.VIEW + players),
        "hands": hands,
    }
    methods = "cantstop_arena.extensions.cubus.engine.bot_methods"
    return KernelWorkspace(parameters_of(rules), at.VALUE - at.VIEW, 0, view, methods, _ANSWER)


class CompiledGames:
    """The games of some rules and number of seats."""

    def __init__(self, rules: RuleSet, players: int, watched: WatchedNumbers) -> None:
        self.watched = watched
        self._players = players
        self._row = np.zeros(at.SIZE, np.int64)
        self._row[PLAYERS] = players
        self._arrays: dict[int, Any] = {}  # by the place of their address
        self._search: Sequence[Any] = ()  # the arrays of champion's
        self._set_rules(rules)
        self._point(at.WATCHED, np.frombuffer(watched.numbers, np.int64))
        self._set(at.SLOTS, watched.slots)
        self._set(at.MARKS, watched.marks)
        for place, name in _FUNCTIONS.items():
            self._row[place] = kernel().addresses[name]

    def _set_rules(self, rules: RuleSet) -> None:
        cards = rules.lids - 1, rules.open, rules.left - 1, rules.right - 1
        self._set(RULES, numbers_of(rules))
        self._set(at.RULE_CARDS, cards)
        self._row[at.DECK_SIZE] = sum(cards)
        self._row[at.FREE_SWAP] = rules.swap == "free"
        self._row[at.MORE_CRATES] = rules.more_crates
        self._row[at.KNOCK] = rules.duty == "knock"
        piles = library(rules.box)
        for place, array in zip(_LIBRARY, piles, strict=True):
            self._point(place, array)
        self._row[at.PILE_COUNT], self._row[at.GROUP_COUNT] = len(piles.masks), len(piles.groups)
        self._point(at.TEXT_RANKS, np.array(ORDER, np.int64))
        self._point(at.BEST_VALUES, np.ascontiguousarray(best_value(), np.int64))

    def _set(self, place: int, numbers: Sequence[int]) -> None:
        self._row[place : place + len(numbers)] = numbers

    def _point(self, place: int, array: Any) -> None:
        """Set the address of an array, which is held meanwhile."""
        self._arrays[place] = array
        self._row[place] = array.ctypes.data

    def play(
        self,
        bots: Sequence[CubusMachineCode],
        lineups: Sequence[Sequence[int]],
        keys: Sequence[CubusKeys],
        first: int = 0,
    ) -> tuple[int, CountedGames, Exception | None]:
        """Play a game for each set of keys; `lineups` are the bots of each by seat.

        `first` is the number of the first game in its block. Returns how many were played, their
        counts, and what a bot has raised in the next: None for a wrong answer.
        """
        count = len(keys)
        counted = CountedGames(
            np.zeros((count, self._players, len(SeatCounts._fields)), np.int64),
            np.zeros((count, len(GameCounts._fields)), np.int64),
        )
        rows = [(key.deck, key.knocks, *key.bots) for key in keys]
        self._point(at.GAME_KEYS, np.array(rows, np.uint64).reshape(count, self._players + 2))
        self._point(at.LINEUPS, np.array(lineups, np.int64).reshape(count, self._players))
        self._point(at.SEAT_COUNTS, counted.seats)
        self._point(at.GAME_COUNTS, counted.games)
        self._point(at.BOTS, self._functions(bots))
        self._row[at.GAMES], self._row[at.FIRST] = count, first
        try:
            return kernel().play(self._row.ctypes.data), counted, None
        except Exception as error:  # of a bot's machine code
            return int(self.watched.numbers[self.watched.slots[0]]) - first, counted, error

    def _functions(self, bots: Sequence[CubusMachineCode]) -> Numbers:
        table = np.zeros((max(len(bots), at.MAX_SEATS), at.BOT_COLUMNS), np.int64)
        for position, bot in enumerate(bots):
            net = 0 if bot.net is None else bot.net.ctypes.data
            table[position] = bot.build, bot.knock, net
            if net and at.WORKSPACE not in self._arrays:
                self._search = search_arrays()
                self._point(at.WORKSPACE, np.array([array.ctypes.data for array in self._search]))
        return table
