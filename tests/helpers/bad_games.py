"""A small game that keeps the contract, and games like it with one defect each."""

import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cantstop_arena.games import (
    Chance,
    Counts,
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

CALLS = [0]  # what a module keeps between games


@dataclass(frozen=True)
class Rules:
    """The cards of each hand."""

    name: str = "standard"
    hand: int = whole(3, 1, 5)


class Hand(View, frozen=True):
    """The own cards, and what is on the table."""

    own: tuple[int, ...]
    table: tuple[int, ...]
    tricks: tuple[int, ...]

    def features(self) -> Sequence[float]:
        """Whether each card is in the hand."""
        return [float(card in self.own) for card in range(12)]


@decision
def play(view: Hand, moves: tuple[int, ...]) -> int:  # type: ignore[empty-body]
    """Return the index of a card."""


class Tricks(State):
    """The highest card takes the trick, and its seat leads to the next."""

    def setup(self) -> None:
        self.deck = list(range(12))
        self.hands: list[list[int]] = [[] for _ in range(self.players)]
        self.table: list[int] = []
        self.tricks = [0] * self.players
        self.leader = 0

    @property
    def seat(self) -> int:
        return (self.leader + len(self.table)) % self.players

    def question(self) -> Question | Chance | None:
        dealt = 12 - len(self.deck)
        if dealt < self.players * self.rules.hand:
            return Chance(("card", dealt), [*self.deck])
        if not any(self.hands):
            return None
        return Question("play", self.seat, self.moves())

    def moves(self) -> list[int]:
        return [*self.hands[self.seat]]

    def chance(self, card: int) -> Iterator[Event]:
        seat = (12 - len(self.deck)) % self.players
        self.deck.remove(card)
        self.hands[seat].append(card)
        yield {"event": "card", "seat": seat, "card": card, "seen_by": [seat]}

    def answer(self, answers: Mapping[int, int]) -> Iterator[Event]:
        ((seat, index),) = answers.items()
        card = self.hands[seat].pop(index)
        self.table.append(card)
        yield {"event": "play", "seat": seat, "card": card}
        if len(self.table) == self.players:
            self.leader = (self.leader + self.table.index(max(self.table))) % self.players
            self.tricks[self.leader] += 1
            self.table = []

    def view(self, seat: int) -> Hand:
        return Hand(
            seat,
            self.players,
            self.rules,
            tuple(self.hands[seat]),
            tuple(self.table),
            tuple(self.tricks),
        )

    def result(self) -> Result:
        best = max(self.tricks)
        return Result([seat for seat, tricks in enumerate(self.tricks) if tricks == best])


class TrickGame(Game):
    """Three cards each, two or three seats."""

    name = "tricks"
    title = "Tricks"
    players = range(2, 4)
    rules = RuleBook(Rules())
    hooks = (play,)
    state = Tricks
    counts = Counts(names=("decisions",), length="decisions", unit="decision", alone="decisions")

    def actions(self, rules: Rules, players: int) -> Mapping[str, Sequence[int]]:
        return {"play": range(12)}


class _Again(Tricks):
    def question(self) -> Any:
        asked = super().question()
        return Chance(("card",), asked.outcomes) if isinstance(asked, Chance) else asked


class _LeakingView(Tricks):
    def view(self, seat: int) -> Hand:
        view = super().view(seat)
        is_odd = sum(map(sum, self.hands)) % 2
        own = view.own[::-1] if is_odd else view.own
        return Hand(seat, self.players, self.rules, own, view.table, view.tricks)


class _LeakingMoves(Tricks):
    def moves(self) -> list[int]:
        is_odd = sum(map(sum, self.hands)) % 2
        return super().moves()[::-1] if is_odd else super().moves()


class _Random(Tricks):
    def answer(self, answers: Mapping[int, int]) -> Iterator[Event]:
        yield from super().answer(answers)
        if not self.table and random.random() < 0.3:
            self.leader = (self.leader + 1) % self.players


class _Keeps(Tricks):
    def setup(self) -> None:
        super().setup()
        CALLS[0] += 1
        self.leader = CALLS[0] % self.players


class _Unrecorded(Tricks):
    def answer(self, answers: Mapping[int, int]) -> Iterator[Event]:
        yield from super().answer(answers)
        if not self.table and not self.recording:
            self.leader = 0


class _Clock(Tricks):
    def answer(self, answers: Mapping[int, int]) -> Iterator[Event]:
        yield from super().answer(answers)
        yield {"event": "time", "now": time.time()}


class _Hashes(Tricks):
    def moves(self) -> list[int]:
        return [int(card) for card in {str(card) for card in super().moves()}]


class _Mutates(Tricks):
    def question(self) -> Any:
        self.asked = getattr(self, "asked", 0) + 1
        return super().question()


class _Shares(Tricks):
    def clone(self) -> "_Shares":
        copy = super().clone()
        copy.tricks = self.tricks
        return copy


class _Endless(Tricks):
    def answer(self, answers: Mapping[int, int]) -> Iterator[Event]:
        ((seat, index),) = answers.items()
        yield {"event": "play", "seat": seat, "card": self.hands[seat][index]}


class _Raises(Tricks):
    def answer(self, answers: Mapping[int, int]) -> Iterator[Event]:
        yield from super().answer(answers)
        if sum(self.tricks) == 2:
            raise KeyError("nine")


class _Offers(Tricks):
    def moves(self) -> list[int]:
        return [*super().moves(), 11, 12]


class _NoMoves(Tricks):
    def moves(self) -> list[int]:
        return [] if sum(self.tricks) == 2 else super().moves()


class _Sets(Tricks):
    def answer(self, answers: Mapping[int, int]) -> Iterator[Event]:
        for event in super().answer(answers):
            yield {**event, "left": set(self.table)}


class _Wide(Tricks):
    class WideHand(Hand, frozen=True):
        def features(self) -> Sequence[float]:
            return [float(card) for card in self.own] + [0.0] * (5 - len(self.own))

    def view(self, seat: int) -> Hand:
        view = super().view(seat)
        return self.WideHand(seat, self.players, self.rules, view.own, view.table, view.tricks)


class _Quits(Tricks):
    def answer(self, answers: Mapping[int, int]) -> Iterator[Event]:
        if sum(self.tricks) == 1:
            sys.exit(3)
        yield from super().answer(answers)


class _Unbalanced(Tricks):
    def result(self) -> Result:
        return Result(payoffs=[*self.tricks])


class _Fraction(Tricks):
    def result(self) -> Result:
        mean = sum(self.tricks) / self.players
        return Result(payoffs=[tricks - mean for tricks in self.tricks])


class _Beyond(Tricks):
    def result(self) -> Result:
        return Result(payoffs=[10 * tricks for tricks in self.tricks])


def _game(state: type[State], **members: Any) -> type[Game]:
    """The class of a game with these states, under a name that other processes find."""
    name = f"{state.__name__[1:]}Game"
    return type(name, (TrickGame,), {"state": state, "__module__": __name__, **members})


AgainGame = _game(_Again)
LeakingViewGame = _game(_LeakingView)
LeakingMovesGame = _game(_LeakingMoves)
RandomGame = _game(_Random)
KeepsGame = _game(_Keeps)
UnrecordedGame = _game(_Unrecorded)
ClockGame = _game(_Clock)
HashesGame = _game(_Hashes)
MutatesGame = _game(_Mutates)
SharesGame = _game(_Shares)
EndlessGame = _game(_Endless, max_decisions=500)
RaisesGame = _game(_Raises)
OffersGame = _game(_Offers)
NoMovesGame = _game(_NoMoves)
SetsGame = _game(_Sets)
WideGame = _game(_Wide)
QuitsGame = _game(_Quits)
UnbalancedGame = _game(_Unbalanced, payoff=Payoff("trick", zero_sum=True))
FractionGame = _game(_Fraction, payoff=Payoff("trick"))
BeyondGame = _game(_Beyond, payoff=Payoff("trick", low=0, high=5))

DEFECTS: Mapping[type[Game], str] = {
    AgainGame: r"Chance \('card',\) is drawn twice in a game and would give the same number again",
    LeakingViewGame: r"the view of seat \d depends on what no event has shown to it: own is",
    LeakingMovesGame: r"the moves of seat \d depend on what no event has shown to it",
    RandomGame: "the same answers( in the same deal)? lead elsewhere",  # by chance, either
    KeepsGame: "the same answers in the same deal lead elsewhere, first at decision 0",
    ClockGame: "another process plays other games",
    HashesGame: "another process plays other games: the order of a set, ",
    MutatesGame: r"question\(\), .* changes the state: asked",
    SharesGame: "a copy shares tricks with its original: override State.clone",
    EndlessGame: "it has taken 500 decisions and has not ended; end it with a limit of turns",
    RaisesGame: r"answer\(\) fails: KeyError: 'nine' \(.*bad_games.py:\d+\)",
    OffersGame: r"actions\(\) does not list 12, which is a move of play",
    NoMovesGame: r"seat \d is asked to choose, but has no moves",
    SetsGame: "the event play holds what JSON has not: left is {",
    WideGame: r"features\(\) has \d+; they must be from 0 to 1",
    UnbalancedGame: r"payoffs \[.*\] add up to 3, not to 0, as the game is zero-sum",
    FractionGame: r"payoffs \[.*\] must be whole multiples of a trick",
    BeyondGame: r"payoffs \[.*\]: \d0 is more than the bound 5",
    QuitsGame: r"answer\(\) fails: SystemExit: 3 \(.*bad_games.py:\d+\)",
    UnrecordedGame: "the same answers lead elsewhere where `recording` is False, first at decision",
}
"""What the check says of each."""
