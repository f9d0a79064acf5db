"""Bots with `decide(batch)`, which decide for many games at once, and for one game like others."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.batches import (
    DEFAULT_ROWS,
    FINE,
    MAX_ROWS,
    actions_in,
    complaint,
    empty_batch,
    encoding_or_error,
    numbered_decision,
    row_of,
)
from cantstop_arena.game_api.game import Game
from cantstop_arena.hookspecs import BATCH_HOOK, BotFunctions
from cantstop_arena.table.device import libraries_here
from cantstop_arena.table.seated_bot import GameStart


class BatchedBot(BotFunctions):
    """A bot that decides for the games of a batch, whose size is `rows`.

    It has a function for each decision of the game, too, for games that are played alone: these
    call `decide` with all rows but that of the game empty, since some libraries round differently
    in batches of another size. So they give the same answers as in a batch.
    """

    def __init__(
        self,
        game: Game,
        decide: Callable[..., Any],
        rows: int = DEFAULT_ROWS,
        temperature: float = 0.0,
    ) -> None:
        """Raises BotError for settings that make no sense."""
        self.set_batches(rows, temperature)
        try:
            encoding_or_error(game, game.rules.default, game.players[-1])
        except UsageError as error:
            raise BotError(str(error)) from None
        functions = {name: partial(self._decide_alone, name) for name in game.decisions}
        super().__init__(**functions)
        self.game = game
        self.row = 0
        setattr(self, BATCH_HOOK, decide)

    def set_batches(self, rows: int, temperature: float) -> None:
        """Set the rows of a batch, and how actions are taken from logits. Raises BotError."""
        if type(rows) is not int or not 1 <= rows <= MAX_ROWS:
            raise BotError(f"rows must be a whole number from 1 to {MAX_ROWS}, not {rows!r:.40}")
        if type(temperature) not in (int, float) or not temperature >= 0:
            raise BotError(f"temperature must be 0 or a greater number, not {temperature!r:.40}")
        self.rows = rows
        self.temperature = float(temperature)

    @property
    def libraries(self) -> Sequence[str]:
        """The libraries for nets where it computes, with their versions."""
        return libraries_here()

    def get_ready(self, group: Group) -> None:
        """Do what a bot in a process of its own does before it meets the bots of a group."""

    def seated(self, start: GameStart) -> "BatchedBot":
        """The bot, for a game that is played alone."""
        self.get_ready(start.group)
        self.choose_row(start.number)
        return self

    def choose_row(self, number: int) -> None:
        """Set the row of the next game, which has this number; see `batches.row_of`."""
        self.row = row_of(number, self.rows)

    def prepare(self, rules: Any, players: int) -> None:
        """Do what takes long before any decision's time counts: compile positions, and have the bot
        decide for an empty batch, as the first call of many libraries takes longer than others."""
        self.compile_positions(rules, players)
        self.warm_up(rules, players)

    def warm_up(self, rules: Any, players: int) -> None:
        """Have the bot decide for an empty batch."""
        encoding = encoding_or_error(self.game, rules, players)
        with suppress(Exception):  # what it raises for games is a fault there
            self.decide(empty_batch(self.rows, encoding, rules, players))

    def compile_positions(self, rules: Any, players: int) -> None:
        """Compile or load positions, from which games that are played alone are observed."""
        if self.game.has_positions:
            self.game.position(rules, players, 0).observation(0)

    def _decide_alone(self, name: str, view: Any, moves: Sequence[Any] | None = None) -> Any:
        """The answer to a decision. Raises IllegalAnswer, and what the bot raises."""
        encoding = encoding_or_error(self.game, view.rules, view.players)
        decision = numbered_decision(self.game, name, view, moves)
        batch = empty_batch(self.rows, encoding, view.rules, view.players)
        row = self.row
        batch.observations[row], batch.legal[row] = decision.observation
        batch.live[row], batch.seats[row] = True, view.seat
        batch.random[row] = view.random()
        actions, faults = actions_in(self.decide(batch), batch, self.temperature)
        action = int(actions[row])
        if faults[row] != FINE:
            raise IllegalAnswer(
                complaint(int(faults[row]), action, decision.name_of, encoding.actions)
            )
        return decision.answer_for(action)
