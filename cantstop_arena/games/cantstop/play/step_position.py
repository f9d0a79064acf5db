"""Positions of Can't Stop, which can be stepped and searched; see `game_api.position`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.game_api.position import IllegalAction, Observation, Position
from cantstop_arena.games.cantstop.engine.game_array import (
    AGAIN,
    MOVE,
    OVER,
    ROLL,
    TURN_LIMIT,
    secret,
)
from cantstop_arena.games.cantstop.engine.steps import ACTION, ANSWER, BEGIN, CHANGE, ILLEGAL, USE
from cantstop_arena.games.cantstop.play.actions import Actions, outcomes, roll_number
from cantstop_arena.games.cantstop.play.step_board import Head, StepBoard, board_for, fields_of
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Move, Turn


class CantStopPosition(Position):
    """A game in progress. Forced moves, winning stops and rolls from a seed are made at once."""

    def __init__(self, board: StepBoard, head: Head, status: int) -> None:
        """Used by the functions of this module and by subclasses; see `start`."""
        self.board = board
        self._head = head
        self._status = status

    # The interface of Position

    @property
    def rules(self) -> RuleSet:
        return self.board.rules

    @property
    def players(self) -> int:
        return self.board.players

    @property
    def action_count(self) -> int:
        return self.board.actions.count

    @property
    def observation_size(self) -> int:
        return self.board.observation_size

    @property
    def outcome_count(self) -> int:
        return len(outcomes(self.rules.sides))

    @property
    def max_actions(self) -> int:
        climbs = sorted(self.rules.column_lengths)[-self.rules.runners :]
        return 2 * sum(climbs) * self.rules.turn_limit  # each roll climbs, and has two decisions

    @property
    def seat(self) -> int:
        return self._status >> 3 & 3

    @property
    def is_over(self) -> bool:
        return self._now == OVER

    @property
    def is_cut_off(self) -> bool:
        return self._status >> 5 & 7 == TURN_LIMIT

    @property
    def is_chance(self) -> bool:
        return self._now == ROLL

    @property
    def winners(self) -> tuple[int, ...]:
        won = self._status >> 8
        return tuple(seat for seat in range(self.players) if won >> seat & 1)

    def observation(self, seat: int) -> Observation:
        return Observation(*self.board.look(self._head, self._now, seat))

    def step(self, action: int) -> None:
        status = self.board.step(self._head, ACTION, int(action))
        if status == ILLEGAL:
            raise IllegalAction(self._refusal(action))
        self._status = status

    def take(self, value: Move | bool) -> None:
        if self.is_choice:
            if value not in self.moves:
                raise IllegalAction(f"{value!r:.40} is no move; moves are {[*self.moves]!r:.200}")
            numbers = (n for n in self.legal if self.actions.moves[n] == value)
            self.step(next(numbers))
        else:
            self.step(self.actions.roll if value else self.actions.stop)

    @property
    def decision(self) -> str:
        return {MOVE: "choose_move", AGAIN: "roll_again"}.get(self._now, "")

    @property
    def simultaneous(self) -> bool:
        return False

    @property
    def offered(self) -> tuple[Move, ...] | None:
        return self.moves if self.is_choice else None

    def view(self, seat: int) -> Turn:
        """The turn, which all seats see alike, but for the seat that it names."""
        return self.turn()

    def information(self, seat: int) -> str:
        return f"{seat}|{self.decision}|{self.turn()!r}"

    def outcomes(self) -> Sequence[tuple[int, float]]:
        if not self.is_chance:
            return ()
        return [(index, outcome.chance) for index, outcome in enumerate(outcomes(self.rules.sides))]

    def give(self, outcome: int) -> None:
        possible = outcomes(self.rules.sides)
        if not 0 <= outcome < len(possible):
            raise IllegalAction(f"outcomes are 0 to {len(possible) - 1}, not {outcome}")
        self._give(possible[outcome].roll)

    def answer_for(self, action: int) -> int | bool:
        if self.is_choice:
            return self.moves.index(self.actions.moves[action])
        return action == self.actions.roll

    def action_name(self, action: int) -> str:
        return self.actions.name(action)

    def outcome_name(self, outcome: int) -> str:
        return "-".join(map(str, outcomes(self.rules.sides)[outcome].dice))

    def clone(self) -> CantStopPosition:
        return CantStopPosition(self.board, self._head.copy(), self._status)

    def with_chance_of(self, seed: Seed) -> CantStopPosition:
        copy = self.clone()
        if not copy.is_over:
            fields_of(copy._head).secret = secret(bits_of(seed))
            copy._status = copy.board.step(copy._head, CHANGE, int(copy.is_chance))
        return copy

    # Only in Can't Stop

    @property
    def actions(self) -> Actions:
        """The actions by number."""
        return self.board.actions

    @property
    def moves(self) -> tuple[Move, ...]:
        """The legal moves in the order that bots see; empty unless a move is to be chosen."""
        return tuple(sorted(self.actions.moves[action] for action in self.legal if self.is_choice))

    @property
    def is_choice(self) -> bool:
        """Whether the decision is to choose a move; otherwise it is to roll again or to stop."""
        return self._now == MOVE

    @property
    def turn_number(self) -> int:
        """The number of the turn, counted over all seats from 1."""
        return int(fields_of(self._head).turn)

    def turn(self, random: Callable[[], float] | None = None) -> Turn:
        """The turn as a bot on turn sees it; `random` replaces its random numbers."""
        turn = self.board.turn(self._head)
        return turn if random is None else turn._replace(random=random)

    def give_dice(self, dice: Sequence[int]) -> None:
        """Set the roll to these four dice. Raises IllegalAction when they are invalid or no roll is
        due."""
        sides = self.rules.sides
        if len(dice) != 4 or not all(1 <= die <= sides for die in dice):
            raise IllegalAction(f"a roll is four dice from 1 to {sides}, not {list(dice)}")
        self._give(roll_number(dice, sides))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.rules, self.players, self._head, self._status)

    def __deepcopy__(self, memo: object) -> CantStopPosition:
        return self.clone()

    @property
    def _now(self) -> int:
        return self._status & 7

    def _give(self, roll: int) -> None:
        if not self.is_chance:
            raise IllegalAction("no roll is due: the position waits for an action, or is over")
        self._status = self.board.step(self._head, USE, roll)

    def _refusal(self, action: int) -> str:
        if self.is_over:
            return "the game is over: there are no legal actions"
        if self.is_chance:
            return "a roll is due: give its outcome first"
        names = (f"{number} ({self.action_name(number)})" for number in self.legal)
        return f"action {action} is illegal here; legal are {', '.join(names)}"


def _restored(rules: RuleSet, players: int, head: Head, status: int) -> CantStopPosition:
    return CantStopPosition(board_for(rules, players), head, status)


def start(
    rules: RuleSet, players: int, seed: Seed | None = None, deal: int = 0
) -> CantStopPosition:
    """The first position of a deal, with the dice of a seed; without one, rolls must be given."""
    board = board_for(rules, players)
    head = blank_head(board, seed)
    return CantStopPosition(board, head, board.step(head, BEGIN, deal))


def blank_head(board: StepBoard, seed: Seed | None) -> Head:
    """A position before its game, with the dice of a seed; without one, rolls must be given."""
    head = board.blank()
    fields = fields_of(head)
    fields.watched = seed is None
    if seed is not None:
        fields.secret = secret(bits_of(seed))
    return head


def position_of(turn: Turn, moves: Sequence[Move] | None = None) -> CantStopPosition:
    """The position of a bot's turn, for a search; rolls must be given.

    With `moves` the decision is to choose one of them, otherwise to roll again or to stop.
    """
    board = board_for(turn.rules, turn.players)
    head = blank_head(board, None)
    _copy_turn(fields_of(head), turn)
    kind, value = (ANSWER, -1) if moves is None else (USE, roll_number(turn.dice, turn.rules.sides))
    fields_of(head).waiting = AGAIN
    return CantStopPosition(board, head, board.step(head, kind, value))


def _copy_turn(game: Any, turn: Turn) -> None:
    """Copy a turn to a game record, as far as play depends on it."""
    lengths = turn.rules.lengths
    game.seat, game.turn, game.rolls = turn.seat, turn.number, turn.rolls
    game.free = turn.free
    game.runners[: len(lengths)] = turn.runners
    game.placed = sum(1 << column for column in turn.placed)
    game.topped = sum(1 << column for column in turn.placed if _is_on_top(turn, column))
    game.claimed = sum(1 << column for column in turn.claimed)
    for step, (markers, claims) in enumerate(
        zip((turn.markers, *turn.rivals), (turn.claims, *turn.rival_claims), strict=True)
    ):
        seat = (turn.seat + step) % turn.players
        game.markers[seat, : len(lengths)] = markers
        game.claims[seat] = claims
    for seat in range(turn.players):
        game.brinks[seat] = _brink(game.markers[seat], turn)
    game.brink = game.brinks[turn.seat] | _brink(game.runners, turn)
    for seat in range(turn.players):
        game.seat_turns[seat] = (turn.number - seat + turn.players - 1) // turn.players


def _brink(spaces: Any, turn: Turn) -> int:
    """The columns, as a bit mask, in which one more advance reaches the top."""
    lengths = turn.rules.lengths
    return sum(
        1 << column for column in turn.rules.columns if lengths[column] - spaces[column] == 1
    )


def _is_on_top(turn: Turn, column: int) -> bool:
    return turn.runners[column] == turn.rules.lengths[column]
