"""The view of a bot, with its helper methods. All of it is read-only."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple, cast

from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.cubus.builds.build import (
    Build,
    BuildResult,
    TableCards,
    build_result,
    carry_open_cards,
    cells_for_open,
)
from cantstop_arena.extensions.cubus.builds.cards import Cards, cards_from_text
from cantstop_arena.extensions.cubus.builds.piles import Cell, Pile, Rows, parse, pile_of
from cantstop_arena.extensions.cubus.choices.options import options
from cantstop_arena.extensions.cubus.choices.takedown import Take, Where, take_build, takes
from cantstop_arena.extensions.cubus.choices.targets import (
    Target,
    for_build,
    levels,
    nearby,
    target_of_groups,
    targets,
    targets_without_box,
)
from cantstop_arena.extensions.cubus.engine.bot_row import PileOption
from cantstop_arena.extensions.cubus.engine.bound import bound
from cantstop_arena.extensions.cubus.rules import Box, RuleSet, box_fault

DecisionName = Literal["build", "knock", "ending", "take"]


class PileSeen(NamedTuple):
    """The pile on the table. `heights`: rows from the back; the first starts at cell (x, y)."""

    text: str
    heights: Rows
    x: int
    y: int
    crates: int
    cards: Cards


class PileAfter(NamedTuple):
    """After a build or a target: crates, cards on the table by type, and the hand."""

    crates: int
    cards: Cards
    hand: Cards


class CubusBotView(NamedTuple):
    """The game as seen by one seat. Cards are counted by type (`Cards`); seats count from 0."""

    seat: int
    """The bot's own seat."""
    players: int
    """Seats at the table."""
    turn: int
    """The number of this turn, over all players, from 1."""
    asked: DecisionName
    """The decision to make: `build`, `knock`, `ending` or `take`."""
    owner: int | None
    """The seat whose cards are played: the passer in `knock`; None for the pool."""
    hand: Cards
    """The cards that are played: those of `owner`, or of the pool."""
    hands: tuple[Cards, ...]
    """The cards of all seats."""
    drawn: str | None
    """The card drawn this turn; None when the deck was empty."""
    table: TableCards
    """The pile and its open cells; `pile` and `open` have the same as plain values."""
    scores: tuple[int, ...]
    """Points, by seat."""
    won: tuple[int, ...]
    """Cards won in the take-down, by seat."""
    deck: int
    """The number of cards left in the deck."""
    unseen: Cards
    """The cards left in the deck, by type."""
    passes: int
    """The number of passes in a row, up to now, that nobody took by knocking."""
    rules: RuleSet
    """The rule set."""
    random: Callable[[], float]
    """The bot's own random numbers, from 0 to below 1."""
    kept: list[tuple[float, int]]
    """The options kept, as their worth and number: see `keep`."""

    @property
    def pile(self) -> PileSeen:
        """The pile on the table."""
        pile, shape = self.table.pile, self.table.pile.shape
        return PileSeen(pile.text, shape.rows, pile.x, pile.y, shape.crates, self.table.cards())

    @property
    def open(self) -> tuple[Cell, ...]:
        """The open cells, ascending."""
        return self.table.open

    def targets(self, box: object = None) -> list[Target]:
        """All (pile, points, least, most) that can be built, by falling points, then by text."""
        return list(self.iter_targets(box))

    def iter_targets(self, box: object = None) -> Iterator[Target]:
        """The same targets, each searched for when the iterator reaches it."""
        query = for_build(self.table, self.hand, self.rules)
        where = self._box(box)
        return targets_without_box(query) if where == "none" else targets(query, where)

    def levels(self, rising: bool = False) -> Iterator[Sequence[Target]]:
        """The targets within the rules' box in rows of equal points, by falling points.

        `rising`: by rising points. Each row is searched for when the iterator reaches it.
        """
        return levels(for_build(self.table, self.hand, self.rules), self.rules.box, rising)

    def options(self, rising: bool = False) -> Iterator[PileOption]:
        """The options within the rules' box, by falling points; `rising`: by rising points.

        An option is all targets that bring equal points and use equal cards: (number, points, tops,
        left, right, crates, least). Each is searched for when the iterator reaches it.
        """
        return options(for_build(self.table, self.hand, self.rules), self.rules.box, rising)

    def keep(self, option: PileOption, worth: float) -> bool:
        """Keep an option for `choose`, unless one is kept that is worth more.

        Forgets those that are worth less. Returns whether the option is kept.
        """
        if self.kept and worth != self.kept[0][0]:
            if worth < self.kept[0][0]:
                return False
            self.kept.clear()
        self.kept.append((worth, option.number))
        return True

    def choose(self, most: bool = False) -> Build | None:
        """A build of a random target of the options kept, or None without one.

        New open cards lie on random cells: as few as needed or, with `most`, as many as allowed.
        """
        query = for_build(self.table, self.hand, self.rules)
        numbers = [number for _, number in self.kept]
        target = target_of_groups(query, self.rules.box, numbers, self._below)
        return self._built(target, most) if target else None

    def choose_nearby(self) -> Build | None:
        """A build of a random one of the `nearby` targets with most points, or None."""
        near = self.nearby()
        best = [one for one in near if one.points == near[0].points]
        return self._built(best[self._below(len(best))], False) if best else None

    def _below(self, count: int) -> int:
        """A random number from 0 to below `count`."""
        return int(self.random() * count)

    def _built(self, target: Target, most: bool) -> Build:
        count = target.most if most else target.least
        cells = self.places(target.pile) if count else []
        for index in range(count):
            other = index + self._below(len(cells) - index)
            cells[index], cells[other] = cells[other], cells[index]
        return self.build(target.pile, tuple(cells[:count]))

    def best(self, box: object = None) -> Build | None:
        """The first target as a build, with the open cards that it needs on its first cells."""
        first = list(islice(self.iter_targets(box), 1))
        if not first:
            return None
        target = first[0]
        new = self.places(target.pile)[: target.least] if target.least else ()
        return self.build(target.pile, tuple(new))

    def nearby(self) -> list[Target]:
        """Targets that differ little from the pile, without a box; cheap."""
        return nearby(for_build(self.table, self.hand, self.rules))

    def places(self, target: str) -> list[Cell]:
        """The cells of a target where a new open card may lie, ascending."""
        return cells_for_open(self.table, parse(target), self.rules.swap)

    def check(self, build: Build) -> int:
        """The points of a build. Raises IllegalBuild, with the first broken rule as `rule`."""
        return self._result(build).points

    def after(self, build: Build) -> PileAfter:
        """The pile's crates and cards and the hand after a legal build. Raises as `check` does."""
        table, hand, _ = self._result(build)
        return PileAfter(table.pile.shape.crates, table.cards(), hand)

    def cards(self, target: str) -> PileAfter:
        """The same after a target, with as few new open cards as the lids allow."""
        build = self.build(target)
        pile = parse(target)
        needed = pile.shape.tops - len(build.open) - self.table.cards().lids - self.hand.lids
        new = len(build.open) + max(0, needed)
        left, right = pile.shape.left, pile.shape.right
        cards = Cards(pile.shape.tops - new, new, left, right)
        return PileAfter(pile.shape.crates, cards, self.table.cards().plus(self.hand).minus(cards))

    def bound(self, pile: str | None = None, hand: str | Cards | None = None) -> int:
        """Most points that the counts of cards allow; 0: a pass is right."""
        table = self.table.cards() if pile is None else _all_lids(parse(pile))
        value = (self.table.pile if pile is None else parse(pile)).shape.value
        cards = (
            self.hand if hand is None else cards_from_text(hand) if isinstance(hand, str) else hand
        )
        return bound(value, table.plus(cards))

    def bound_after(self, option: PileOption, tops: int, left: int, right: int) -> int:
        """Most points that so many cards of a hand allow after an option."""
        value = self.table.pile.shape.value + option.points
        return bound(value, Cards(option.tops + tops, 0, option.left + left, option.right + right))

    def slide(self, layers: int) -> Build:
        """The build that slides `layers` layers under the pile."""
        pile, shape = self.table.pile, self.table.pile.shape
        raised = {
            (pile.x + x + layers, pile.y + y + layers): height + layers
            for x, y, height in shape.cells
        }
        return carry_open_cards(self.table, pile_of(raised))

    def build(self, target: str, new: tuple[Cell, ...] = ()) -> Build:
        """A build of a target, with the open cells of the table and the `new` ones."""
        return carry_open_cards(self.table, parse(target), new)

    def take_build(self, target: str) -> Build:
        """A take of a target, in which open cards stay where they can.

        A freed open card replaces a missing lid, on the first tops.
        """
        return take_build(self.table, parse(target))

    def takes(self, box: object = None) -> list[Take]:
        """All takes (pile, won) of one crate less, most cards first, then by text."""
        return takes(self.table, self._box(box), self.rules.box)

    def _result(self, build: Build) -> BuildResult:
        return build_result(self.table, self.hand, build, self.rules)

    def _box(self, box: object) -> Where:
        if box is None:
            return self.rules.box
        if box == "none":
            return "none"
        if fault := box_fault(box):
            raise UsageError(f'a box {fault} (or "none")')
        return cast(Box, tuple(cast(Iterable[int], box)))


def _all_lids(pile: Pile) -> Cards:
    return Cards(pile.shape.tops, 0, pile.shape.left, pile.shape.right)
