"""What is known of a bot, and what builds it."""

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

RESERVED = ("bot", "command", "as", "isolate")
"""What a tournament file says of a bot besides its options, which have other names."""


class BotAddress(msgspec.Struct, frozen=True):
    """What it takes to load a bot that was described: `digest` is that of its source texts."""

    name: str
    game: str
    origin: str
    digest: str
    source: BotSource | None = None
    package: str | None = None


class KnownBot(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a bot: its game, where it comes from, and its options.

    `origin` is "built-in", "package", "file" or "command"; `source` where the text of one from a
    file lies, `package` the entry point of one from a package, `digest` a hash of the source
    texts. A bot that `learns` keeps what it remembers from game to game.
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
        """Where processes find it."""
        return BotAddress(self.name, self.game, self.origin, self.digest, self.source, self.package)

    @property
    def path(self) -> Path | None:
        """The file that it came from, if it has one of its own."""
        return self.source.path if self.source else None

    @property
    def defaults(self) -> dict[str, Any]:
        """Every option with its default."""
        return {name: option.default for name, option in self.options.items()}

    def check_options(self, given: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What is wrong with given options, as (option, message) pairs."""
        return find_faults(self.options, given)


class BotDescription(KnownBot, frozen=True, kw_only=True):
    """A bot that was looked at in another process.

    `lane` is "compiled" or "plain", with default options; where it cannot be built with them,
    `complaint` says why.
    """

    backend: str = ""
    complaint: str = ""


class LoadedBot(KnownBot, frozen=True, kw_only=True, dict=True):
    """A bot whose code is in this process, and can be built.

    `remake` runs a file again, for a maker.
    """

    maker: Callable[..., Any]
    remake: Callable[[], Callable[..., Any]] | None = None

    @property
    def decisions(self) -> Mapping[str, Decision]:
        """The decisions of its game."""
        return game_named(self.game).decisions

    def build(self, options: Mapping[str, Any]) -> Any:
        """The bot with these options. Raises BotError where its own code fails to build it."""
        try:
            with foreign_code():
                player = self.maker(**{**self.defaults, **self._typed(options)})
        except BotError:
            raise
        except BaseException as error:
            raise BotError(f"bot {self.name} cannot be built: {exception_line(error)}") from error
        check_backends(player, self.name, self.decisions)
        return player

    def made_anew(self, options: Mapping[str, Any]) -> Any:
        """The bot again, without anything it kept. Raises whatever its own code does."""
        maker = self.maker if self.remake is None else self.remake()
        player = maker(**{**self.defaults, **self._typed(options)})
        return with_memory(player, self.decisions)

    def description(self) -> BotDescription:
        """What others may know of it."""
        by_name = {name: getattr(self, name) for name in KnownBot.__struct_fields__}
        try:
            return BotDescription(**by_name, backend=self.backend)
        except BotError as error:
            return BotDescription(**by_name, complaint=str(error))

    def _typed(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options with lists, as files have them, where the default is a tuple."""
        tuples = {name for name, default in self.defaults.items() if isinstance(default, tuple)}
        return {
            name: tuple(value) if name in tuples and isinstance(value, list) else value
            for name, value in options.items()
        }

    @cached_property
    def backend(self) -> str:
        """ "compiled" or "plain", with default options. Raises BotError like `build`."""
        return backend_of(self.build({}), self.decisions)


def check_names(options: Mapping[str, Option]) -> None:
    """Refuse options that a tournament file could not tell from its own words. Raises BotError."""
    if taken := next((name for name in options if name in RESERVED), None):
        text = ", ".join(RESERVED)
        raise BotError(f"an option must not be called {taken!r}: {text} say something else")
