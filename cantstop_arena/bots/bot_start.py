"""How a bot is started, in the process of its table or in one of its own."""

import hashlib
import json
import sys
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_messages import StartBot
from cantstop_arena.bots.isolation import Isolation
from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.processes.child_command import ChildCommand
from cantstop_arena.processes.child_limits import ChildLimits
from cantstop_arena.processes.system import python_module

_SERVER = python_module("cantstop_arena.bots.bot_server")
_IMPORT_GAME = (
    "import sys; from cantstop_arena.games.registry import game_named; game_named(sys.argv[1])"
)


def code_digest(*parts: str) -> str:
    """A key for the code of a bot: a hash of its origin, sources and options, 16 hex digits."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


class BotStart(msgspec.Struct, frozen=True, kw_only=True):
    """All that a process on any machine needs to build a bot, or to start a process for it.

    The `bot` plays as `name`. `options` is a JSON object of all its options; `files` are those that
    name files, with digests. Its `backend` is that of its description.

    The other fields are for a process of its own, in which a bot plays that has an `isolation`. A
    program is started by its `command`; a bot in Python is served, from its files or from `folder`,
    and its files are named as if they were in `display_folder`, if that is given. It must report
    that it is ready within `start_limit` seconds, and answer each later message within
    `decision_limit`; `limits` has the memory that a served bot may use beyond what Python itself
    needs. In the sandbox a process sees the files that its command names, or those of the bot, and
    also `needs`; never what is `hidden`.
    """

    name: str
    bot: BotAddress
    options: str = "{}"
    files: tuple[tuple[str, str], ...] = ()
    learns: bool = False
    backend: str = ""
    isolation: Isolation = Isolation.NONE

    command: tuple[str, ...] = ()
    cwd: Path = Path()
    limits: ChildLimits = ChildLimits()
    log: Path | None = None
    decision_limit: float = 10.0
    start_limit: float = 60.0
    folder: Path = Path()
    display_folder: str = ""
    needs: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()

    @property
    def is_compiled(self) -> bool:
        """Whether it is compiled according to its description."""
        return self.backend == "compiled"

    @property
    def is_foreign(self) -> bool:
        """Whether foreign code runs in the process of the table when the bot is built there."""
        return not self.isolation and self.bot.origin != "built-in"

    @property
    def digest(self) -> str:
        """The key of the bot's machine code in the cache."""
        files = [digest for _, digest in self.files]
        return code_digest(self.bot.origin, self.bot.name, self.bot.digest, self.options, *files)

    def in_own_process(self) -> "BotStart":
        """The start of a foreign bot that would harm the process of the table."""
        return replace(self, isolation=Isolation.PROCESSES) if self.is_foreign else self

    @property
    def process(self) -> ChildCommand:
        """The command of a process of its own; a server limits the memory of its bot itself."""
        if self.command:
            return ChildCommand(self.command, self.cwd, self.limits, self.log)
        return ChildCommand(_SERVER, self.cwd, replace(self.limits, memory=None), self.log)

    @property
    def message(self) -> StartBot:
        """The first message to such a process; a program gets its options only."""
        options = json.loads(self.options)  # which has infinite numbers, too
        if self.command:
            return StartBot(options)
        return StartBot(options, self.bot, self.folder, self.limits.memory, self.display_folder)

    @property
    def trial(self) -> "BotStart":
        """A start that needs what the process needs but for the bot, and succeeds at once."""
        import_game = (sys.executable, "-P", "-c", _IMPORT_GAME, self.bot.game)
        if self.command:
            return replace(self, command=("true",))
        return replace(self, command=import_game, limits=replace(self.limits, memory=None))
