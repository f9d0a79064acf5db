"""What the arena and the process of an isolated bot say to each other."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta

from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.processes.isolated_call import Raised

_MAX_PARTS = 16  # of a shape, or libraries: a list takes eight times as much memory as its message


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
    """Begin a game, for which there is no answer; `is_fresh` asks for a new instance of the bot."""

    seat: int
    players: int
    is_fresh: bool
    rules: Mapping[str, Any]
    key: int


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


class StartBatches(msgspec.Struct, tag=True, frozen=True):
    """The rules of the games in all batches from now on, for which there is no answer."""

    rules: Mapping[str, Any]
    players: int


class DecideBatch(msgspec.Struct, tag=True, frozen=True):
    """Decide for many games at once; the answer is Logits with the same number.

    The others are the arrays of a `Batch`, as bytes.
    """

    number: int
    observations: bytes
    legal: bytes
    live: bytes
    seats: bytes
    random: bytes


ProgramQuestion: TypeAlias = StartBot | StartGame | Decide | EndGame
"""What a program in any language is told."""

Question: TypeAlias = ProgramQuestion | StartBatches | DecideBatch


class BotStarted(msgspec.Struct, tag=True, frozen=True):
    """The bot is built; `listens` says whether it expects EndGame.

    One that decides for many games at once has so many `rows` and this `temperature`, and computes
    with these `libraries`.
    """

    listens: bool
    rows: int = 0
    temperature: float = 0.0
    libraries: Annotated[Sequence[str], Meta(max_length=_MAX_PARTS)] = ()


class Answer(msgspec.Struct, tag=True, frozen=True):
    """The answer to the decision of this number: a value, which may be anything, or an exception.

    `refusal` says why it is no answer, and `error` is the text of the exception that the bot has
    raised.
    """

    number: int
    value: Any = None
    error: str | None = None
    refusal: str | None = None


class Logits(msgspec.Struct, tag=True, frozen=True):
    """The answer to the batch of this number: an array, or an exception.

    `values` are its bytes if it has a type and a shape that answers may have. `refusal` says why
    it is no array, and `error` is the text of the exception that the bot has raised.
    """

    number: int
    dtype: str = ""
    shape: Annotated[Sequence[int], Meta(max_length=_MAX_PARTS)] = ()
    values: bytes = b""
    refusal: str | None = None
    error: str | None = None


GameReport: TypeAlias = BotStarted | Answer | Raised
BatchReport: TypeAlias = BotStarted | Logits | Raised
"""What a bot with `decide(batch)` sends: no value of any shape, as its messages may be long."""
Report: TypeAlias = GameReport | BatchReport
