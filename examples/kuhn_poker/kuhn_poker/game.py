"""Kuhn poker: three cards, one bet. A game of hidden cards whose value is known: -1/18.

Harold W. Kuhn, "Simplified Two-Person Poker", 1950.
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


@dataclass(frozen=True)
class Rules:
    """The number of cards, from 1 up; one for each seat, and at least one that nobody has."""

    name: str = "standard"
    cards: int = whole(3, 3, 13)


class Hand(View):
    """The own card, and what has been done: True for a bet or a call, False for a pass."""

    card: int
    actions: tuple[bool, ...]

    def features(self) -> Sequence[float]:
        """The card, and each of the first two actions as taken and as a bet."""
        taken = [float(len(self.actions) > index) for index in range(2)]
        bets = [float(index < len(self.actions) and self.actions[index]) for index in range(2)]
        cards = [float(self.card == card) for card in range(1, self.rules.cards + 1)]
        return [*cards, *taken, *bets]


@decision
def bet(view: Hand) -> bool:  # type: ignore[empty-body]
    """Return whether to bet one chip, or to call a bet; otherwise you pass."""


class Round(State):
    """One round. Each seat has put one chip into the pot."""

    def setup(self) -> None:
        self.cards: list[int] = []
        self.actions: list[bool] = []

    def question(self) -> Question | Chance | None:
        if len(self.cards) < self.players:
            left = [card for card in range(1, self.rules.cards + 1) if card not in self.cards]
            return Chance(("card", len(self.cards)), left)
        return None if self._is_over() else Question("bet", len(self.actions) % 2)

    def _is_over(self) -> bool:
        return (
            self.actions in ([True, True], [True, False], [False, False]) or len(self.actions) == 3
        )

    def chance(self, card: int) -> Iterator[Event]:
        seat = len(self.cards)
        self.cards.append(card)
        yield {"event": "card", "seat": seat, "card": card, "seen_by": [seat]}

    def answer(self, answers: Mapping[int, bool]) -> Iterator[Event]:
        ((seat, bets),) = answers.items()
        self.actions.append(bets)
        yield {"event": "bet" if bets else "pass", "seat": seat}
        if self._is_over() and self.actions[-2:] != [True, False]:
            yield {"event": "show", "cards": [*self.cards]}

    def view(self, seat: int) -> Hand:
        card = self.cards[seat] if seat < len(self.cards) else 0
        return Hand(seat, self.players, self.rules, card, tuple(self.actions))

    def result(self) -> Result:
        if not self._is_over():
            return Result()
        if self.actions[-2:] == [True, False]:  # a bet that was not called
            winner = len(self.actions) % 2
        else:
            winner = self.cards.index(max(self.cards))
        stake = 2 if self.actions[-2:] == [True, True] else 1
        return Result(payoffs=[stake if seat == winner else -stake for seat in range(2)])


class KuhnPoker(Game):
    """Kuhn poker."""

    name = "kuhn-poker"
    title = "Kuhn poker"
    players = range(2, 3)
    rules = RuleBook(Rules())
    hooks = (bet,)
    state = Round
    payoff = Payoff("chip", low=-2, high=2, zero_sum=True)


@hookimpl
def register_games() -> list[Game]:
    """The game of this package."""
    return [KuhnPoker()]
