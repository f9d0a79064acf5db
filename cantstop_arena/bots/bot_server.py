"""Serves a bot in Python to the arena: `python -m cantstop_arena.bots.bot_server`."""

import contextlib
import json
import random
import reprlib
import signal
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.bots.bot_messages import (
    Answer,
    BotStarted,
    Decide,
    DecideBatch,
    EndGame,
    Logits,
    Question,
    Report,
    StartBatches,
    StartBot,
    StartGame,
)
from cantstop_arena.bots.describe import MAX_REPORT_LENGTH, exception_report
from cantstop_arena.bots.known_bot import LoadedBot
from cantstop_arena.bots.loader import Loader
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.batches import (
    answer_array,
    check_type,
    empty_batch,
    encoding_or_error,
)
from cantstop_arena.game_api.decisions import GAME_OVER, Decision, GameOver
from cantstop_arena.game_api.streams import Stream
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.processes import system
from cantstop_arena.processes.channel import ChildEnd, take_standard_input
from cantstop_arena.processes.isolated_call import Raised
from cantstop_arena.processes.json_lines import FOREIGN_KEY
from cantstop_arena.table.batched_bot import BatchedBot

MAX_ANSWER_LENGTH = 1 << 15  # characters of JSON


class BotServer:
    """Answers the arena's messages for one bot. An exception of the bot becomes an answer, too."""

    def __init__(self) -> None:
        self._game = game_named(DEFAULT)
        self._make_player: Callable[[], Any] = _no_player
        self._player: Any = None
        self._rules = self._game.rules.default
        self._random = Stream(0)
        self._view: Any = None
        self._players = 0  # of the games in batches
        self._failure: BaseException | None = None

    def answer(self, message: Question) -> Report | None:
        """The answer to a message; None if it needs none."""
        try:
            match message:
                case StartBot():
                    return self._start(message)
                case StartGame():
                    self._begin_game(message)
                case Decide():
                    try:
                        return Answer(message.number, self._decide(message))
                    except IllegalAnswer as error:
                        return Answer(message.number, refusal=str(error))
                case EndGame():
                    self._end_game(message)
                case StartBatches():
                    self._rules = self._game.rules.from_dict(message.rules)
                    self._players = message.players
                case DecideBatch():
                    return self._decide_batch(message)
        except BaseException as error:
            text = exception_report(error)
            match message:
                case Decide():
                    return Answer(message.number, error=text)
                case DecideBatch():
                    return Logits(message.number, error=text)
                case _:
                    return Raised(text)
        return None

    def _start(self, message: StartBot) -> BotStarted:
        assert message.bot
        if message.display_folder:
            system.display_paths_in(message.folder, message.display_folder)
        self._game = game_named(message.bot.game)
        self._rules = self._game.rules.default
        self._game.prepare(self._rules, self._game.players[0])  # so that no decision waits
        if message.memory is not None:
            system.limit_memory(message.memory, for_good=True)
        bot = Loader(message.folder).open(message.bot)
        player = bot.build(message.options)  # reports a bot that cannot be built
        if isinstance(player, BatchedBot):
            player.warm_up(self._rules, self._game.players[0])
            self._player = player
            return BotStarted(False, player.rows, player.temperature, player.libraries)
        self._make_player = partial(fresh_player, bot, message.options)
        return BotStarted(hasattr(player, GAME_OVER))

    def _begin_game(self, message: StartGame) -> None:
        self._rules = self._game.rules.from_dict(message.rules)
        self._random = Stream(message.key)
        if message.is_fresh:
            self._player = None
        self._view = None
        seed_libraries(message.key)
        self._game.prepare(self._rules, message.players)  # not in the bot's time

    def _decide(self, message: Decide) -> object:
        player, codec = self._seated_player(), self._game.codec
        decision = self._game.decisions[message.decision]
        view = codec.view_from_json(decision.view, message.view, self._rules, self._random)
        arguments, self._view = [view], view
        if message.moves is not None:
            arguments.append(codec.moves_from_json(message.moves))
        decide = getattr(player, decision.name, None)
        return None if decide is None else answer_as_json(decision, decide(*arguments))

    def _decide_batch(self, message: DecideBatch) -> Logits:
        encoding = encoding_or_error(self._game, self._rules, self._players)
        rows = len(message.live)
        batch = empty_batch(rows, encoding, self._rules, self._players)
        for name, array in batch.arrays().items():
            array[:] = np.frombuffer(getattr(message, name), array.dtype).reshape(array.shape)
        try:
            array = answer_array(self._player.decide(batch))
            check_type(array.shape, array.dtype, batch)
            values = array.tobytes()
        except IllegalAnswer as error:
            return Logits(message.number, refusal=str(error))
        return Logits(message.number, array.dtype.str, array.shape, values)

    def _end_game(self, message: EndGame) -> None:
        """Call the bot's `game_over`, without an answer; the next decision raises its exception."""
        winners, points = tuple(message.winners), tuple(message.points)
        result = GameOver(message.seat, message.players, winners, points)
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
        if len(json.dumps(data, allow_nan=False)) < MAX_ANSWER_LENGTH and is_sendable(data):
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
    is_short = answer is None or (answer_type is str and len(str(answer)) < MAX_REPORT_LENGTH)
    if is_short and is_sendable(answer):
        return answer
    try:
        return {FOREIGN_KEY: reprlib.repr(answer)}
    except BaseException:
        return {FOREIGN_KEY: f"a {answer_type.__name__}"}


def is_sendable(data: object) -> bool:
    """Whether a message can hold the data: it holds no text with half of a letter (a surrogate)."""
    try:
        msgspec.msgpack.encode(data)
    except UnicodeEncodeError:
        return False
    return True


def _no_player() -> Any:
    raise BotError("no bot has been asked to get ready")


def main() -> None:
    """Serve a bot until the arena closes the channel, which is the standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the arena
    channel: ChildEnd[Question] = ChildEnd(take_standard_input(), Question)
    server = BotServer()
    with contextlib.suppress(EOFError, OSError):
        while True:
            answer = server.answer(channel.receive())
            if answer is not None:
                channel.send(answer)


if __name__ == "__main__":
    main()
