"""Records the decisions of bots while they play: the view, the options and the answer."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_start import BotStart
from cantstop_arena.bots.loader import Loader
from cantstop_arena.game_api.decisions import GAME_OVER, Decision
from cantstop_arena.game_api.game import Game
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.table.bot_faults import RemotePlayer
from cantstop_arena.table.seated_bot import GameStart, SeatedBot
from cantstop_arena.tournaments.bot_adapters import seat_bot


class DecisionTaken(msgspec.Struct, frozen=True):
    """A decision: the seat, its name, and the view, options and answer as JSON values."""

    seat: int
    decision: str
    position: Any
    options: Any
    answer: Any


class _RecordingBot(BotFunctions):
    """The functions of a bot, which record their answers."""


class _RemoteRecordingBot(RemotePlayer, BotFunctions):
    """The recording functions of a bot in another process."""


class DecisionRecorder:
    """Records the decisions of the bots of a deal, game by game."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._games: list[list[DecisionTaken]] = []

    def begin(self) -> None:
        """Start a deal: forget the decisions of the one before."""
        self._games = []

    def by_game(self, games: int) -> Sequence[list[DecisionTaken]]:
        """The decisions of each game of the deal; none for all games if one was restarted."""
        return self._games if len(self._games) == games else [[] for _ in range(games)]

    def recorded_bot(self, bot_start: BotStart, loader: Loader) -> SeatedBot:
        """The bot, which plays as plain Python, and whose decisions are recorded."""
        bot = seat_bot(bot_start, loader, as_plain=True)
        make_player = bot.make_player
        assert make_player

        def make_recording_player(start: GameStart) -> BotFunctions:
            if start.seat == 0:
                self._games.append([])
            return self._recording_player(make_player(start), start.seat)

        player = self._recording_player(bot.player, 0)
        digest = f"{bot.digest}, noted"
        return replace(bot, player=player, digest=digest, make_player=make_recording_player)

    def _recording_player(self, player: Any, seat: int) -> BotFunctions:
        functions = {
            name: self._recording_function(decision, getattr(player, name), seat)
            for name, decision in self._game.decisions.items()
            if hasattr(player, name)
        }
        recording_class = _RemoteRecordingBot if isinstance(player, RemotePlayer) else _RecordingBot
        end_function = {GAME_OVER: player.game_over} if hasattr(player, GAME_OVER) else {}
        return recording_class(**functions, **end_function)

    def _recording_function(
        self, decision: Decision, decide: Callable[..., Any], seat: int
    ) -> Callable[..., Any]:
        codec = self._game.codec

        def decide_and_record(view: Any, *moves: Any) -> Any:
            answer = decide(view, *moves)
            position = msgspec.to_builtins(codec.view_as_json(view))
            options = msgspec.to_builtins(codec.moves_as_json(*moves)) if moves else None
            json_answer = msgspec.to_builtins(decision.checked(answer, *moves))
            self._games[-1].append(
                DecisionTaken(seat, decision.name, position, options, json_answer)
            )
            return answer

        return decide_and_record
