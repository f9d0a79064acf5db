"""The table of a game in plain Python: calls bots for decisions, and counts them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import _exit
from sys import getrecursionlimit
from typing import TYPE_CHECKING, Any

from cantstop_arena.deals.outcomes import ILLEGAL
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.errors import GameError, Interrupted
from cantstop_arena.game_api.decisions import GAME_OVER, Decision
from cantstop_arena.game_api.game import FAULT, LEFT, Deal, Event, Game, Question, Result, State
from cantstop_arena.game_api.streams import DealChance
from cantstop_arena.game_api.watched import ARENA, GAME, GAME_FUNCTIONS, Watched
from cantstop_arena.processes import system
from cantstop_arena.table.block_tally import PlainTally, count_by_seat
from cantstop_arena.table.bot_faults import BotFault, RetryingPlayer, bot_exception_line, fault_of
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.table.table import NO_ANSWER, GameTable

if TYPE_CHECKING:
    from cantstop_arena.deals.counting import Counts
    from cantstop_arena.game_api.decisions import Decision

_NUMBERS = {name: number for number, name in enumerate(GAME_FUNCTIONS, start=1)}
_BUILDING = 1  # what a bot is asked for that is made anew: shown as the first decision


class PlainTable(GameTable):
    """A table at which a game's `State` asks the questions and handles the answers."""

    def __init__(
        self, game: Game, rules: Any, seated_bots: Sequence[SeatedBot], players: int, seed: Seed
    ) -> None:
        super().__init__(game, rules, seated_bots, players, seed)
        self.decisions = game.decisions
        self._numbers = {name: number for number, name in enumerate(game.functions, start=1)}
        self._watched = Watched()
        self._origin = system.origin()
        self._chance = DealChance(bits_of(seed), 0)
        self._deal = 0
        self._state: State | None = None
        self._seat = 0
        self._last_speaker = -1
        self._new_events: list[Event] = []
        self._answers: Mapping[int, Any] = {}
        self.loser: int | None = None
        """The seat that has lost by a fault, if any."""
        self.decision_counts: list[int] = []
        """The number of decisions of each seat."""
        self._last_views: dict[int, Any] = {}

    # The game

    @property
    def seat(self) -> int:
        return self._seat

    @property
    def turn(self) -> int:
        return self._state.turn if self._state else 0

    @property
    def deal(self) -> int:
        """The deal that is being played."""
        return self._deal

    def begin(self, deal: int) -> None:
        self._deal = deal
        self._chance = DealChance(bits_of(self.seed), deal)
        self._state, self.loser, self._new_events = None, None, []
        self.decision_counts = [0] * len(self.seats)
        self._last_views.clear()

    def step_functions(self) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        return self._advance, self._ask

    def _advance(self, answers: Any) -> Question | None:
        with self._game_at_work():
            state = self._current_state()
            if answers != NO_ANSWER:
                self._enter_game("answer")
                self._new_events += state.answer(answers)
            self._enter_game("question")
            return checked_question(state.question(), self.decisions, len(self.seats))

    def _current_state(self) -> State:
        """The state of the game, which is created by the first call."""
        if self._state is None:
            self._enter_game("begin")
            self._state = self.game.begin(Deal(self.rules, len(self.seats), self._chance))
        return self._state

    def _enter_game(self, function: str) -> None:
        """Show other processes that this function of the game runs."""
        self._watched.mark(GAME, _NUMBERS[function])

    @contextmanager
    def _game_at_work(self) -> Iterator[None]:
        """Run the game's own code, with which no bot is charged. Raises GameError for exceptions.

        Where the process ends by it, the mark stays.
        """
        try:
            yield
        except (Interrupted, GameError, MemoryError):  # a bot can have taken all the memory
            raise
        except (Exception, SystemExit) as error:
            names = ", ".join(self.seated_bots[bot].name for bot in self.seats)
            text = f"{self.game.title} fails in deal {self._deal} ({names})"
            what = str(error) if isinstance(error, GameAuthorError) else bot_exception_line(error)
            raise GameError(f"{text}: {what}") from error
        self._watched.mark(ARENA)

    def result(self) -> Result:
        """The result of the game, checked."""
        with self._game_at_work():
            state = self._current_state()
            self._enter_game("result")
            return checked_result(state.result(), self.game.counts, len(self.seats))

    def winners(self, result: Result) -> tuple[int, ...]:
        """The winning seats; after a fault, all but the seat that has lost by it."""
        if self.loser is not None:
            return tuple(seat for seat in range(len(self.seats)) if seat != self.loser)
        return tuple(sorted(result.winners))

    def forfeit(self, seat: int) -> None:
        self.loser = self._seat = seat

    # Asking

    def _ask(self, question: Question) -> Mapping[int, Any]:
        decision = self.decisions[question.decision]
        self._answers = {seat: self._answer(decision, question, seat) for seat in question.views}
        return self._answers

    def _answer(self, decision: Decision, question: Question, seat: int) -> Any:
        """The answer of the bot in a seat. Raises BotFault."""
        self._seat = seat
        player = self.sitting[seat]
        self._last_views[seat] = question.views[seat]
        decide = getattr(player, decision.name, None)
        if decide is None:  # the decision is optional
            return None
        moves = None if question.moves is None else question.moves[seat]
        arguments = (question.views[seat],) if moves is None else (question.views[seat], moves)
        while True:
            answer = self._checked_answer(decision, seat, lambda: decide(*arguments), moves)
            with self._game_at_work():
                state = self._current_state()
                self._enter_game("check")
                complaint = state.check(seat, answer)
            if complaint is None:
                self.decision_counts[seat] += not (answer is None and decision.optional)
                return answer
            if not isinstance(player, RetryingPlayer):
                raise BotFault(ILLEGAL, f"{decision.name}: {complaint}")
            player.on_complaint(complaint)

    def _checked_answer(
        self, decision: Decision, seat: int, decide: Callable[[], Any], moves: Any
    ) -> Any:
        """The bot's answer, with its type checked. Raises BotFault."""
        self._set_speaker(seat)
        self._watched.mark_decision(seat, self._numbers[decision.name])
        try:
            return decision.checked(decide(), moves)
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: the bot raised them
            raise fault_of(error, self.sitting[seat]) from error
        finally:
            self._watched.mark(ARENA)
            self._restore()

    def _set_speaker(self, seat: int) -> None:
        if self._last_speaker != self.seats[seat]:
            self._last_speaker = self.seats[seat]
            self._guard.restore_quickly()
            self.on_speaker(self._last_speaker)

    def _restore(self) -> None:
        if getrecursionlimit() != self._guard.recursion:
            self._guard.restore_quickly()
        if not self._origin[0]:  # the bot has forked: this is the child
            _exit(0)

    # Records

    def events(self) -> Iterator[Event]:
        try:
            for _ in self.stops():
                yield from self._take_events()
        except BotFault:
            yield from self._take_events()
            raise
        yield from self._take_events()

    def _take_events(self) -> list[Event]:
        events, self._new_events = self._new_events, []
        return events

    def trace(self) -> Iterator[tuple[int, object]]:
        for question in self.stops():
            for seat, answer in self._answers.items():
                yield seat, (question.decision, answer)

    def ending(self) -> Event:
        result = self.result()
        reason = result.reason if self.loser is None else FAULT
        return self._end_event(result, self.winners(result), reason)

    def abandoned_event(self) -> Event:
        return self._end_event(self.result(), (), LEFT)

    def _end_event(self, result: Result, winners: Sequence[int], reason: str) -> Event:
        length = self.game.counts.length
        with self._game_at_work():
            self._enter_game("ending")
            fields = {
                length: sum(count_by_seat(self, result)[length]),
                **self._current_state().ending(result),
            }
        return {"event": "end", **fields, "winners": [*winners], "reason": reason}

    def new_tally(self, deals: int) -> PlainTally:
        return PlainTally(self, deals)

    def key_of_bot(self, seat: int) -> int:
        return self._chance.key_of_bot(seat)

    # Observation by other processes

    def attach_memory(self, memory: Any) -> None:
        self._origin = system.origin()
        self._watched.move_to(memory)

    def change_rules(self, rules: Any, players: int, memory: Any) -> None:
        self.rules = rules
        self.orders = self.game.orders(players)
        self.warm_up()
        self.attach_memory(memory)

    def mark_game(self, cursor: int, positions: Group) -> None:
        self._watched.mark_game(cursor, positions)

    def mark_as_deciding(self, seat: int) -> None:
        self._seat = seat
        self._watched.mark_decision(seat, _BUILDING)

    def last_view(self, seat: int) -> Any:
        return self._last_views.get(seat)

    @contextmanager
    def marking_game_over(self, seat: int) -> Iterator[None]:
        self._seat, self._last_speaker = seat, self.seats[seat]
        self._watched.mark_decision(seat, self._numbers[GAME_OVER])
        try:
            yield
        finally:
            self.clear_decision()

    def clear_decision(self) -> None:
        self._watched.mark(ARENA)

    @property
    def speaker(self) -> int:
        return self.group[self._watched.position % len(self.group)]

    def warm_up(self) -> None:
        self._origin = system.origin()  # the table may have been created before a fork
        try:
            self._prepare_game()
        except Exception as error:
            raise GameError(
                f"{self.game.title} fails to prepare: {bot_exception_line(error)}"
            ) from error

    def _prepare_game(self) -> None:
        self.game.prepare(self.rules, len(self.orders[0]))


class GameAuthorError(Exception):
    """A game returns something that no game may return."""


def checked_question(
    question: Question | None, decisions: Mapping[str, Decision], players: int
) -> Question | None:
    """The question, if it is valid. Raises GameAuthorError."""
    if question is None:
        return None
    if not isinstance(question, Question):
        raise GameAuthorError(f"question() must return a Question or None, not {question!r:.60}")
    decision = decisions.get(question.decision)
    if decision is None:
        names = ", ".join(decisions)
        raise GameAuthorError(f"no hook is called {question.decision!r:.60}; hooks are {names}")
    _check_seats("views", question.views, players)
    if decision.has_moves != (question.moves is not None):
        needs = "needs moves" if decision.has_moves else "has no parameter moves, but got some"
        raise GameAuthorError(f"{question.decision} {needs}")
    if question.moves is not None:
        _check_moves(question.views, question.moves)
    return question


def _check_seats(what: str, seats: Any, players: int) -> None:
    if not isinstance(seats, Mapping) or not seats:
        raise GameAuthorError(f"{what} of a Question must say by seat what each is shown")
    for seat in seats:
        if type(seat) is not int or not 0 <= seat < players:
            raise GameAuthorError(
                f"{what} of a Question name seat {seat!r:.20}; seats are 0 to {players - 1}"
            )


def _check_moves(views: Collection[int], moves: Mapping[int, Sequence[Any]]) -> None:
    for seat in views:
        if not moves.get(seat):
            raise GameAuthorError(f"seat {seat} is asked to choose, but has no moves")


def checked_result(result: Result, counts: Counts, players: int) -> Result:
    """The result, if it is valid for so many seats. Raises GameAuthorError."""
    if not isinstance(result, Result):
        raise GameAuthorError(f"result() must return a Result, not {result!r:.60}")
    wrong = [seat for seat in result.winners if type(seat) is not int or not 0 <= seat < players]
    if wrong or len({*result.winners}) != len(result.winners):
        raise GameAuthorError(
            f"winners {[*result.winners]!r:.60} are no seats; they are 0 to {players - 1}"
        )
    _check_integers("points", result.points, players)
    _check_integers("ranks", result.ranks, players)
    for name, values in result.counts.items():
        if name not in counts.names:
            raise GameAuthorError(
                f"the result counts {name!r}, which is none of the names of its Counts"
            )
        _check_integers(f"the count {name}", values, players)
    return result


def _check_integers(what: str, values: Sequence[int], players: int) -> None:
    """Raise GameAuthorError unless there is an integer, NumPy's too, for each seat, or none."""
    if len(values) not in (0, players) or any(not hasattr(value, "__index__") for value in values):
        text = f"{list(values)!r:.60}"
        raise GameAuthorError(
            f"{what} must be a whole number for each of {players} seats, not {text}"
        )
