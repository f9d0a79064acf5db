"""Orchard: each turn a die says how many fruits a player may pick, all of one tree.

Who picks the last fruit of a tree with the last pip of the die gets a bonus. When all trees are
bare, the most fruits win. The rules are a kernel: functions of a row of whole numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cantstop_arena import hookimpl
from cantstop_arena.games import Counts, Game, Kernel, RuleBook, View, decision, flag, whole

MOST_TREES, MOST_PLAYERS = 12, 4
TREES, BONUS, PLAYERS, TURN, DIE, POINTS = range(6)  # places in the row
FRUITS = POINTS + MOST_PLAYERS


@dataclass(frozen=True)
class Rules:
    """The number of trees, of fruits on each, and whether exact picks have a bonus."""

    name: str = "standard"
    trees: int = whole(6, 1, MOST_TREES)
    fruits: int = whole(9, 1, 20)
    bonus: bool = flag(True)


class OrchardView(View):
    """The die, the own points, those of the others in order of play, the fruits on each tree."""

    die: int
    points: int
    others: tuple[int, ...]
    fruits: tuple[int, ...]

    def features(self) -> Sequence[float]:
        """All of them, as parts of the most that is possible."""
        most = self.rules.trees * (self.rules.fruits + 3)
        points = [number / most for number in (self.points, *self.others)]
        return [self.die / 6, *points, *(number / self.rules.fruits for number in self.fruits)]


@decision
def pick(view: OrchardView, moves: Sequence[int]) -> int:  # type: ignore[empty-body]
    """Return the index of the tree to pick from."""


def setup(s, rules, players):
    s[TREES], s[BONUS], s[PLAYERS] = rules[0], 3 * rules[2], players
    for tree in range(s[TREES]):
        s[FRUITS + tree] = rules[1]


def fruits_left(s):
    left = 0
    for tree in range(s[TREES]):
        left += s[FRUITS + tree]
    return left


def who(s):
    if fruits_left(s) == 0:
        return -4
    return -1 if s[DIE] == 0 else s[TURN] % s[PLAYERS]


def legal(s, out):
    count = 0
    for tree in range(s[TREES]):
        if s[FRUITS + tree]:
            out[count] = tree
            count += 1
    return count


def act(s, number):
    if s[DIE] == 0:
        s[DIE] = number + 1
        return
    fruits, die = s[FRUITS + number], s[DIE]
    seat = s[TURN] % s[PLAYERS]
    s[POINTS + seat] += min(fruits, die) + (s[BONUS] if fruits == die else 0)
    s[FRUITS + number] = max(0, fruits - die)
    s[TURN] += 1
    s[DIE] = 0


def outcomes(s):
    return 6


def name(s):
    return s[TURN]


def observe(s, seat, out):
    out[0] = s[DIE]
    for other in range(s[PLAYERS]):
        out[1 + other] = s[POINTS + (seat + other) % s[PLAYERS]]
    for tree in range(MOST_TREES):
        out[1 + MOST_PLAYERS + tree] = s[FRUITS + tree]


def payoffs(s, out):
    for seat in range(s[PLAYERS]):
        out[seat] = s[POINTS + seat]


_FIRST_TREE = 1 + MOST_PLAYERS
KERNEL = Kernel(
    size=FRUITS + MOST_TREES,
    widest=MOST_TREES,
    seen=_FIRST_TREE + MOST_TREES,
    setup=setup,
    who=who,
    legal=legal,
    act=act,
    observe=observe,
    payoffs=payoffs,
    outcomes=outcomes,
    name=name,
    view={
        "die": 0,
        "points": 1,
        "others": slice(2, _FIRST_TREE),
        "fruits": slice(_FIRST_TREE, _FIRST_TREE + MOST_TREES),
    },
)


class Orchard(Game):
    """The game of this package."""

    name = "orchard"
    title = "Orchard"
    players = range(2, MOST_PLAYERS + 1)
    rules = RuleBook(Rules())
    hooks = (pick,)
    counts = Counts(
        names=("decisions", "points"), length="decisions", unit="decision", alone="points"
    )
    perfect_information = True

    def kernel(self, rules: Any, players: int) -> Kernel:
        return KERNEL

    def actions(self, rules: Any, players: int) -> Mapping[str, Sequence[int]]:
        return {"pick": range(rules.trees)}


@hookimpl
def register_games() -> list[Game]:
    """The game of this package."""
    return [Orchard()]
