"""What bots decide, noted down while they play: what each was shown, and what it answered."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from cantstop_arena.bots.loader import Loader
from cantstop_arena.game_api.decisions import GAME_OVER, Decision
from cantstop_arena.game_api.game import Game
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.table.bot_faults import RemotePlayer
from cantstop_arena.table.seated_bot import GameStart, SeatedBot
from cantstop_arena.tournaments.bot_adapters import LocalSeating
from cantstop_arena.tournaments.table_spec import SeatSpec


class DecisionTaken(msgspec.Struct, frozen=True):
    """A decision: of which seat, in which position, among which options, and the answer."""

    seat: int
    decision: str
    position: Any
    options: Any
    answer: Any


class _Noted(BotFunctions):
    """A bot's functions, what they answer being noted down."""


class _NotedElsewhere(RemotePlayer, BotFunctions):
    """Those of a bot in a process of its own."""


class Notes:
    """Notes what the bots of a deal decide, game by game."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._games: list[list[DecisionTaken]] = []

    def begin(self) -> None:
        """Turn to the next deal."""
        self._games = []

    def by_game(self, games: int) -> Sequence[list[DecisionTaken]]:
        """The decisions of each game of the deal; nothing where some game was begun again."""
        return self._games if len(self._games) == games else [[] for _ in range(games)]

    def recorded_bot(self, seat: SeatSpec, loader: Loader) -> SeatedBot:
        """The bot of a seat, whose decisions are noted; it plays as plain Python."""
        bot = seat.seated_bot(loader)
        sit = bot.make_player or LocalSeating(loader.open(seat.bot), json.loads(seat.options))

        def sit_noted(start: GameStart) -> BotFunctions:
            if start.seat == 0:
                self._games.append([])
            return self._watching(sit(start), start.seat)

        player = self._watching(bot.player, 0)
        return SeatedBot(bot.name, player, f"{bot.digest}, noted", sit_noted, bot.learns)

    def _watching(self, player: Any, seat: int) -> BotFunctions:
        functions = {
            name: self._watched(decision, getattr(player, name), seat)
            for name, decision in self._game.decisions.items()
            if hasattr(player, name)
        }
        kind = _NotedElsewhere if isinstance(player, RemotePlayer) else _Noted
        entries = {GAME_OVER: player.game_over} if hasattr(player, GAME_OVER) else {}
        return kind(**functions, **entries)

    def _watched(
        self, decision: Decision, decide: Callable[..., Any], seat: int
    ) -> Callable[..., Any]:
        codec = self._game.codec

        def decided(view: Any, *moves: Any) -> Any:
            answer = decide(view, *moves)
            position = msgspec.to_builtins(codec.view_as_json(view))
            options = msgspec.to_builtins(codec.moves_as_json(*moves)) if moves else None
            taken = msgspec.to_builtins(decision.checked(answer, *moves))
            self._games[-1].append(DecisionTaken(seat, decision.name, position, options, taken))
            return answer

        return decided
