"""Tandem: four seats, two pairs; in each round the pair with the greater sum of two cards wins.

Partners sit opposite each other, and do not see each other's cards. Round by round more is to win.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cantstop_arena import hookimpl
from cantstop_arena.games import (
    Chance,
    Event,
    Game,
    Payoff,
    Question,
    Result,
    RuleBook,
    State,
    View,
    decision,
    whole,
)

SEATS = 4
SIDES = ((0, 2), (1, 3))


@dataclass(frozen=True)
class Rules:
    """The cards of each seat, one for each round, and those that nobody gets."""

    name: str = "standard"
    cards: int = whole(4, 2, 8)
    spare: int = whole(2, 0, 8)


def deck_of(rules: Rules) -> range:
    """The cards, from 1 up."""
    return range(1, SEATS * rules.cards + rules.spare + 1)


class Hand(View):
    """The own cards, the cards on the table by seat (0: none yet), and the points of both pairs,
    the own first."""

    cards: tuple[int, ...]
    table: tuple[int, ...]
    round: int
    points: tuple[int, int]

    def card_of(self, distance: int) -> int:
        """The card on the table of the seat so far to the left: 2 is the partner."""
        return self.table[(self.seat + distance) % SEATS]

    def features(self) -> Sequence[float]:
        """The own cards, those on the table from the left on, the round, and the lead."""
        deck, most = deck_of(self.rules), points_in_all(self.rules)
        held = [float(card in self.cards) for card in deck]
        table = [self.card_of(distance) / len(deck) for distance in (1, 2, 3)]
        lead = (self.points[0] - self.points[1] + most) / (2 * most)
        return [*held, *table, min(1, self.round / self.rules.cards), lead]


@decision
def play(view: Hand, moves: tuple[int, ...]) -> int:  # type: ignore[empty-body]
    """Return the index of the card to play."""


class Table(State):
    """A game in progress."""

    def setup(self) -> None:
        self.hands: list[list[int]] = [[] for _ in range(SEATS)]
        self.dealt = 0
        self.turn = 1
        self.points = [0, 0]
        self.table = [0] * SEATS

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return (self.turn - 1) // SEATS + 1

    @property
    def seat(self) -> int:
        """The seat on turn; each round begins with the next one."""
        return (self.turn - 1 + self.round - 1) % SEATS

    def question(self) -> Question | Chance | None:
        if self.dealt < SEATS * self.rules.cards:
            held = {card for hand in self.hands for card in hand}
            return Chance(("card", self.dealt), [c for c in deck_of(self.rules) if c not in held])
        if self.round > self.rules.cards:
            return None
        return Question("play", self.seat, sorted(self.hands[self.seat]))

    def chance(self, card: int) -> Iterator[Event]:
        seat = self.dealt % SEATS
        self.hands[seat].append(card)
        self.dealt += 1
        yield {"event": "card", "seat": seat, "card": card, "seen_by": [seat]}

    def answer(self, answers: Mapping[int, int]) -> Iterator[Event]:
        ((seat, index),) = answers.items()
        card = sorted(self.hands[seat])[index]
        self.hands[seat].remove(card)
        self.table[seat] = card
        yield {"event": "play", "turn": self.turn, "seat": seat, "card": card}
        if all(self.table):
            sums = [sum(self.table[seat] for seat in side) for side in SIDES]
            if sums[0] != sums[1]:
                self.points[sums[1] > sums[0]] += self.round
            yield {"event": "round", "turn": self.turn, "sums": sums, "points": [*self.points]}
            self.table = [0] * SEATS
        self.turn += 1

    def view(self, seat: int) -> Hand:
        own = seat % 2
        return Hand(
            seat,
            self.players,
            self.rules,
            tuple(sorted(self.hands[seat])),
            tuple(self.table),
            self.round,
            (self.points[own], self.points[1 - own]),
        )

    def result(self) -> Result:
        lead = self.points[0] - self.points[1]
        return Result(payoffs=[-lead if seat % 2 else lead for seat in range(SEATS)])


def points_in_all(rules: Rules) -> int:
    """The points of all rounds."""
    return rules.cards * (rules.cards + 1) // 2


class Tandem(Game):
    """Tandem."""

    name = "tandem"
    title = "Tandem"
    players = range(SEATS, SEATS + 1)
    rules = RuleBook(Rules())
    hooks = (play,)
    state = Table
    payoff = Payoff(
        "point",
        low=lambda rules, players: -points_in_all(rules),
        high=lambda rules, players: points_in_all(rules),
        zero_sum=True,
    )

    def sides(self, players: int) -> Sequence[Sequence[int]]:
        return SIDES

    def actions(self, rules: Rules, players: int) -> Mapping[str, Sequence[int]]:
        return {"play": deck_of(rules)}

    def action_name(self, decision: str, value: int) -> str:
        return f"card {value}"


@hookimpl
def register_games() -> list[Game]:
    """The game of this package."""
    return [Tandem()]
