"""A recorded game as far as it has been read: what lies where, and what may come next."""

from collections import Counter
from dataclasses import dataclass, field

from helpers.cubus.naive.builds import Position, Rules
from helpers.cubus.naive.piles import START, Cell, Pile, read


@dataclass
class Game:
    """The state of a game.

    `built` is the pile before any taking down, `turn` the last one read, `fines` all points by
    R19, `passes` those in a row, `knockers` who has knocked after the pass just read (None: nobody
    is asked), `pool` what is left of it (None: not begun), `builder` who builds with it.
    """

    rules: Rules = field(default_factory=dict)
    pile: Pile = field(default_factory=lambda: read(START))
    built: Pile = field(default_factory=lambda: read(START))
    open: frozenset[Cell] = frozenset()
    deck: Counter[str] = field(default_factory=Counter)
    hands: list[str] = field(default_factory=list)
    points: list[int] = field(default_factory=list)
    won: list[int] = field(default_factory=list)
    fines: int = 0
    turn: int = 0
    passes: int = 0
    knockers: set[int] | None = None
    pool: str | None = None
    builder: int = 0
    taken: bool = False
    ended: bool = False

    @property
    def players(self) -> int:
        """How many sit at the table."""
        return len(self.hands)

    @property
    def mover(self) -> int:
        """R9: the seat whose turn comes next."""
        return self.turn % self.players

    @property
    def is_over(self) -> bool:
        """R20: the deck is empty and the last n turns were passes that nobody took."""
        return not self.deck.total() and self.passes >= self.players

    @property
    def may_end_with_pool(self) -> bool:
        """R22: `last` builds again and again, `best` once, nobody once taking down has begun."""
        again = self.rules["ending"] == "last" or self.pool is None
        return self.is_over and self.rules["ending"] != "none" and again and not self.taken

    @property
    def may_take(self) -> bool:
        """R23: crates are left to be taken down."""
        return self.is_over and self.rules["take_down"] and bool(self.pile)

    def position(self, hand: str) -> Position:
        """What lies on the table, to be built upon with this hand."""
        return Position(self.pile, self.open, hand, self.rules)

    def poorest(self) -> int:
        """R22 `last`: fewest points, of equals the one whose turn would come first."""
        order = [(self.mover + step) % self.players for step in range(self.players)]
        return min(order, key=lambda seat: self.points[seat])

    def next_kinds(self) -> set[str]:
        """The events that may come now."""
        if not self.rules:
            return {"game"}
        may = {
            "build": not self.is_over,
            "pass": not self.is_over,
            "knock": self.knockers is not None,
            "ending": self.may_end_with_pool,
            "take": self.may_take,
            "end": True,
        }
        return {kind for kind, allowed in may.items() if allowed and not self.ended}

    def pool_builders(self) -> set[int]:
        """R22: who may build with the pool now."""
        if not self.may_end_with_pool:
            return set()
        if self.rules["ending"] == "best":
            return set(range(self.players))
        return {self.poorest() if self.pool is None else self.builder}

    def may_be_asked(self) -> set[int]:
        """Who may be at fault, or leave, after the lines read: a faulty turn leaves none."""
        if self.is_over:
            return self.pool_builders() | ({self.mover} if self.may_take else set())
        return set(range(self.players)) if self.rules["duty"] == "knock" else {self.mover}
