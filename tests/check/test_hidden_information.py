"""Hidden stays hidden: secret answers, decks shuffled at once, and games without events."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pytest

from cantstop_arena.check.hidden_information import compared_pairs
from cantstop_arena.check.random_games import Defect, RandomGame
from cantstop_arena.game_api.game import CheckGame
from cantstop_arena.games import (
    Chance,
    Event,
    Game,
    Question,
    Result,
    RuleBook,
    State,
    View,
    decision,
)


@dataclass(frozen=True)
class Rules:
    """No parameters."""

    name: str = "standard"


class Bids(View, frozen=True):
    """The own card, the own bids, and what leaks."""

    card: int
    own: tuple[int, ...]
    leak: int


@decision
def bid(view: Bids) -> int:  # type: ignore[empty-body]
    """Return a bid, 0 to 3."""


class Sealed(State):
    """Two rounds of secret bids, with a secret card each."""

    def setup(self) -> None:
        self.deck: list[int] = []
        self.bids: list[list[int]] = [[] for _ in range(self.players)]

    def question(self) -> Question | Chance | None:
        if not self.deck:
            return Chance(("deck",), sample=lambda stream: stream.shuffled(range(9)))
        return Question("bid", range(self.players)) if len(self.bids[0]) < 2 else None

    def check(self, seat: int, answer: int) -> str | None:
        return None if 0 <= answer <= 3 else "a bid is 0 to 3"

    def chance(self, outcome: list[int]) -> Iterator[Event]:
        self.deck = outcome
        for seat in range(self.players):
            yield {"event": "card", "seat": seat, "card": outcome[seat], "seen_by": [seat]}

    def answer(self, answers: Mapping[int, int]) -> Iterator[Event]:
        for seat, value in answers.items():
            self.bids[seat].append(value)
            yield {"event": "bid", "seat": seat, "bid": value, "seen_by": [seat]}

    def leak(self, seat: int) -> int:
        return 0

    def view(self, seat: int) -> Bids:
        card = self.deck[seat] if self.deck else -1
        return Bids(seat, self.players, self.rules, card, tuple(self.bids[seat]), self.leak(seat))

    def result(self) -> Result:
        totals = [sum(bids) for bids in self.bids]
        return Result([seat for seat, total in enumerate(totals) if total == max(totals)])


class _ShowsBids(Sealed):
    def leak(self, seat: int) -> int:
        return sum(map(sum, self.bids))


class _ShowsDeck(Sealed):
    def leak(self, seat: int) -> int:
        return self.deck[-1] if self.deck else 0


class _Silent(_ShowsBids):
    def chance(self, outcome: list[int]) -> Iterator[Event]:
        self.deck = outcome
        yield from ()

    def answer(self, answers: Mapping[int, int]) -> Iterator[Event]:
        for _ in super().answer(answers):
            pass
        yield from ()


class SealedGame(Game):
    """The game with the states of one of these classes."""

    name = "sealed"
    title = "Sealed"
    players = range(2, 4)
    rules = RuleBook(Rules())
    hooks = (bid,)

    def __init__(self, state: type[State]) -> None:
        self.state = state

    def actions(self, rules: Rules, players: int) -> Mapping[str, Sequence[int]]:
        return {"bid": range(4)}


def pairs(state: type[State]) -> int:
    """The pairs of states that were compared in some games."""
    return sum(
        compared_pairs(RandomGame(SealedGame(state), CheckGame(Rules(), players, deal)))
        for deal in range(10)
        for players in (2, 3)
    )


def test_what_is_hidden_is_compared() -> None:
    assert pairs(Sealed) > 100


@pytest.mark.parametrize("state", [_ShowsBids, _ShowsDeck])
def test_what_a_view_shows_too_much_is_found(state: type[State]) -> None:
    with pytest.raises(Defect, match=r"depends on what no event has shown to it: leak is \d or \d"):
        pairs(state)


def test_games_without_events_are_not_compared() -> None:
    assert pairs(_Silent) == 0
