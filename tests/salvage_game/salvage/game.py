"""Salvage: divers bid for wrecks in secret, challenge each other, and throw a find overboard.

Every round a wreck comes up. All bid coins at once; the highest bid takes the wreck and is paid, of
equal bids none. Then all others may challenge the winner, at once: the first of them, in an order
that the deal fixes, who can pay one coin more than the bid gets the wreck instead. Who holds more
than three wrecks throws one overboard. Most points win.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cantstop_arena import hookimpl
from cantstop_arena.deals.counting import COUNT, Counts, Highlight, Measure, Rate
from cantstop_arena.game_api.decisions import decision
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.rulebook import Named, RuleBook, flag, whole
from cantstop_arena.game_api.state import Deal, Event, Question, Result, State
from cantstop_arena.game_api.view import View

HOLD = 3  # wrecks that a ship carries


@dataclass(frozen=True)
class Rules:
    """How many wrecks come up, what everybody may spend, and whether there are challenges."""

    name: str = "standard"
    wrecks: int = whole(6, 1, 20)
    coins: int = whole(12, 1, 100)
    challenges: bool = flag(True)


@dataclass(frozen=True)
class Bid:
    """Coins for a wreck."""

    coins: int


class Sea(View, frozen=True):
    """What a diver sees: the wreck, and by seat everybody's coins and wrecks. Seats ascend."""

    wreck: int
    coins: tuple[int, ...]
    holds: tuple[tuple[int, ...], ...]
    bid: int


@decision
def bid(view: Sea) -> Bid:  # type: ignore[empty-body]
    """Return a Bid of 0 to view.coins[view.seat] coins for view.wreck."""


@decision(optional=True)
def challenge(view: Sea) -> bool:  # type: ignore[empty-body]
    """Return whether to pay view.bid + 1 for the wreck that another has won."""


@decision
def overboard(view: Sea, moves: tuple[int, ...]) -> int:  # type: ignore[empty-body]
    """Return the index of the wreck to throw away."""


class Salvage(State):
    """One game."""

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.wrecks = deal.stream("wrecks").shuffled(range(1, deal.rules.wrecks + 1))
        self.coins = [deal.rules.coins] * deal.players
        self.holds: list[list[int]] = [[] for _ in deal.seats]
        self.challenges = [0] * deal.players
        self.winner: int | None = None
        self.price = 0
        self.asked = "bid"
        self.turn = 1

    @property
    def wreck(self) -> int:
        return self.wrecks[self.turn - 1]

    def _view(self, seat: int) -> Sea:
        holds = tuple(map(tuple, self.holds))
        coins = tuple(self.coins)
        return self.deal.view(Sea, seat, wreck=self.wreck, coins=coins, holds=holds, bid=self.price)

    def question(self) -> Question | None:
        if self.turn > len(self.wrecks):
            return None
        seats = list(self.deal.seats)
        if self.asked == "challenge":
            seats = [seat for seat in seats if seat != self.winner]
        if self.asked != "overboard":
            return Question(self.asked, {seat: self._view(seat) for seat in seats})
        assert self.winner is not None
        moves = {self.winner: tuple(self.holds[self.winner])}
        return Question("overboard", {self.winner: self._view(self.winner)}, moves)

    def check(self, seat: int, answer: object) -> str | None:
        if isinstance(answer, Bid) and not 0 <= answer.coins <= self.coins[seat]:
            return f"{answer.coins} coins are not 0 to {self.coins[seat]}"
        return None

    def answer(self, answers: Mapping[int, object]) -> Iterator[Event]:
        yield from getattr(self, f"_{self.asked}")(answers)

    def _bid(self, bids: Mapping[int, Bid]) -> Iterator[Event]:
        coins = {seat: bid.coins for seat, bid in bids.items()}
        best = max(coins.values())
        winners = [seat for seat, told in coins.items() if told == best]
        self.winner, self.price = (winners[0], best) if len(winners) == 1 else (None, 0)
        told = [coins[seat] for seat in self.deal.seats]
        yield {"event": "bids", "turn": self.turn, "wreck": self.wreck, "coins": told}
        if self.winner is None:
            self._next()
        elif self.deal.rules.challenges:
            self.asked = "challenge"
        else:
            yield from self._settle()

    def _challenge(self, answers: Mapping[int, bool | None]) -> Iterator[Event]:
        order = self.deal.stream("challenge", self.turn).shuffled(answers)
        for seat in order:
            if answers[seat]:
                self.challenges[seat] += 1
                if self.coins[seat] > self.price:
                    self.winner, self.price = seat, self.price + 1
                    yield {"event": "challenge", "turn": self.turn, "seat": seat}
                    break
        yield from self._settle()

    def _settle(self) -> Iterator[Event]:
        winner = self.winner
        assert winner is not None
        self.coins[winner] -= self.price
        self.holds[winner].append(self.wreck)
        yield {"event": "salvage", "turn": self.turn, "seat": winner, "wreck": self.wreck}
        if len(self.holds[winner]) > HOLD:
            self.asked = "overboard"
        else:
            self._next()

    def _overboard(self, answers: Mapping[int, int]) -> Iterator[Event]:
        ((seat, index),) = answers.items()
        lost = self.holds[seat].pop(index)
        yield {"event": "overboard", "turn": self.turn, "seat": seat, "wreck": lost}
        self._next()

    def _next(self) -> None:
        self.turn, self.asked, self.winner, self.price = self.turn + 1, "bid", None, 0

    def result(self) -> Result:
        points = tuple(map(sum, self.holds))
        winners = [seat for seat, own in enumerate(points) if own == max(points)]
        turns = [self.turn - 1, *[0] * (self.deal.players - 1)]
        counts = {"turns": turns, "challenges": self.challenges}
        spread = max(points) - min(points)
        return Result(winners, points, counts=counts, highlights={"landslide": spread + 1})


class SalvageGame(Game):
    """Salvage."""

    name = "salvage"
    title = "Salvage"
    players = range(2, 7)
    rules = RuleBook(Rules(), (Named(Rules("peaceful", challenges=False), "house rule"),))
    hooks = (bid, challenge, overboard)
    counts = Counts(
        names=("turns", "points", "rank", "decisions", "challenges"),
        rates={
            "points_per_game": Rate("points", "games"),
            "mean_rank": Rate("rank", "games"),
            "challenge_rate": Rate("challenges", "decisions", share=True),
        },
        measures=(
            Measure(
                "points",
                "points per game",
                COUNT,
                "points",
                "games",
                more="brings {by} more points",
                less="brings {by} fewer points",
                noun="the points",
                plural=True,
            ),
        ),
        highlights=(Highlight("landslide", "The clearest game"),),
        unit="round",
    )

    def begin(self, deal: Deal) -> Salvage:
        return Salvage(deal)


@hookimpl
def register_games() -> list[Game]:
    """The game of this package."""
    return [SalvageGame()]
