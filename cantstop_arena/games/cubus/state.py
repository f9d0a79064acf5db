"""The state machine of a game: the pending decision, the effect of its answers, the end."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cantstop_arena.games.cubus import events
from cantstop_arena.games.cubus.bots.strategies import Strategy, decide
from cantstop_arena.games.cubus.builds.build import (
    Build,
    BuildResult,
    TableCards,
    build_result,
    is_build,
)
from cantstop_arena.games.cubus.builds.cards import NONE, Cards, cards_from_text, single
from cantstop_arena.games.cubus.builds.piles import START, IllegalBuild
from cantstop_arena.games.cubus.chance import Chance
from cantstop_arena.games.cubus.choices.bot_view import CubusBotView, DecisionName
from cantstop_arena.games.cubus.choices.takedown import judge_take
from cantstop_arena.games.cubus.choices.targets import for_build, targets
from cantstop_arena.games.cubus.events import Event
from cantstop_arena.games.cubus.rules import RuleSet

_DUTY = "R17: who can build must, and there is a build in the box"


class Question(NamedTuple):
    """A pending decision, and the seats that make it, each without the others' answers."""

    decision: DecisionName
    seats: tuple[int, ...]


class CubusFault(NamedTuple):
    """The fault by which a seat lost the game."""

    seat: int
    message: str


class Result(NamedTuple):
    """The last event of a game, and the fault that ended it, if any."""

    end: events.Ended
    fault: CubusFault | None


class CubusState:
    """One game. Loop: call `question`, pass each seat its `view`, and all answers to `answer`."""

    def __init__(self, rules: RuleSet, players: int, chance: Chance) -> None:
        self.rules = rules
        self.players = players
        self.table = TableCards(START)
        self.hands = [NONE] * players
        self.scores = [0] * players
        self.won = [0] * players
        self.pool = NONE
        self.turn = 0
        self.passes = 0
        self.card: str | None = None
        self._chance = chance
        self._deck = chance.deck(rules)
        self._deck_cards = cards_from_text("".join(self._deck))
        self._streams = [chance.own(seat) for seat in range(players)]
        self._turns = 0
        self._fault: CubusFault | None = None
        self._end: events.Ended | None = None
        self._question: Question | None = None
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
        """The pending decision; None when the game is over."""
        return self._question

    def result(self) -> Result:
        """The result of the game. Raises ValueError when the game is not over."""
        if self._end is None:
            raise ValueError("the game is not over")
        return Result(self._end, self._fault)

    def so_far(self) -> events.Ended:
        """The event that ends an abandoned game: nobody wins."""
        return self._ended((), "left")

    def view(self, seat: int) -> CubusBotView:
        """The view of a seat for the pending decision."""
        decision = "build" if self._question is None else self._question.decision
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
        )

    def answer(self, answers: Mapping[int, object]) -> list[Event]:
        """Play the answers to the pending decision; returns the new events.

        An illegal answer ends the game by a fault of its seat. Raises ValueError when the game
        is over.
        """
        if self._question is None:
            raise ValueError("the game is over")
        decision, seats = self._question
        for seat in seats:
            if not (answers[seat] is None or is_build(answers[seat])):
                return self.forfeit(seat, f"{decision} must answer a Build or None")
        return _HANDLERS[decision](self, answers)

    def complaint(self, seat: int, answer: Build | None) -> str | None:
        """The fault of an answer of the right type, as text; None when it is no fault.

        A wrong knock is no fault (R19).
        """
        decision = self._question.decision if self._question else "knock"
        try:
            if decision == "take":
                judge_take(self.table, answer, self.rules.box)
            elif decision != "knock" and answer is not None:
                hand = self.pool if decision == "ending" else self.hands[self.on_turn]
                build_result(self.table, hand, answer, self.rules)
        except IllegalBuild as broken:
            return str(broken)
        strict = decision == "build" and answer is None and self.rules.duty == "strict"
        return _DUTY if strict and self._can_build(seat) else None

    def forfeit(self, seat: int, message: str) -> list[Event]:
        """End the game by a fault of a seat: all others win. Returns the new events."""
        self._fault = CubusFault(seat, message)
        others = tuple(other for other in range(self.players) if other != seat)
        return [self._over(others, "fault")]

    def leave(self) -> list[Event]:
        """End the game before its end: nobody wins. Returns the new events."""
        return [self._over((), "left")]

    def _next_turn(self) -> None:
        self.turn += 1
        self.card = self._deck[self.turn - 1] if self.turn <= len(self._deck) else None
        if self.card is not None:
            seat, card = self.on_turn, single(self.card)
            self.hands[seat] = self.hands[seat].plus(card)
            self._deck_cards = self._deck_cards.minus(card)
        self._question = Question("build", (self.on_turn,))

    def _build(self, answers: Mapping[int, object]) -> list[Event]:
        seat, build = self.on_turn, answers[self.on_turn]
        if not isinstance(build, Build):
            return self._pass(seat)
        try:
            built = build_result(self.table, self.hands[seat], build, self.rules)
        except IllegalBuild as broken:
            return self.forfeit(seat, str(broken))
        self._carry_out(built, seat)
        event = events.Built(self.turn, seat, self.card, *self._build_fields(built))
        return [event, *self._turn_over(passed=False)]

    def _carry_out(self, built: BuildResult, builder: int) -> None:
        self.table = built.table
        self.hands[self.on_turn] = built.hand
        self.scores[builder] += built.points

    def _build_fields(self, built: BuildResult) -> tuple[str, events.Cells, int, str]:
        return built.table.pile.text, built.table.open, built.points, built.hand.text()

    def _pass(self, seat: int) -> list[Event]:
        if self.rules.duty == "knock":
            others = tuple(other for other in range(self.players) if other != seat)
            self._question = Question("knock", others)
            return []
        if self.rules.duty == "strict" and self._can_build(seat):
            return self.forfeit(seat, _DUTY)
        return [self._pass_event(), *self._turn_over(passed=True)]

    def _can_build(self, seat: int) -> bool:
        query = for_build(self.table, self.hands[seat], self.rules)
        return next(targets(query, self.rules.box), None) is not None

    def _pass_event(self) -> Event:
        return events.Passed(self.turn, self.on_turn, self.card)

    def _knock(self, answers: Mapping[int, object]) -> list[Event]:
        turn_events = [self._pass_event()]
        for seat in self._chance.knock_order(self.turn, self.players):
            build = answers.get(seat)
            if isinstance(build, Build):
                turn_events.append(self._knock_event(seat, build))
                if self._is_right(turn_events[-1]):
                    return [*turn_events, *self._turn_over(passed=False)]
        return [*turn_events, *self._turn_over(passed=True)]

    def _is_right(self, event: Event) -> bool:
        return isinstance(event, events.Knocked) and event.right

    def _knock_event(self, seat: int, build: Build) -> Event:
        try:
            built = build_result(self.table, self.hands[self.on_turn], build, self.rules)
        except IllegalBuild:
            return self._wrong_knock(seat, build)
        self._carry_out(built, seat)
        return events.Knocked(self.turn, seat, True, *self._build_fields(built))

    def _wrong_knock(self, seat: int, build: Build) -> Event:
        for other in range(self.players):
            self.scores[other] += self.rules.wrong_knock if other != seat else 0
        cells = tuple(sorted((x, y) for x, y in build.open))
        hand = self.hands[self.on_turn].text()
        return events.Knocked(self.turn, seat, False, build.pile, cells, 0, hand)

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
        self._question = Question("ending", seats)
        return []

    def _poorest(self) -> int:
        """The seat with the fewest points; among equals the first in turn order."""
        coming = [(self.on_turn + step) % self.players for step in range(1, self.players + 1)]
        return min(coming, key=self.scores.__getitem__)

    def _ending(self, answers: Mapping[int, object]) -> list[Event]:
        results: dict[int, BuildResult] = {}
        for seat, build in answers.items():
            if isinstance(build, Build):
                try:
                    results[seat] = build_result(self.table, self.pool, build, self.rules)
                except IllegalBuild as broken:
                    return self.forfeit(seat, str(broken))
        if not results:
            return self._begin_take_down()
        order = self._chance.ending_order(self.players)
        seat = min(results, key=lambda seat: (-results[seat].points, order.index(seat)))
        return self._end_build(seat, results[seat])

    def _end_build(self, seat: int, built: BuildResult) -> list[Event]:
        self.table, self.pool = built.table, built.hand
        self.scores[seat] += built.points
        event = events.Ending(seat, *self._build_fields(built))
        return [event] if self.rules.ending == "last" else [event, *self._begin_take_down()]

    def _begin_take_down(self) -> list[Event]:
        if not self.rules.take_down:
            return [self._over(_leaders(self.scores), "done")]
        self.hands, self.pool = [NONE] * self.players, NONE
        self._next_take()
        return []

    def _next_take(self) -> None:
        self.turn += 1
        self.card = None
        self._question = Question("take", (self.on_turn,))

    def _take(self, answers: Mapping[int, object]) -> list[Event]:
        seat, build = self.on_turn, answers[self.on_turn]
        try:
            taken = judge_take(
                self.table, build if isinstance(build, Build) else None, self.rules.box
            )
        except IllegalBuild as broken:
            return self.forfeit(seat, str(broken))
        self.won[seat] += taken.won.total
        self._turns = self.turn
        if taken.table is None:
            last = events.Took(self.turn, seat, "", (), taken.won.text())
            return [last, self._over(_leaders(self.won), "done")]
        self.table = taken.table
        self._next_take()
        return [_took(self._turns, seat, taken.table, taken.won)]

    def _over(self, winners: tuple[int, ...], reason: str) -> Event:
        self._question = None
        self._end = self._ended(winners, reason)
        return self._end

    def _ended(self, winners: tuple[int, ...], reason: str) -> events.Ended:
        cards = tuple(self.won) if self.rules.take_down else None
        return events.Ended(self._turns, tuple(self.scores), cards, winners, reason)


def _took(turn: int, seat: int, table: TableCards, won: Cards) -> Event:
    return events.Took(turn, seat, table.pile.text, table.open, won.text())


def _leaders(numbers: Sequence[int]) -> tuple[int, ...]:
    highest = max(numbers)
    return tuple(seat for seat, number in enumerate(numbers) if number == highest)


_HANDLERS = {
    "build": CubusState._build,
    "knock": CubusState._knock,
    "ending": CubusState._ending,
    "take": CubusState._take,
}


def play_bots(
    rules: RuleSet, bots: Sequence[Strategy], chance: Chance
) -> tuple[CubusState, list[Event]]:
    """Play a game of bots in seat order; returns its state at the end and its events."""
    state = CubusState(rules, len(bots), chance)
    game_events: list[Event] = []
    while question := state.question():
        views = {seat: state.view(seat) for seat in question.seats}
        game_events += state.answer({seat: decide(bots[seat], views[seat]) for seat in views})
    return state, game_events
