"""Pig in the form of release 0.2, as docs/reference/game-api.md showed it: such games play on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cantstop_arena import hookimpl
from cantstop_arena.games import (
    Counts,
    Deal,
    Event,
    Game,
    Named,
    Question,
    Rate,
    Result,
    RuleBook,
    State,
    View,
    decision,
    whole,
)

MAX_TURNS = 1000  # then nobody wins


@dataclass(frozen=True)
class Rules:
    """The points that win."""

    name: str = "standard"
    goal: int = whole(50, 10, 1000)


@dataclass(frozen=True)
class PigView(View):  # type: ignore[misc]
    """Points by seat, and the points of this turn."""

    points: tuple[int, ...]
    turn_points: int


@decision
def roll(view: PigView) -> bool:  # type: ignore[empty-body]
    """Return whether to roll again; otherwise this turn's points are yours."""


class Pig(State):
    """One game."""

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.points = [0] * deal.players
        self.rolls = [0] * deal.players
        self.turn = 0
        self._next_turn()

    def _next_turn(self) -> None:
        self.turn += 1
        self.seat = (self.turn - 1) % self.deal.players
        self.gained = 0
        self.dice = self.deal.stream("dice", self.turn)

    def question(self) -> Question | None:
        if max(self.points) >= self.deal.rules.goal or self.turn > MAX_TURNS:
            return None
        view = self.deal.view(
            PigView, self.seat, points=tuple(self.points), turn_points=self.gained
        )
        return Question("roll", {self.seat: view})

    def answer(self, answers: Mapping[int, bool]) -> Iterator[Event]:
        if not answers[self.seat]:
            self.points[self.seat] += self.gained
            yield {"event": "hold", "turn": self.turn, "seat": self.seat, "gained": self.gained}
            self._next_turn()
            return
        (die,) = self.dice.rolled(1)
        self.rolls[self.seat] += 1
        yield {"event": "roll", "turn": self.turn, "seat": self.seat, "die": die}
        self.gained += die
        if die == 1:
            self._next_turn()

    def result(self) -> Result:
        goal = self.deal.rules.goal
        winners = [seat for seat, points in enumerate(self.points) if points >= goal]
        turns = [self.turn, *[0] * (self.deal.players - 1)]
        return Result(winners, self.points, counts={"turns": turns, "rolls": self.rolls})


class PigGame(Game):
    name = "pig"
    title = "Pig"
    players = range(2, 5)
    rules = RuleBook(Rules(), (Named(Rules("long", goal=100), "Scarne on Dice"),))
    hooks = (roll,)
    counts = Counts(
        names=("turns", "rolls", "points"),
        rates={"points_per_game": Rate("points", "games")},
        limit="the limit of turns",
    )

    def begin(self, deal: Deal) -> Pig:
        return Pig(deal)


@hookimpl
def register_games() -> list[Game]:
    """The games of this package."""
    return [PigGame()]
