"""Bots in three forms: their addresses, their descriptions, and bots whose code is loaded."""

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from cantstop_arena.bots.bot_files import BotSource, exception_line, foreign_code
from cantstop_arena.bots.bot_functions import backend_of, check_backends, with_memory
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.bot_options import Option, find_faults
from cantstop_arena.game_api.decisions import Decision
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.processes.interpreter_guard import InterpreterGuard
from cantstop_arena.table.batched_bot import BatchedBot

RESERVED = ("bot", "command", "as", "isolate", "needs", "processes")
"""Keys of a bot in a tournament file that are not options; no option may have such a name."""

_HARMLESS = "is_harmless"  # attribute of a LoadedBot whose file has changed nothing
MAX_NAME_LENGTH = 60
A_NAME = f"must be 1 to {MAX_NAME_LENGTH} printable characters, with no space at either end"


def is_printed_well(name: str) -> bool:
    """Whether a bot can have this name."""
    return 0 < len(name) <= MAX_NAME_LENGTH and name.isprintable() and name == name.strip()


class BotAddress(msgspec.Struct, frozen=True):
    """The data by which a process loads a described bot; `digest` is that of its source texts."""

    name: str
    game: str
    origin: str
    digest: str
    source: BotSource | None = None
    package: str | None = None


class KnownBot(msgspec.Struct, frozen=True, kw_only=True):
    """The properties of a bot: its name, its game, its origin, and its options.

    `origin` is "built-in", "package", "file" or "command"; `source` has the files of a bot from a
    file, `package` is the entry point of a bot from a package, `digest` a hash of the source
    texts. A bot that `learns` keeps its memory from game to game.
    """

    name: str
    game: str = DEFAULT
    origin: str
    digest: str
    options: Mapping[str, Option]
    summary: str
    source: BotSource | None = None
    package: str | None = None
    learns: bool = False

    @property
    def address(self) -> BotAddress:
        """The address by which other processes load this bot."""
        return BotAddress(self.name, self.game, self.origin, self.digest, self.source, self.package)

    @property
    def path(self) -> Path | None:
        """The bot's own file; None for a bot that is not from a file."""
        return self.source.path if self.source else None

    @property
    def defaults(self) -> dict[str, Any]:
        """Every option with its default."""
        return {name: option.default for name, option in self.options.items()}

    def check_options(self, options: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The faults in values of options, as (option, message) pairs."""
        return find_faults(self.options, options)


class BotDescription(KnownBot, frozen=True, kw_only=True):
    """A bot described by another process, without its code.

    `backend` is "compiled", "batched" or "plain", with default options; `complaint` is the reason
    if the bot cannot be built with them.
    """

    backend: str = ""
    complaint: str = ""


class LoadedBot(KnownBot, frozen=True, kw_only=True, dict=True):
    """A bot whose code is loaded in this process.

    `maker` builds it from its options; `remake` runs the bot's file again and returns a new maker.
    """

    maker: Callable[..., Any]
    remake: Callable[[], Callable[..., Any]] | None = None

    @property
    def decisions(self) -> Mapping[str, Decision]:
        """The decisions of its game by name."""
        return game_named(self.game).decisions

    def build(self, options: Mapping[str, Any]) -> Any:
        """The bot with these options. Raises BotError when its own code fails to build it."""
        try:
            with foreign_code():
                player = self.maker(**{**self.defaults, **self._with_tuples(options)})
        except BotError:
            raise
        except BaseException as error:
            raise BotError(f"bot {self.name} cannot be built: {exception_line(error)}") from error
        check_backends(player, self.name, self.decisions)
        return player

    def fresh_instance(self, options: Mapping[str, Any]) -> Any:
        """A fresh instance of the bot, without memory. Raises whatever its own code raises.

        A batched bot has no memory, and may take long to build: it is always the same.
        """
        if (player := self._batched.get(repr(options))) is not None:
            return player
        maker = self.maker if self.remake is None else self._maker_anew(self.remake)
        player = maker(**{**self.defaults, **self._with_tuples(options)})
        if isinstance(player, BatchedBot):
            self._batched[repr(options)] = player
        return with_memory(player, self.decisions)

    @cached_property
    def _batched(self) -> dict[str, BatchedBot]:
        """The instances of a batched bot by its options."""
        return {}

    def _maker_anew(self, remake: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
        """The maker of the file's next run, whose changes of the interpreter are undone.

        A guard takes a tenth of a plain game's time, so a file whose first run changed nothing runs
        without one; what it changes later is undone at the next block.
        """
        if self.__dict__.get(_HARMLESS):
            return remake()
        with InterpreterGuard() as guard:
            maker = remake()
        self.__dict__[_HARMLESS] = not guard.has_restored
        return maker

    def description(self) -> BotDescription:
        """The description of this bot, for processes that do not load it."""
        fields = {name: getattr(self, name) for name in KnownBot.__struct_fields__}
        try:
            return BotDescription(**fields, backend=self.backend)
        except BotError as error:
            return BotDescription(**fields, complaint=str(error))

    def _with_tuples(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options, with lists converted to tuples where the default is a tuple."""
        tuples = {name for name, default in self.defaults.items() if isinstance(default, tuple)}
        return {
            name: tuple(value) if name in tuples and isinstance(value, list) else value
            for name, value in options.items()
        }

    @cached_property
    def backend(self) -> str:
        """ "compiled", "batched" or "plain", with default options. Raises BotError like `build`."""
        return backend_of(self.build({}), self.decisions)


def check_names(options: Mapping[str, Option]) -> None:
    """Raise BotError for an option with a name in RESERVED."""
    if reserved := next((name for name in options if name in RESERVED), None):
        names = ", ".join(RESERVED)
        raise BotError(f"an option must not be called {reserved!r}: {names} say something else")
