"""A game of Cubus: the pending decision, the effect of its answers, the result."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cantstop_arena.extensions.cubus.builds.build import (
    Build,
    BuildResult,
    TableCards,
    build_result,
)
from cantstop_arena.extensions.cubus.builds.cards import NONE, Cards, cards_from_text, single
from cantstop_arena.extensions.cubus.builds.piles import START, IllegalBuild
from cantstop_arena.extensions.cubus.chance import ending_order, keys_of, knock_order, shuffled_deck
from cantstop_arena.extensions.cubus.choices.bot_view import CubusBotView, DecisionName
from cantstop_arena.extensions.cubus.choices.takedown import judge_take, usual_take
from cantstop_arena.extensions.cubus.choices.targets import for_build, targets
from cantstop_arena.extensions.cubus.counts import GameCounts, SeatCounts, count
from cantstop_arena.extensions.cubus.measures import counted_result
from cantstop_arena.extensions.cubus.records import (
    Built,
    Card,
    Cells,
    Ended,
    Event,
    Knocked,
    Passed,
    PoolBuilt,
    Took,
    as_dict,
)
from cantstop_arena.extensions.cubus.rules import RuleSet
from cantstop_arena.game_api.state import DONE, LEFT, Deal, Question, Result, State

_DUTY = "R17: who can build must, and there is a build in the box"


_HOOK_OF = {"build": "build", "ending": "build", "knock": "knock", "take": "take"}


class CubusDecision(NamedTuple):
    """A decision to make, and the seats that make it, each without the others' answers."""

    name: DecisionName
    seats: tuple[int, ...]


class CubusState(State):
    """One game of a deal. `answer` gets answers that `check` has accepted."""

    def __init__(self, deal: Deal) -> None:
        self.rules: RuleSet = deal.rules
        self.players = deal.players
        self.table = TableCards(START)
        self.hands = [NONE] * deal.players
        self.scores = [0] * deal.players
        self.won = [0] * deal.players
        self.pool = NONE
        self.turn = 0
        self.passes = 0
        self.card: Card | None = None
        self.events: list[Event] = []
        self._keys = keys_of(deal.stream)
        self._deck = shuffled_deck(self.rules, self._keys)
        self._deck_cards = cards_from_text("".join(self._deck))
        self._streams = [deal.stream_of_bot(seat) for seat in deal.seats]
        self._turns = 0
        self._winners: tuple[int, ...] = ()
        self.pending: CubusDecision | None = None
        self._next_turn()

    @property
    def on_turn(self) -> int:
        """The seat whose turn it is (R9)."""
        return (self.turn - 1) % self.players

    @property
    def deck_left(self) -> int:
        """The number of cards left in the deck."""
        return max(0, len(self._deck) - self.turn)

    def question(self) -> Question | None:
        if self.pending is None:
            return None
        name, seats = self.pending
        return Question(_HOOK_OF[name], seats)

    def view(self, seat: int) -> CubusBotView:
        """The view of a seat for the pending decision."""
        decision = self.pending.name if self.pending else "build"
        pooled = decision == "ending"
        return CubusBotView(
            seat,
            self.players,
            self.turn,
            decision,
            None if pooled else self.on_turn,
            self.pool if pooled else self.hands[self.on_turn],
            tuple(self.hands),
            self.card,
            self.table,
            tuple(self.scores),
            tuple(self.won),
            self.deck_left,
            self._deck_cards,
            self.passes,
            self.rules,
            self._streams[seat],
            [],
        )

    def check(self, seat: int, answer: Build | None) -> str | None:
        """The fault of an answer, as text; None when it is legal. A wrong knock is legal (R19)."""
        decision = self.pending.name if self.pending else "knock"
        try:
            if decision == "take":
                judge_take(self.table, self._take_of(answer), self.rules.box)
            elif decision != "knock" and answer is not None:
                self._built(answer)
        except IllegalBuild as broken:
            return str(broken)
        strict = decision == "build" and answer is None and self.rules.duty == "strict"
        return _DUTY if strict and self._can_build() else None

    def answer(self, answers: Mapping[int, Build | None]) -> list[dict[str, Any]]:
        """Apply the answers to the pending decision. Returns the new events but for the end.

        Raises IllegalBuild when an answer is illegal.
        """
        if self.pending is None:
            raise ValueError("the game is over")
        new_events = _HANDLERS[self.pending.name](self, answers)
        self.events += new_events
        return [as_dict(event) for event in new_events]

    def result(self) -> Result:
        reason = LEFT if self.pending else DONE
        return counted_result(*self.counts(), self._winners, reason)

    def counts(self) -> tuple[list[SeatCounts], GameCounts]:
        """The counts of the game, or of the game so far: by seat, and for the game."""
        end = Ended(self._turns, tuple(self.scores), self._cards_won, self._winners, "done")
        return count(self.players, [*self.events, end])

    def ending(self, result: Result) -> dict[str, Any]:
        cards = None if self._cards_won is None else list(self._cards_won)
        return {"points": [*result.points], "cards": cards}

    @property
    def _cards_won(self) -> tuple[int, ...] | None:
        return tuple(self.won) if self.rules.take_down else None

    def _built(self, build: Build) -> BuildResult:
        """The result of a build with the cards that are played. Raises IllegalBuild."""
        pooled = self.pending is not None and self.pending.name == "ending"
        hand = self.pool if pooled else self.hands[self.on_turn]
        return build_result(self.table, hand, build, self.rules)

    def _take_of(self, answer: Build | None) -> Build | None:
        """The take: the usual one where a bot answers None or has no hook `take`."""
        return usual_take(self.table, self.rules.box) if answer is None else answer

    def _next_turn(self) -> None:
        self.turn += 1
        self.card = self._deck[self.turn - 1] if self.turn <= len(self._deck) else None
        if self.card is not None:
            seat, card = self.on_turn, single(self.card)
            self.hands[seat] = self.hands[seat].plus(card)
            self._deck_cards = self._deck_cards.minus(card)
        self.pending = CubusDecision("build", (self.on_turn,))

    def _build(self, answers: Mapping[int, Build | None]) -> list[Event]:
        seat, build = self.on_turn, answers[self.on_turn]
        if build is None:
            return self._pass()
        built = self._built(build)
        self._carry_out(built, seat)
        event = Built(self.turn, seat, self.card, *self._build_fields(built))
        return [event, *self._turn_over(passed=False)]

    def _carry_out(self, built: BuildResult, builder: int) -> None:
        self.table = built.table
        self.hands[self.on_turn] = built.hand
        self.scores[builder] += built.points

    def _build_fields(self, built: BuildResult) -> tuple[str, Cells, int, str]:
        return built.table.pile.text, built.table.open, built.points, built.hand.text()

    def _pass(self) -> list[Event]:
        if self.rules.duty == "knock":
            others = tuple(seat for seat in range(self.players) if seat != self.on_turn)
            self.pending = CubusDecision("knock", others)
            return []
        return [self._pass_event(), *self._turn_over(passed=True)]

    def _can_build(self) -> bool:
        query = for_build(self.table, self.hands[self.on_turn], self.rules)
        return next(targets(query, self.rules.box), None) is not None

    def _pass_event(self) -> Event:
        return Passed(self.turn, self.on_turn, self.card)

    def _knock(self, answers: Mapping[int, Build | None]) -> list[Event]:
        turn_events = [self._pass_event()]
        for seat in knock_order(self._keys, self.turn, self.players):
            build = answers.get(seat)
            if build is not None:
                knock = self._knock_event(seat, build)
                turn_events.append(knock)
                if knock.right:
                    return [*turn_events, *self._turn_over(passed=False)]
        return [*turn_events, *self._turn_over(passed=True)]

    def _knock_event(self, seat: int, build: Build) -> Knocked:
        try:
            built = self._built(build)
        except IllegalBuild:
            return self._wrong_knock(seat, build)
        self._carry_out(built, seat)
        return Knocked(self.turn, seat, True, *self._build_fields(built))

    def _wrong_knock(self, seat: int, build: Build) -> Knocked:
        for other in range(self.players):
            self.scores[other] += self.rules.wrong_knock if other != seat else 0
        cells = tuple(sorted((x, y) for x, y in build.open))
        hand = self.hands[self.on_turn].text()
        return Knocked(self.turn, seat, False, build.pile, cells, 0, hand)

    def _turn_over(self, passed: bool) -> list[Event]:
        self._turns = self.turn
        self.passes = self.passes + 1 if passed else 0
        if self.deck_left == 0 and self.passes >= self.players:
            return self._begin_ending()
        self._next_turn()
        return []

    def _begin_ending(self) -> list[Event]:
        if self.rules.ending == "none":
            return self._begin_take_down()
        for hand in self.hands:
            self.pool = self.pool.plus(hand)
        self.hands = [NONE] * self.players
        self.card = None
        seats = (self._poorest(),) if self.rules.ending == "last" else tuple(range(self.players))
        self.pending = CubusDecision("ending", seats)
        return []

    def _poorest(self) -> int:
        """The seat with the fewest points; among equals the first in turn order."""
        coming = [(self.on_turn + step) % self.players for step in range(1, self.players + 1)]
        return min(coming, key=self.scores.__getitem__)

    def _ending(self, answers: Mapping[int, Build | None]) -> list[Event]:
        results = {seat: self._built(build) for seat, build in answers.items() if build is not None}
        if not results:
            return self._begin_take_down()
        order = ending_order(self._keys, self.players)
        seat = min(results, key=lambda seat: (-results[seat].points, order.index(seat)))
        return self._end_build(seat, results[seat])

    def _end_build(self, seat: int, built: BuildResult) -> list[Event]:
        self.table, self.pool = built.table, built.hand
        self.scores[seat] += built.points
        event = PoolBuilt(seat, *self._build_fields(built))
        return [event] if self.rules.ending == "last" else [event, *self._begin_take_down()]

    def _begin_take_down(self) -> list[Event]:
        if not self.rules.take_down:
            return self._over(_leaders(self.scores))
        self.hands, self.pool = [NONE] * self.players, NONE
        self._next_take()
        return []

    def _next_take(self) -> None:
        self.turn += 1
        self.card = None
        self.pending = CubusDecision("take", (self.on_turn,))

    def _take(self, answers: Mapping[int, Build | None]) -> list[Event]:
        seat = self.on_turn
        taken = judge_take(self.table, self._take_of(answers[seat]), self.rules.box)
        self.won[seat] += taken.won.total
        self._turns = self.turn
        if taken.table is None:
            last = Took(self.turn, seat, "", (), taken.won.text())
            return [last, *self._over(_leaders(self.won))]
        self.table = taken.table
        self._next_take()
        return [_took(self._turns, seat, taken.table, taken.won)]

    def _over(self, winners: tuple[int, ...]) -> list[Event]:
        self.pending, self._winners = None, winners
        return []


def _took(turn: int, seat: int, table: TableCards, won: Cards) -> Event:
    return Took(turn, seat, table.pile.text, table.open, won.text())


def _leaders(numbers: Sequence[int]) -> tuple[int, ...]:
    highest = max(numbers)
    return tuple(seat for seat, number in enumerate(numbers) if number == highest)


_HANDLERS = {
    "build": CubusState._build,
    "knock": CubusState._knock,
    "ending": CubusState._ending,
    "take": CubusState._take,
}
