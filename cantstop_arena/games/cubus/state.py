"""A game as questions and answers: whose decision it is, what becomes of it, how it ends."""

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
from cantstop_arena.games.cubus.choices.bot_view import Asked, CubusBotView
from cantstop_arena.games.cubus.choices.takedown import judge_take
from cantstop_arena.games.cubus.choices.targets import for_build, targets
from cantstop_arena.games.cubus.events import Event
from cantstop_arena.games.cubus.rules import RuleSet

_DUTY = "R17: who can build must, and there is a build in the box"


class Question(NamedTuple):
    """What is asked, and of whom; of several seats at once, none knowing the others' answers."""

    decision: Asked
    seats: tuple[int, ...]


class CubusFault(NamedTuple):
    """Why a bot lost at once."""

    seat: int
    message: str


class Result(NamedTuple):
    """How a game ended, as its last event says it, and whose fault it was, if any."""

    end: events.Ended
    fault: CubusFault | None


class CubusState:
    """One game. Ask `question`, show each seat its `view`, give all answers to `answer`."""

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
        self.drawn: str | None = None
        self._chance = chance
        self._deck = chance.deck(rules)
        self._unseen = cards_from_text("".join(self._deck))
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
        """Cards not yet drawn."""
        return max(0, len(self._deck) - self.turn)

    def question(self) -> Question | None:
        """The decision that is due; None when the game is over."""
        return self._question

    def result(self) -> Result:
        """How the game ended. Raises ValueError before that."""
        if self._end is None:
            raise ValueError("the game is not over")
        return Result(self._end, self._fault)

    def so_far(self) -> events.Ended:
        """The end of a game that breaks off here: nobody wins."""
        return self._ended((), "left")

    def view(self, seat: int) -> CubusBotView:
        """What a seat that is asked is shown."""
        asked = "build" if self._question is None else self._question.decision
        pooled = asked == "ending"
        return CubusBotView(
            seat,
            self.players,
            self.turn,
            asked,
            None if pooled else self.on_turn,
            self.pool if pooled else self.hands[self.on_turn],
            tuple(self.hands),
            self.drawn,
            self.table,
            tuple(self.scores),
            tuple(self.won),
            self.deck_left,
            self._unseen,
            self.passes,
            self.rules,
            self._streams[seat],
        )

    def answer(self, answers: Mapping[int, object]) -> list[Event]:
        """Carry out what the seats that were asked answer; returns what happened.

        Answers that no rule allows end the game by a fault of that seat.
        """
        if self._question is None:
            raise ValueError("the game is over")
        asked, seats = self._question
        for seat in seats:
            if not (answers[seat] is None or is_build(answers[seat])):
                return self.forfeit(seat, f"{asked} must answer a Build or None")
        return _HANDLERS[asked](self, answers)

    def complaint(self, seat: int, answer: Build | None) -> str | None:
        """What makes an answer of the right type a fault; None where it is none.

        Whoever knocks wrongly is not charged (R19).
        """
        asked = self._question.decision if self._question else "knock"
        try:
            if asked == "take":
                judge_take(self.table, answer, self.rules.box)
            elif asked != "knock" and answer is not None:
                hand = self.pool if asked == "ending" else self.hands[self.on_turn]
                build_result(self.table, hand, answer, self.rules)
        except IllegalBuild as broken:
            return str(broken)
        strict = asked == "build" and answer is None and self.rules.duty == "strict"
        return _DUTY if strict and self._can_build(seat) else None

    def forfeit(self, seat: int, message: str) -> list[Event]:
        """End the game by a fault: all others win."""
        self._fault = CubusFault(seat, message)
        others = tuple(other for other in range(self.players) if other != seat)
        return [self._over(others, "fault")]

    def leave(self) -> list[Event]:
        """End the game as it stands: nobody wins."""
        return [self._over((), "left")]

    def _next_turn(self) -> None:
        self.turn += 1
        self.drawn = self._deck[self.turn - 1] if self.turn <= len(self._deck) else None
        if self.drawn is not None:
            seat, card = self.on_turn, single(self.drawn)
            self.hands[seat] = self.hands[seat].plus(card)
            self._unseen = self._unseen.minus(card)
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
        told = events.Built(self.turn, seat, self.drawn, *self._laid(built))
        return [told, *self._turn_over(passed=False)]

    def _carry_out(self, built: BuildResult, builder: int) -> None:
        self.table = built.table
        self.hands[self.on_turn] = built.hand
        self.scores[builder] += built.points

    def _laid(self, built: BuildResult) -> tuple[str, events.Cells, int, str]:
        return built.table.pile.text, built.table.open, built.points, built.hand.text()

    def _pass(self, seat: int) -> list[Event]:
        if self.rules.duty == "knock":
            others = tuple(other for other in range(self.players) if other != seat)
            self._question = Question("knock", others)
            return []
        if self.rules.duty == "strict" and self._can_build(seat):
            return self.forfeit(seat, _DUTY)
        return [self._passed(), *self._turn_over(passed=True)]

    def _can_build(self, seat: int) -> bool:
        wanted = for_build(self.table, self.hands[seat], self.rules)
        return next(targets(wanted, self.rules.box), None) is not None

    def _passed(self) -> Event:
        return events.Passed(self.turn, self.on_turn, self.drawn)

    def _knock(self, answers: Mapping[int, object]) -> list[Event]:
        told = [self._passed()]
        for seat in self._chance.knock_order(self.turn, self.players):
            build = answers.get(seat)
            if isinstance(build, Build):
                told.append(self._hear(seat, build))
                if self._is_right(told[-1]):
                    return [*told, *self._turn_over(passed=False)]
        return [*told, *self._turn_over(passed=True)]

    def _is_right(self, told: Event) -> bool:
        return isinstance(told, events.Knocked) and told.right

    def _hear(self, seat: int, build: Build) -> Event:
        try:
            built = build_result(self.table, self.hands[self.on_turn], build, self.rules)
        except IllegalBuild:
            return self._wrong_knock(seat, build)
        self._carry_out(built, seat)
        return events.Knocked(self.turn, seat, True, *self._laid(built))

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
        self.drawn = None
        seats = (self._poorest(),) if self.rules.ending == "last" else tuple(range(self.players))
        self._question = Question("ending", seats)
        return []

    def _poorest(self) -> int:
        """The seat with the fewest points; of equals the one whose turn would come first."""
        coming = [(self.on_turn + step) % self.players for step in range(1, self.players + 1)]
        return min(coming, key=self.scores.__getitem__)

    def _ending(self, answers: Mapping[int, object]) -> list[Event]:
        judged: dict[int, BuildResult] = {}
        for seat, build in answers.items():
            if isinstance(build, Build):
                try:
                    judged[seat] = build_result(self.table, self.pool, build, self.rules)
                except IllegalBuild as broken:
                    return self.forfeit(seat, str(broken))
        if not judged:
            return self._begin_take_down()
        order = self._chance.ending_order(self.players)
        seat = min(judged, key=lambda seat: (-judged[seat].points, order.index(seat)))
        return self._end_build(seat, judged[seat])

    def _end_build(self, seat: int, built: BuildResult) -> list[Event]:
        self.table, self.pool = built.table, built.hand
        self.scores[seat] += built.points
        told = events.Ending(seat, *self._laid(built))
        return [told] if self.rules.ending == "last" else [told, *self._begin_take_down()]

    def _begin_take_down(self) -> list[Event]:
        if not self.rules.take_down:
            return [self._over(_leaders(self.scores), "done")]
        self.hands, self.pool = [NONE] * self.players, NONE
        self._next_take()
        return []

    def _next_take(self) -> None:
        self.turn += 1
        self.drawn = None
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
    most = max(numbers)
    return tuple(seat for seat, number in enumerate(numbers) if number == most)


_HANDLERS = {
    "build": CubusState._build,
    "knock": CubusState._knock,
    "ending": CubusState._ending,
    "take": CubusState._take,
}


def play_bots(
    rules: RuleSet, bots: Sequence[Strategy], chance: Chance
) -> tuple[CubusState, list[Event]]:
    """A game of bots in seat order: its state at the end, and what happened."""
    state = CubusState(rules, len(bots), chance)
    happened: list[Event] = []
    while question := state.question():
        views = {seat: state.view(seat) for seat in question.seats}
        happened += state.answer({seat: decide(bots[seat], views[seat]) for seat in views})
    return state, happened
