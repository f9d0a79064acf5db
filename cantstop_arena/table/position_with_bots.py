"""Positions with bots in some of the seats, which make their own decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from msgspec.structs import force_setattr

from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import Question
from cantstop_arena.game_api.state_position import StatePosition
from cantstop_arena.game_api.streams import DealChance, Stream
from cantstop_arena.game_api.view import no_random_numbers
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
            seat: _player(
                bot,
                GameStart(
                    seat, players, rules, chance.key_of_bot(seat), True, tuple(range(players))
                ),
            )
            for seat, bot in bots.items()
        }
        super().__init__(game, rules, players, seed, deal)

    def clone(self) -> NoReturn:
        """Raises UsageError: bots cannot be copied."""
        raise UsageError("a position with seated bots cannot be copied: copy one without bots")

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
        seat, question = self._seat, self._question
        assert isinstance(question, Question)
        decision, moves = self.game.decisions[question.decision], question.moves_of(seat)
        decide = getattr(self._players_by_seat[seat], decision.name, None)
        if decide is None:  # the decision is optional
            self._answer(None, None)
            return
        view = self.view(seat)
        if getattr(view, "random", None) is no_random_numbers:
            force_setattr(view, "random", self._streams[seat])
        answer = decision.checked(decide(view) if moves is None else decide(view, moves), moves)
        self.take(answer if moves is None else moves[answer])


def _player(bot: SeatedBot, start: GameStart) -> Any:
    """A new instance of a bot for this game."""
    return bot.player if bot.make_player is None else bot.make_player(start)
