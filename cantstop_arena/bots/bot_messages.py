"""What the arena and the process of an isolated bot say to each other."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.processes.isolated_call import Raised


class StartBot(msgspec.Struct, tag=True, frozen=True):
    """Load and build a bot with these options; the answer is BotStarted or Raised.

    `memory` limits the bytes that the bot may use beyond what Python itself needs. Messages name
    its files as if they were in `display_folder`, if that is given. A program gets its options
    only.
    """

    options: Mapping[str, Any]
    bot: BotAddress | None = None
    folder: Path = Path()
    memory: int | None = None
    display_folder: str = ""


class StartGame(msgspec.Struct, tag=True, frozen=True):
    """Begin a game, for which there is no answer; `is_fresh` asks for a new instance of the bot.

    The `number` of the game decides its row in batches; programs do not get it.
    """

    seat: int
    players: int
    is_fresh: bool
    rules: Mapping[str, Any]
    key: int
    number: int = 0


class Decide(msgspec.Struct, tag=True, frozen=True):
    """Make a decision, by its name; the answer is an Answer with the same number.

    `moves` are the legal moves, where the answer is the index of one.
    """

    number: int
    decision: str
    view: Any
    moves: Any = None


class EndGame(msgspec.Struct, tag=True, frozen=True):
    """The result of the game, for which there is no answer."""

    seat: int
    players: int
    winners: Sequence[int]
    points: Sequence[int] = ()


Question: TypeAlias = StartBot | StartGame | Decide | EndGame


class BotStarted(msgspec.Struct, tag=True, frozen=True):
    """The bot is built; `listens` says whether it expects EndGame."""

    listens: bool


class Answer(msgspec.Struct, tag=True, frozen=True):
    """The answer to the decision of this number: a value, which may be anything, or an exception.

    `error` is the text of the exception that the bot has raised.
    """

    number: int
    value: Any = None
    error: str | None = None


Report: TypeAlias = BotStarted | Answer | Raised
