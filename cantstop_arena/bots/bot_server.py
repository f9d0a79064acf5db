"""Serves a bot in Python over a pipe: `python -m cantstop_arena.bots.bot_server`."""

import argparse
import contextlib
import json
import random
import reprlib
import signal
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.bots.describe import MAX_REPORT_LENGTH, exception_report
from cantstop_arena.bots.known_bot import BotAddress, LoadedBot
from cantstop_arena.bots.loader import Loader
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.decisions import GAME_OVER, MOVES, Decision, GameOver
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.streams import Stream
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.processes import system
from cantstop_arena.processes.child import take_pipes
from cantstop_arena.processes.json_lines import ERROR, FOREIGN_KEY, MAX_LINE_BYTES, line_of

Message = Mapping[str, Any]

MAX_ANSWER_LENGTH = MAX_LINE_BYTES // 2  # characters of JSON; the rest of its line is short


class BotServer:
    """Answers the arena's messages for one bot. An exception of the bot becomes an answer, too."""

    def __init__(
        self, game: Game, load_bot: Callable[[], LoadedBot], memory: int | None = None
    ) -> None:
        self._game = game
        self._load_bot = load_bot
        self._memory = memory
        self._make_player: Callable[[], Any] = _no_player
        self._player: Any = None
        self._rules = game.rules.default
        self._random = Stream(0)
        self._view: Any = None
        self._failure: BaseException | None = None
        self._responses: Mapping[str, Callable[[Message], Message | None]] = {
            "hello": self._prepare,
            "game": self._begin_game,
            **{
                decision.name: partial(self._decide, decision)
                for decision in game.decisions.values()
            },
            GAME_OVER: self._end_game,
        }

    def answer(self, line: bytes) -> bytes:
        """The answer to a line from the arena, as a line; empty if the message needs no answer."""
        message = json.loads(line)
        respond = self._responses.get(message["type"])
        if respond is None:
            return b""
        try:
            response = respond(message)
            return b"" if response is None else line_of(response)
        except BaseException as error:
            return line_of({ERROR: exception_report(error)})

    def _prepare(self, message: Message) -> Message:
        bot = self._load_bot()
        player = bot.build(message["options"])  # reports a bot that cannot be built
        self._make_player = partial(fresh_player, bot, message["options"])
        self._game.prepare(self._rules, self._game.players[0])  # so that no decision waits
        if self._memory is not None:
            system.limit_memory(self._memory)
        return {"type": "ready", GAME_OVER: hasattr(player, GAME_OVER)}

    def _begin_game(self, message: Message) -> None:
        seed = int(message["random"], 16)
        self._rules, self._random = self._game.rules.from_dict(message["rules"]), Stream(seed)
        if message.get("anew", True):
            self._player = None
        self._view = None
        seed_libraries(seed)
        self._game.prepare(self._rules, message["players"])  # not in the bot's time

    def _decide(self, decision: Decision, message: Message) -> Message:
        player, codec = self._seated_player(), self._game.codec
        view_data = message[decision.parameters[0]]
        arguments = [codec.view_from_json(decision.view, view_data, self._rules, self._random)]
        self._view = arguments[0]
        if MOVES in message:
            arguments.append(codec.moves_from_json(message[MOVES]))
        decide = getattr(player, decision.name, None)
        return {
            decision.key: None if decide is None else answer_as_json(decision, decide(*arguments))
        }

    def _end_game(self, message: Message) -> None:
        """Call the bot's `game_over`, without an answer; the next decision raises its exception."""
        winners, points = tuple(message["winners"]), tuple(message.get("points", ()))
        result = GameOver(message["seat"], message["players"], winners, points)
        try:
            self._seated_player().game_over(self._view, result)
        except BaseException as error:
            self._failure = error

    def _seated_player(self) -> Any:
        """The bot of this game, created at its first decision.

        Raises the exception of its last `game_over`, if there was one.
        """
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        if self._player is None:
            self._player = self._make_player()
        return self._player


def fresh_player(bot: LoadedBot, options: Mapping[str, Any]) -> Any:
    """A fresh instance of the bot, which remembers no earlier game."""
    return bot.fresh_instance(options)


def seed_libraries(seed: int) -> None:
    """Seed `random` and NumPy, so that a bot's draws from them depend on the game alone."""
    random.seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)


def answer_as_json(decision: Decision, answer: object) -> object:
    """A bot's answer as JSON data: in full if the decision accepts it and JSON can hold it."""
    if decision.has_moves or decision.answer in (bool, int):
        return value_as_json(answer)
    with contextlib.suppress(Exception):  # an illegal answer, or a value that JSON cannot hold
        data = msgspec.to_builtins(decision.checked(answer), str_keys=True)
        if len(json.dumps(data, allow_nan=False)) < MAX_ANSWER_LENGTH:
            return data
    return value_as_json(answer)


def value_as_json(answer: object) -> object:
    """A value as JSON data; one that JSON cannot hold becomes `{FOREIGN_KEY: text}`."""
    answer_type = type(answer)  # an object can lie about its class
    if issubclass(answer_type, bool | np.bool_):
        return bool(answer)
    if issubclass(answer_type, np.integer):
        return int(np.int64(answer))  # type: ignore[arg-type]
    if issubclass(answer_type, int) and abs(number := int.__index__(answer)) < 1 << 64:  # type: ignore[arg-type]
        return number
    if answer is None or (answer_type is str and len(str(answer)) < MAX_REPORT_LENGTH):
        return answer
    try:
        return {FOREIGN_KEY: reprlib.repr(answer)}
    except BaseException:
        return {FOREIGN_KEY: f"a {answer_type.__name__}"}


def _no_player() -> Any:
    raise BotError("no bot has been asked to get ready")


def _address(arguments: argparse.Namespace) -> BotAddress:
    source = arguments.path and BotSource(
        arguments.path, tuple(arguments.beside), arguments.digest, arguments.copies
    )
    return BotAddress(
        arguments.name,
        arguments.game,
        arguments.origin,
        arguments.digest,
        source,
        arguments.package,
    )


def main() -> None:
    """Serve a bot until the arena closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the arena
    questions, answers = take_pipes()
    parser = argparse.ArgumentParser(prog="python -m cantstop_arena.bots.bot_server")
    parser.add_argument("--bots", type=Path, required=True, help="the folder of bots")
    parser.add_argument("--game", default=DEFAULT, help="the game that it plays")
    parser.add_argument("--origin", default="built-in")
    parser.add_argument("--digest", default="", help="digest of the bot's source texts")
    parser.add_argument("--package", help="the entry point of the package that it came from")
    parser.add_argument("--path", type=Path, help="the file that the bot came from")
    parser.add_argument("--beside", action="append", default=[], help="what that file imports")
    parser.add_argument("--copies", type=Path, help="the folder with copies of the files")
    parser.add_argument("--memory", type=int, help="bytes it may use beyond those after the start")
    parser.add_argument("name")
    arguments = parser.parse_args()
    game = game_named(arguments.game)
    server = BotServer(
        game, lambda: Loader(arguments.bots).open(_address(arguments)), arguments.memory
    )
    with contextlib.suppress(BrokenPipeError):
        for line in questions:
            answers.write(server.answer(line))


if __name__ == "__main__":
    main()
