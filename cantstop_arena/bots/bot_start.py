"""How a bot is started: at its table, or isolated from the arena in a process of its own."""

import hashlib
import json
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_messages import StartBot
from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.errors import UsageError
from cantstop_arena.native.code_cache import OPTIONS
from cantstop_arena.native.memory_options import is_number
from cantstop_arena.processes.child_command import ChildCommand
from cantstop_arena.processes.child_limits import ChildLimits
from cantstop_arena.processes.sandbox import NoSandbox, Sandbox
from cantstop_arena.processes.system import python_module


class Isolation(StrEnum):
    """How a bot is isolated; true unless it plays in the arena's own processes.

    A bot in the sandbox sees only its own files. In a process of its own it has the user's rights.
    Programs in any language play in the sandbox where there is one, unless the user says how.
    """

    NONE = ""
    PROCESSES = "processes"
    SANDBOX = "sandbox"
    SANDBOX_IF_ANY = "sandbox if any"

    @property
    def key(self) -> bool | str | None:
        """The value of `isolate` in a tournament file; None for what needs no key."""
        return _KEYS.get(self)

    @property
    def identity(self) -> bool | str | None:
        """Its value in the version of a bot; None for a bot that is not isolated."""
        return True if self is Isolation.SANDBOX_IF_ANY else self.key


_KEYS: Mapping[Isolation, bool | str] = {
    Isolation.PROCESSES: "processes",
    Isolation.SANDBOX: True,
}
ISOLATE_VALUES = "true, false or processes"
"""What `isolate` may be, for messages."""


def isolation_of(value: object) -> Isolation | None:
    """The isolation of a value of `isolate`, or of the option; None for no such value."""
    if isinstance(value, Isolation):
        return value
    if value is False:
        return Isolation.NONE
    keys = ((type(key), key, isolation) for isolation, key in _KEYS.items())
    return next((each for kind, key, each in keys if type(value) is kind and value == key), None)


def checked_isolation(isolate: object) -> Isolation:
    """The isolation of an argument `isolate`. Raises UsageError."""
    isolation = isolation_of(isolate)
    if isolation is None:
        raise UsageError(f"isolate must be {ISOLATE_VALUES}, not {isolate!r:.60}")
    return isolation


def chosen_isolation(is_isolated: bool) -> Isolation:
    """What the option `--isolate` chooses. Raises UsageError where there is no sandbox."""
    if not is_isolated:
        return Isolation.NONE
    if problem := sandbox_problem():
        raise UsageError(f"--isolate needs a sandbox, and there is none here: {problem}")
    return Isolation.SANDBOX


def sandbox_problem() -> str:
    """Why there is no sandbox on this machine; empty where there is one."""
    try:
        Sandbox.here()
    except NoSandbox as error:
        return str(error)
    return ""


def check_sandbox(bot: str, isolation: Isolation) -> None:
    """Raise UsageError when a bot needs the sandbox, and there is none on this machine."""
    if isolation is Isolation.SANDBOX and (problem := sandbox_problem()):
        raise UsageError(sandbox_refusal(bot, problem))


def sandbox_refusal(bot: str, reason: str) -> str:
    """The message about an isolated bot where there is no sandbox."""
    remedy = "Install it, or write" if reason.endswith("is not installed") else "Write"
    return (
        f"bot {bot} is isolated, and there is no sandbox here: {reason}. {remedy} isolate:"
        " processes, which does not protect your files."
    )


_SERVER = python_module("cantstop_arena.bots.bot_server")
_IMPORT_GAME = (
    "import sys; from cantstop_arena.games.registry import game_named; game_named(sys.argv[1])"
)


def code_digest(*parts: str) -> str:
    """A key for the code of a bot: a hash of its origin, sources and options, 16 hex digits."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


class BotStart(msgspec.Struct, frozen=True, kw_only=True):
    """All that a process on any machine needs to build a bot, or to start a process for it.

    The `bot` plays as `name`, with the dice of `dice_name`. `options` is a JSON object of all its
    options; `files` are those that name files, with digests. Its `backend` is that of its
    description.

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
    dice_name: str = ""
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
        return not self.isolation and self.bot.origin.is_foreign

    @property
    def digest(self) -> str:
        """The key of the bot's machine code in the cache; numbers and files come last."""
        files = dict(self.files)
        given = json.loads(self.options).items()
        others = {name: value for name, value in given if is_number(value) or name in files}
        constants = {name: value for name, value in given if name not in others}
        bot = self.bot.origin, self.bot.name, self.bot.digest
        code = code_digest(*bot, json.dumps(constants))
        if not others:
            return code
        return f"{code}{OPTIONS}{code_digest(json.dumps(others), *files.values())}"

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
