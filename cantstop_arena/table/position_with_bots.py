"""Positions with bots in some of the seats, which make their own decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from msgspec.structs import force_setattr

from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.errors import FaultError, UsageError
from cantstop_arena.game_api.decisions import Decision
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.position import IllegalAction, Position
from cantstop_arena.game_api.state_position import StatePosition
from cantstop_arena.game_api.streams import DealChance, Stream
from cantstop_arena.game_api.view import View, no_random_numbers
from cantstop_arena.table.bot_faults import fault_of
from cantstop_arena.table.seated_bot import GameStart, SeatedBot


class PositionWithBots(StatePosition):
    """A game that stops only for the seats without bots. It cannot be copied."""

    def __init__(
        self,
        game: Game,
        rules: Any,
        players: int,
        seed: Seed | None,
        deal: int,
        bots: Mapping[int, SeatedBot],
    ) -> None:
        """Begin a deal. Raises UsageError without a seed, and exceptions of the bots."""
        if seed is None:
            raise UsageError("bots play with the chance of a seed: give one")
        self._bots_play = False
        chance = DealChance(bits_of(seed), deal)
        self._streams = {seat: Stream(chance.key_of_bot(seat)) for seat in bots}
        self._players_by_seat = {
            seat: player_of(
                bot,
                GameStart(
                    seat, players, rules, chance.key_of_bot(seat), True, tuple(range(players)), deal
                ),
            )
            for seat, bot in bots.items()
        }
        super().__init__(game, rules, players, seed, deal)

    def clone(self) -> NoReturn:
        """Raises UsageError: bots cannot be copied."""
        raise UsageError("a position with seated bots cannot be copied: copy one without bots")

    def __reduce__(self) -> NoReturn:
        self.clone()

    def _go_on(self) -> None:
        if self._bots_play:
            return
        self._bots_play = True  # the first call goes on for all answers that follow
        try:
            while self._waiting and self._seat in self._players_by_seat:
                self._take_answer_of_bot()
        finally:
            self._bots_play = False

    def _take_answer_of_bot(self) -> None:
        player, random = self._players_by_seat[self._seat], self._streams[self._seat]
        self.take(answer_of(self, self.game.decisions, player, random))


def answer_of(
    position: Position, decisions: Mapping[str, Decision], player: Any, random: Stream
) -> Any:
    """The value that a bot takes where it is to decide; None for an optional decision not taken.

    Its view gets the random numbers, if it has none. Raises IllegalAnswer, and what the bot raises.
    """
    decision, moves = decisions[position.decision], position.offered
    decide = getattr(player, decision.name, None)
    if decide is None:
        return None
    view = position.view(position.seat)
    if not isinstance(view, View):
        view = with_random(view, random)
    elif view.random is no_random_numbers:
        force_setattr(view, "random", random)
    answer = decision.checked(decide(view) if moves is None else decide(view, moves), moves)
    return answer if moves is None or answer is None else moves[answer]


def with_random(view: Any, random: Stream) -> Any:
    """A view that is a named tuple with these random numbers; any other as it is."""
    return view._replace(random=random) if hasattr(view, "_replace") else view


def player_of(bot: SeatedBot, start: GameStart) -> Any:
    """A new instance of a bot for this game."""
    return bot.player if bot.make_player is None else bot.make_player(start)


class SeatedPlayers:
    """New instances of bots, one for each seat, and their random numbers."""

    def __init__(self, game: Game, bots: Sequence[SeatedBot], rules: Any, seed: int) -> None:
        chance, count = DealChance(seed, 0), len(bots)
        keys = [chance.key_of_bot(seat) for seat in range(count)]
        everybody = tuple(range(count))
        self._decisions = game.decisions
        self._names = [bot.name for bot in bots]
        self._streams = [Stream(key) for key in keys]
        self._players = [
            player_of(bot, GameStart(seat, count, rules, keys[seat], True, everybody))
            for seat, bot in enumerate(bots)
        ]

    def play(self, position: Position) -> None:
        """Let the bot that is to decide do so. Raises FaultError."""
        seat = position.seat
        player, random = self._players[seat], self._streams[seat]
        try:
            answer = answer_of(position, self._decisions, player, random)
        except BaseException as error:
            raise self._fault(seat, str(fault_of(error, player))) from error
        try:
            position.take(answer)
        except IllegalAction as error:
            raise self._fault(seat, str(error)) from error

    def _fault(self, seat: int, what: str) -> FaultError:
        return FaultError(f"{self._names[seat]} cannot play: {what}")


def play_on(game: Game, position: Position, seed: Seed, bots: Sequence[SeatedBot]) -> Position:
    """The default of `Game.play_on`: decision by decision."""
    copy = position.with_chance_of(seed)
    players = SeatedPlayers(game, bots, copy.rules, bits_of(seed))
    while not copy.is_over:
        players.play(copy)
    return copy
