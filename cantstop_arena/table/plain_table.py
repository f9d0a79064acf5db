"""The table of a game in plain Python: calls bots for decisions, and counts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from os import _exit
from sys import getrecursionlimit
from typing import TYPE_CHECKING, Any

from msgspec.structs import force_setattr

from cantstop_arena.deals.dice_keys import DiceBits
from cantstop_arena.deals.outcomes import ILLEGAL, Block
from cantstop_arena.deals.payoff import Payoff
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.errors import GameError, Interrupted, UsageError
from cantstop_arena.game_api.decisions import GAME_OVER
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import (
    BOARD,
    FAULT,
    LEFT,
    SEEN_BY,
    Chance,
    Deal,
    Event,
    GameAuthorError,
    Opening,
    Question,
    Result,
    State,
)
from cantstop_arena.game_api.streams import ALL_NUMBERS, DealChance, Stream, number_at
from cantstop_arena.game_api.view import no_random_numbers
from cantstop_arena.game_api.watched import (
    ARENA,
    BOT,
    GAME,
    GAME_FUNCTIONS,
    MARK,
    SEAT,
    STEP,
    Watched,
    mark_of,
)
from cantstop_arena.processes import system
from cantstop_arena.table.block_tally import PlainTally, count_by_seat
from cantstop_arena.table.bot_faults import (
    BotFault,
    RetryingPlayer,
    bot_exception_line,
    called_function,
    fault_of,
)
from cantstop_arena.table.conversation import PendingDecision, Waiting, WaitingSeat
from cantstop_arena.table.determinism import TraceStep
from cantstop_arena.table.game_checks import (
    check_chance,
    check_events,
    check_payoffs,
    check_question,
    check_view,
    checked_result,
)
from cantstop_arena.table.game_fingerprint import (
    draws_from_streams,
    fingerprint_of,
)
from cantstop_arena.table.openings import OpeningAnswers
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.table.table import GameTable

if TYPE_CHECKING:
    from cantstop_arena.game_api.decisions import Decision
    from cantstop_arena.table.batch_loop import BatchGames

_NUMBERS = {name: number for number, name in enumerate(GAME_FUNCTIONS, start=1)}
_QUESTION, _CHANCE, _CHECK, _ANSWER = (
    mark_of(GAME, _NUMBERS[name]) for name in ("question", "chance", "check", "answer")
)
_BUILDING = 1  # what a bot is asked for that is made anew: shown as the first decision
_CHECKED_GAMES = 50  # in these first games of a table all that the game returns is checked


_PASSED_ON = (Interrupted, GameError, MemoryError)  # a bot can have taken all memory


class PlainTable(GameTable):
    """A table at which a game's `State` asks the questions and handles the answers."""

    def __init__(
        self, game: Game, rules: Any, seated_bots: Sequence[SeatedBot], players: int, seed: Seed
    ) -> None:
        super().__init__(game, rules, seated_bots, players, seed)
        self.decisions = game.decisions
        self._numbers = {name: number for number, name in enumerate(game.functions, start=1)}
        self._marks = {name: mark_of(BOT, number) for name, number in self._numbers.items()}
        self._watched = Watched()
        self._origin = system.origin()
        self._chance = DealChance(bits_of(seed), 0)
        self._draws: dict[Any, int] = {}  # the first numbers of the deal's draws so far, by name
        self._deal = 0
        self._chance_key = (0, -1)  # of `_chance`; machine code plays deals without it
        self._opening: Opening = ()
        self._games = 0
        self._draw_names: set[Any] = set()
        self._state: State | None = None
        self._has_checks = True  # whether the game checks answers that are no moves
        self._bot_streams: Sequence[Stream] = ()
        self._seat = 0
        self._last_speaker = -1
        self._new_events: list[Event] = []
        self._keeps_events = True
        self._answers: Mapping[int, Any] = {}
        self._all_answers: list[Mapping[int, Any]] | None = None  # of a game without draws
        self._dealt: Deal | None = None
        self.loser: int | None = None
        """The seat that has lost by a fault, if any."""
        self.decision_counts: list[int] = []
        """The number of decisions of each seat."""
        self._last_views: dict[int, Any] = {}
        self.waiting_seats: Sequence[WaitingSeat] = self.people
        """Those whose answers come from outside."""

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
        bits = self.dice_of(self.seats)
        key = bits.circle, deal
        if key != self._chance_key:  # else a rotation has met the same chance
            self._chance, self._draws = DealChance(*key), {}
        self._deal, self._chance_key = deal, key
        self._opening = self._opening_of(bits, deal)
        self._games += 1
        self._draw_names.clear()
        self._state, self.loser, self._new_events = None, None, []
        self._all_answers, self._dealt = [], None
        self.decision_counts = [0] * len(self.seats)
        self._last_views.clear()

    def _opening_of(self, bits: DiceBits, deal: int) -> Opening:
        """The opening of a deal with these dice. Raises GameError where none can be found."""
        try:
            return self.opening_of(bits, deal)
        except UsageError as error:
            raise GameError(f"deal {deal} has no opening: {error}") from None

    def stops(self) -> Iterator[Question | PendingDecision]:
        """Play the game that has been started, one question after the other.

        A plain game spends its time here, so this is one loop with few calls. Yields each question
        after its answers, and PendingDecision where a person is to answer. Raises BotFault, and
        GameError for what the game's own code does wrong.
        """
        numbers, decisions, count = self._watched.numbers, self.decisions, 0
        counts: list[int] = []  # decisions before a question that waits for an answer
        answer_of, draws, keeps_events = self._answer, self._draws, self._needs_events
        is_checked, max_decisions = self._games <= _CHECKED_GAMES, self.game.max_decisions
        step = numbers[STEP]
        try:
            state = self._current_state()
            if self._opening:
                self._play_opening(state)
            all_answers = self._all_answers
            while True:
                numbers[MARK] = _QUESTION
                numbers[STEP] = step = step + 1
                question = state.question()
                if isinstance(question, Chance):
                    if is_checked or question.weights or question.sample or question.mixed:
                        self._draw(state, question)
                    else:  # what `_draw` does, without its calls
                        name, outcomes = question.name, question.outcomes
                        if (number := draws.get(name)) is None:
                            number = draws[name] = number_at(self._chance.key_of(name), 1)
                        drawn = number % (count_of := len(outcomes))
                        if number - drawn + count_of > ALL_NUMBERS:
                            drawn = self._chance.stream(*name).below(count_of)
                        numbers[MARK] = _CHANCE
                        events = state.chance(outcomes[drawn])
                        if events is not None and (keeps_events or type(events) is not list):
                            self._new_events += events
                    self._all_answers = all_answers = None
                    continue
                if question is None:
                    break
                if is_checked or type(question) is not Question:
                    check_question(question, decisions, len(self.seats))
                    if self._games == 1:
                        self._check_json(question, state)
                decision = decisions[question.decision]
                seats, moves = question.seats, question.moves
                if self.waiting_seats:
                    counts = [*self.decision_counts]
                try:
                    if type(seats) is int and (moves is None or type(moves) is list):
                        view = state.view(seats)
                        answers = {seats: answer_of(decision, state, seats, view, moves)}
                    else:
                        answers = {
                            seat: answer_of(decision, state, seat, view, question.moves_of(seat))
                            for seat, view in self._waiting_first(question.views_of(state))
                        }
                except Waiting as waiting:
                    self.decision_counts[:] = counts
                    pending = waiting.pending
                    if self.people:
                        pending = pending._replace(drawing=state.draw(pending.seat))
                    yield pending
                    step = numbers[STEP]  # other games may have been played in the meantime
                    continue  # the same question again: nothing has changed
                if self.waiting_seats:
                    answers = {seat: answers[seat] for seat in question.listed_seats}
                    for waiting_seat in self.waiting_seats:
                        waiting_seat.clear_answer()
                self._answers = answers
                if all_answers is not None:
                    all_answers.append(answers)
                count += 1
                if count > max_decisions:
                    raise GameAuthorError(
                        f"it has taken {max_decisions:,} decisions and has not ended; end"
                        " it with a limit of turns, or raise Game.max_decisions"
                    )
                numbers[MARK] = _ANSWER
                events = state.answer(answers)
                if events is not None and (keeps_events or type(events) is not list):
                    self._new_events += events  # an iterator runs where it is exhausted
                yield question
            if self._games == 1:
                check_events(self._new_events)
        except (BotFault, *_PASSED_ON):
            raise
        except (Exception, SystemExit) as error:
            raise self._game_error(error) from error
        self._watched.mark(ARENA)

    def play_out(self) -> None:
        self._keeps_events = False
        try:
            super().play_out()
        finally:
            self._keeps_events = True

    @property
    def _needs_events(self) -> bool:
        """Whether somebody looks at events: at those of a table's first game always."""
        return self._keeps_events or self._games == 1

    def _waiting_first(self, views: Iterable[tuple[int, Any]]) -> Iterable[tuple[int, Any]]:
        """The seats that decide with their views, those first whose answers come from outside.

        Each other bot is thus asked once, when these have been answered.
        """
        if not self.waiting_seats:
            return views
        waiting = {seat.seat for seat in self.waiting_seats}
        return sorted(views, key=lambda seat_and_view: seat_and_view[0] not in waiting)

    def _check_json(self, question: Question, state: State) -> None:
        """Raise GameAuthorError unless JSON can represent the views that are shown."""
        for seat, view in question.views_of(state):
            check_view(self.game.codec, view, seat)

    def _play_opening(self, state: State) -> None:
        """Answer the first questions of the game with the deal's opening. Raises GameError."""
        opening = OpeningAnswers(self.game, self._opening, self._deal)
        while not opening.is_over:
            self._enter_game("question")
            question = state.question()
            if isinstance(question, Chance):
                self._draw(state, question)
                continue
            if question is not None:
                check_question(question, self.decisions, len(self.seats))
            answers = opening.answers(state, question)
            self._enter_game("answer")
            if (events := state.answer(answers)) is not None:
                self._new_events += events

    def _draw(self, state: State, chance: Chance) -> None:
        """Draw an outcome of chance, and apply it."""
        if self._games <= _CHECKED_GAMES:
            check_chance(chance, self._draw_names)
        outcome = chance.drawn(chance.stream(self._chance))
        self._all_answers = None
        self._enter_game("chance")
        if (events := state.chance(outcome)) is not None:
            self._new_events += events

    def _current_state(self) -> State:
        """The state of the game, which is created by the first call."""
        if self._state is None:
            self._enter_game("begin")
            deal = self._dealt = Deal(self.rules, len(self.seats), self._chance, self._opening)
            self._bot_streams = deal.bot_streams
            self._state = self.game.begin(deal)
            if not self._needs_events:
                self._state.recording = False
            self._has_checks = type(self._state).check is not State.check
        return self._state

    def _enter_game(self, function: str) -> None:
        """Show other processes that this function of the game runs."""
        self._watched.mark(GAME, _NUMBERS[function])

    def game_at_work(self) -> AbstractContextManager[None]:
        """Run the game's own code, with which no bot is charged. Raises GameError for exceptions.

        Where the process ends by it, the mark stays.
        """
        return _GameAtWork(self)

    def _on_game_error(self, error: BaseException | None) -> None:
        """Raise GameError for an exception in the game's own code; without one, it has ended."""
        if error is None:
            self._watched.mark(ARENA)
        elif isinstance(error, (Exception, SystemExit)) and not isinstance(error, _PASSED_ON):
            raise self._game_error(error) from error

    def _game_error(self, error: BaseException) -> GameError:
        """The error for an exception in the game's own code."""
        names = ", ".join(self.seated_bots[bot].name for bot in self.seats)
        function = called_function(error)
        where = f"{function}(), deal" if function else "deal"
        text = f"{self.game.title} fails in {where} {self._deal} ({names})"
        what = str(error) if isinstance(error, GameAuthorError) else bot_exception_line(error)
        return GameError(f"{text}: {what}")

    def result(self) -> Result:
        """The result of the game, checked; its winners are named."""
        result = self._result_so_far()
        if self.payoff is not None and self.loser is None:
            with self.game_at_work():
                check_payoffs(result.payoffs, self.payoff, self.side_by_seat, len(self.orders))
        return result

    def _result_so_far(self) -> Result:
        with self.game_at_work():
            state = self._current_state()
            self._enter_game("result")
            return checked_result(
                state.result(), self.game.counts, self.side_by_seat, self.game.payoff
            )

    def payoffs(self, result: Result) -> tuple[int, ...] | None:
        """What each seat gets, in parts of the unit; None after a fault if the game has no bound.

        Only for games with a payoff.
        """
        assert self.payoff is not None
        if self.loser is not None:
            return self.payoff.of_forfeit(self.loser, self.side_by_seat)
        return tuple(map(self.payoff.parts_of, result.payoffs))

    def winners(self, result: Result) -> tuple[int, ...]:
        """The winning seats; after a fault, all but those of the side that has lost by it."""
        if self.loser is not None:
            lost = self.side_by_seat[self.loser]
            return tuple(seat for seat, side in enumerate(self.side_by_seat) if side != lost)
        return tuple(sorted(result.winners or ()))

    def forfeit(self, seat: int) -> None:
        self.loser = self._seat = seat

    def fingerprint(self, result: Result) -> int | None:
        """The fingerprint of the game that has ended; None if anything was drawn in it."""
        answers, self._all_answers = self._all_answers, None
        deal = self._dealt
        if answers is None or deal is None or draws_from_streams(deal) or self._learners_sit:
            return None
        return fingerprint_of(self._opening, answers, result)

    @property
    def _learners_sit(self) -> bool:
        """Whether a bot at this table plays by what it has learnt."""
        return any(self.seated_bots[bot].learns for bot in self.seats)

    # Asking

    def _answer(
        self, decision: Decision, state: State, seat: int, view: Any, moves: Sequence[Any] | None
    ) -> Any:
        """The answer of the bot in a seat. Raises BotFault."""
        self._seat = seat
        player, name = self.sitting[seat], decision.name
        self._last_views[seat] = view
        decide = getattr(player, name, None)
        if decide is None:  # the decision is optional
            return None
        if getattr(view, "random", None) is no_random_numbers:
            force_setattr(view, "random", self._bot_streams[seat])
        if self._last_speaker != self.seats[seat]:
            self._set_speaker(seat)
        numbers = self._watched.numbers
        while True:
            numbers[SEAT] = seat
            numbers[MARK] = self._marks[name]
            try:
                if moves is None:
                    answer = decide(view)
                    if type(answer) is not bool or decision.answer is not bool:
                        answer = decision.checked(answer)
                else:
                    answer = decide(view, moves)
                    if type(answer) is not int or not 0 <= answer < len(moves):
                        answer = decision.checked(answer, moves)
            except BaseException as error:  # SystemExit, KeyboardInterrupt: the bot raised them
                raise fault_of(error, player) from error
            finally:
                numbers[MARK] = ARENA
                if getrecursionlimit() != self._guard.recursion:
                    self._guard.restore_quickly()
                if not self._origin[0]:  # the bot has forked: this is the child
                    _exit(0)
            if moves is not None or not self._has_checks:
                complaint = None
            else:
                numbers[MARK] = _CHECK
                complaint = state.check(seat, answer)
            if complaint is None:
                if answer is not None or not decision.optional:
                    self.decision_counts[seat] += 1
                return answer
            numbers[MARK] = ARENA
            if not isinstance(player, RetryingPlayer):
                raise BotFault(ILLEGAL, f"{decision.name}: {complaint}")
            player.on_complaint(complaint)

    def _set_speaker(self, seat: int) -> None:
        self._last_speaker = self.seats[seat]
        self._guard.restore_quickly()
        self.on_speaker(self._last_speaker)

    # Records

    def events(self) -> Iterator[Event | PendingDecision]:
        try:
            for stop in self.stops():
                yield from self._take_events()
                if isinstance(stop, PendingDecision):
                    yield stop
                else:
                    yield from self._boards()
        except BotFault:
            yield from self._take_events()
            raise
        yield from self._take_events()

    def _take_events(self) -> list[Event]:
        events, self._new_events = self._new_events, []
        with self.game_at_work():
            check_events(events)
        return events

    def _boards(self) -> list[Event]:
        """The drawing of the game as events: for everybody, or one for nobody and each seat."""
        with self.game_at_work():
            state = self._current_state()
            if type(state).draw is State.draw:
                return []
            board: Event = {"event": BOARD, BOARD: state.draw()}
            if self.game.perfect_information:
                return [board]
            return [
                {**board, SEEN_BY: []},
                *(
                    {"event": BOARD, BOARD: state.draw(seat), SEEN_BY: [seat]}
                    for seat in range(len(self.seats))
                ),
            ]

    def trace(self) -> Iterator[TraceStep]:
        taken_events: list[Any] = []
        for question in self.stops():
            assert not isinstance(question, PendingDecision)  # no people sit here
            for seat, answer in self._answers.items():
                question_data = (
                    question.decision,
                    question.moves_of(seat),
                    self._last_view_data(seat),
                )
                yield TraceStep(
                    seat, (question.decision, answer), repr((taken_events, question_data))
                )
            taken_events = self._take_events()
        yield TraceStep(self._seat, None, repr((taken_events, self._take_events(), self.result())))

    def _last_view_data(self, seat: int) -> Any:
        """The last view of a seat as data that can be compared."""
        with self.game_at_work():
            return self.game.codec.view_as_json(self._last_views[seat])

    def ending(self) -> Event:
        result = self.result()
        reason = result.reason if self.loser is None else FAULT
        event = self._end_event(result, self.winners(result), reason)
        if self.payoff is None or (parts := self.payoffs(result)) is None:
            return event
        return {**event, "payoffs": [self.payoff.value_of(number) for number in parts]}

    def abandoned_event(self) -> Event:
        return self._end_event(self._result_so_far(), (), LEFT)

    def _end_event(self, result: Result, winners: Sequence[int], reason: str) -> Event:
        length = self.game.counts.length
        with self.game_at_work():
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
        self._set_orders(players)
        self.__dict__.pop("payoff", None)
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

    # Games in step

    def plays_in_step(self, bots: Iterable[int]) -> bool:
        bots = tuple(bots)
        batched = self.batched_among(bots)
        others = [bot for bot in bots if bot not in batched]
        return bool(batched) and (not others or self.is_compiled(others))

    def games_in_step(self, block: Block, tally: Any) -> BatchGames:
        from cantstop_arena.table.plain_batches import PlainBatches

        return PlainBatches(self, block, tally)

    def table_in_step(self, number: int) -> PlainTable:
        """A table for one of the games in step, the number-th; what it shows is shown here."""
        players = len(self.side_by_seat)
        table = PlainTable(self.game, self.rules, self.seated_bots, players, self.seed)
        table._watched, table._guard, table._origin = self._watched, self._guard, self._origin
        table.on_speaker, table.opening_of = self.on_speaker, self.opening_of
        table.group = self.group
        table._games, table._keeps_events = number, False
        return table

    def mark_batch(self, cursor: int, position: int) -> None:
        self._watched.mark_game(cursor, (position,) * len(self.side_by_seat))
        self._watched.mark_decision(0, _BUILDING)

    def warm_up(self) -> None:
        self._origin = system.origin()  # the table may have been created before a fork
        try:
            self._prepare_game()
        except Exception as error:
            raise GameError(
                f"{self.game.title} fails to prepare: {bot_exception_line(error)}"
            ) from error

    def _prepare_game(self) -> None:
        self.game.prepare(self.rules, len(self.side_by_seat))

    @cached_property
    def payoff(self) -> Payoff | None:
        """What the game pays, with the bounds of these rules."""
        if self.game.payoff is None:
            return None
        with self.game_at_work():
            return self.game.payoff.under(self.rules, len(self.side_by_seat))


class _GameAtWork(AbstractContextManager[None]):
    """The game's own code runs; a generator as context manager takes ten times as long."""

    __slots__ = ("_table",)

    def __init__(self, table: PlainTable) -> None:
        self._table = table

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._table._on_game_error(error)
