"""How a bot's process is started: its command, its options and its limits."""

import json
import sys
from pathlib import Path

from msgspec.structs import replace

from cantstop_arena.bots.bot_messages import StartBot
from cantstop_arena.bots.isolation import Isolation
from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.games.registry import DEFAULT
from cantstop_arena.processes.child_command import ChildCommand
from cantstop_arena.processes.system import python_module

SERVER = python_module("cantstop_arena.bots.bot_server")
"""The command that serves a bot in Python."""

_IMPORT_GAME = (
    "import sys; from cantstop_arena.games.registry import game_named; game_named(sys.argv[1])"
)


class BotStart(ChildCommand, frozen=True, kw_only=True):
    """How a bot's program is started, and its time limits in seconds.

    The program must report that it is ready within `start_limit`, and answer each later message
    within `decision_limit`. `options` is a JSON object with the bot's options.

    A bot in Python is served by SERVER, which reads it from its files or from `folder`, names its
    files as if they were in `display_folder`, if that is given, and limits the memory to `memory`
    bytes beyond what Python itself needs. In the sandbox a process sees the files that its command
    names, or those of the `bot`, and also `needs`; never what is `hidden`.
    """

    options: str = "{}"
    decision_limit: float = 10.0
    start_limit: float = 60.0
    game: str = DEFAULT
    isolation: Isolation = Isolation.SANDBOX_IF_ANY
    bot: BotAddress | None = None
    folder: Path = Path()
    display_folder: str = ""
    memory: int | None = None
    needs: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()

    @property
    def trial(self) -> "BotStart":
        """A start that needs what the program needs but for the bot, and succeeds at once."""
        import_game = (sys.executable, "-P", "-c", _IMPORT_GAME, self.game)
        return replace(self, argv=import_game if self.bot else ("true",), bot=None)

    @property
    def message(self) -> StartBot:
        """The first message to the process."""
        options = json.loads(self.options)  # which has infinite numbers, too
        return StartBot(options, self.bot, self.folder, self.memory, self.display_folder)
