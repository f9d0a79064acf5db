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
from cantstop_arena.errors import ERROR, BotError
from cantstop_arena.game_api.decisions import GAME_OVER, MOVES, Decision, GameOver
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.streams import Stream
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.processes import system
from cantstop_arena.processes.channel import FOREIGN, MAX_LINE_BYTES, line_of
from cantstop_arena.processes.child import take_pipes

Message = Mapping[str, Any]

MAX_ANSWER_LENGTH = MAX_LINE_BYTES // 2  # letters; beside them there is little on its line


class BotServer:
    """Answers what the arena asks, for one bot. Whatever the bot raises is an answer, too."""

    def __init__(
        self, game: Game, find: Callable[[], LoadedBot], memory: int | None = None
    ) -> None:
        self._game = game
        self._find = find
        self._memory = memory
        self._make: Callable[[], Any] = _nobody
        self._player: Any = None
        self._rules = game.rules.default
        self._random = Stream(0)
        self._view: Any = None
        self._failed: BaseException | None = None
        self._responses: Mapping[str, Callable[[Message], Message | None]] = {
            "hello": self._get_ready,
            "game": self._begin,
            **{
                decision.name: partial(self._decide, decision)
                for decision in game.decisions.values()
            },
            GAME_OVER: self._finish,
        }

    def answer(self, line: bytes) -> bytes:
        """The line that answers one of the arena's; empty for what needs no answer."""
        data = json.loads(line)
        respond = self._responses.get(data["type"])
        if respond is None:
            return b""
        try:
            fields = respond(data)
            return b"" if fields is None else line_of(fields)
        except BaseException as error:
            return line_of({ERROR: exception_report(error)})

    def _get_ready(self, data: Message) -> Message:
        spec = self._find()
        player = spec.build(data["options"])  # that it cannot be built it says before it plays
        self._make = partial(fresh_player, spec, data["options"])
        self._game.prepare(self._rules, self._game.players[0])  # no decision waits for that
        if self._memory is not None:
            system.limit_memory(self._memory)
        return {"type": "ready", GAME_OVER: hasattr(player, GAME_OVER)}

    def _begin(self, data: Message) -> None:
        key = int(data["random"], 16)
        self._rules, self._random = self._game.rules.from_dict(data["rules"]), Stream(key)
        if data.get("anew", True):
            self._player = None
        self._view = None
        seed_libraries(key)
        self._game.prepare(self._rules, data["players"])  # which is not the bot's time

    def _decide(self, decision: Decision, data: Message) -> Message:
        player, codec = self._seated_player(), self._game.codec
        view = data[decision.parameters[0]]
        visible = [codec.view_from_json(decision.view, view, self._rules, self._random)]
        self._view = visible[0]
        if MOVES in data:
            visible.append(codec.moves_from_json(data[MOVES]))
        decide = getattr(player, decision.name, None)
        return {
            decision.key: None if decide is None else answer_as_json(decision, decide(*visible))
        }

    def _finish(self, data: Message) -> None:
        """Tell the bot how the game ended. Nobody waits: what it raises it raises when asked."""
        winners, points = tuple(data["winners"]), tuple(data.get("points", ()))
        result = GameOver(data["seat"], data["players"], winners, points)
        try:
            self._seated_player().game_over(self._view, result)
        except BaseException as error:
            self._failed = error

    def _seated_player(self) -> Any:
        """The bot of this game, made when it is asked first. Raises what it failed with."""
        if self._failed is not None:
            failed, self._failed = self._failed, None
            raise failed
        if self._player is None:
            self._player = self._make()
        return self._player


def fresh_player(spec: LoadedBot, options: Mapping[str, Any]) -> Any:
    """The bot, made anew, so that it remembers no earlier game."""
    return spec.made_anew(options)


def seed_libraries(key: int) -> None:
    """Let what a bot draws from `random` and NumPy depend on the game alone."""
    random.seed(key)
    np.random.seed(key & 0xFFFFFFFF)


def answer_as_json(decision: Decision, answer: object) -> object:
    """An answer as the arena hears it: one that the decision takes as plain values, in full."""
    if decision.has_moves or decision.answer in (bool, int):
        return value_as_json(answer)
    with contextlib.suppress(Exception):  # no answer; or it holds what JSON has no word for
        plain = msgspec.to_builtins(decision.checked(answer), str_keys=True)
        if len(json.dumps(plain, allow_nan=False)) < MAX_ANSWER_LENGTH:
            return plain
    return value_as_json(answer)


def value_as_json(answer: object) -> object:
    """An answer as JSON has it; what JSON has no word for as a text, under a key of its own."""
    kind = type(answer)  # an object can lie about its class
    if issubclass(kind, bool | np.bool_):
        return bool(answer)
    if issubclass(kind, np.integer):
        return int(np.int64(answer))  # type: ignore[arg-type]
    if issubclass(kind, int) and abs(number := int.__index__(answer)) < 1 << 64:  # type: ignore[arg-type]
        return number
    if answer is None or (kind is str and len(str(answer)) < MAX_REPORT_LENGTH):
        return answer
    try:
        return {FOREIGN: reprlib.repr(answer)}
    except BaseException:
        return {FOREIGN: f"a {kind.__name__}"}


def _nobody() -> Any:
    raise BotError("no bot has been asked to get ready")


def _address(data: argparse.Namespace) -> BotAddress:
    source = data.path and BotSource(data.path, tuple(data.beside), data.digest, data.kept)
    return BotAddress(data.name, data.game, data.origin, data.digest, source, data.package)


def main() -> None:
    """Serve a bot until the arena closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the arena
    questions, answers = take_pipes()
    parser = argparse.ArgumentParser(prog="python -m cantstop_arena.bots.bot_server")
    parser.add_argument("--bots", type=Path, required=True, help="the folder of bots")
    parser.add_argument("--game", default=DEFAULT, help="the game that it plays")
    parser.add_argument("--origin", default="built-in")
    parser.add_argument("--digest", default="", help="of the text that is to play")
    parser.add_argument("--package", help="the entry point of the package that it came from")
    parser.add_argument("--path", type=Path, help="the file that the bot came from")
    parser.add_argument("--beside", action="append", default=[], help="what that file imports")
    parser.add_argument("--kept", type=Path, help="the folder where a copy of the text lies")
    parser.add_argument("--memory", type=int, help="bytes it may take beyond what it begins with")
    parser.add_argument("name")
    data = parser.parse_args()
    game = game_named(data.game)
    server = BotServer(game, lambda: Loader(data.bots).open(_address(data)), data.memory)
    with contextlib.suppress(BrokenPipeError):
        for line in questions:
            answers.write(server.answer(line))


if __name__ == "__main__":
    main()
