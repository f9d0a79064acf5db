"""How a bot's process is started: its command, its options and its limits."""

import sys
from pathlib import Path

from msgspec.structs import replace

from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.games.registry import DEFAULT
from cantstop_arena.processes.child_command import ChildCommand
from cantstop_arena.processes.system import python_module

_SERVER = python_module("cantstop_arena.bots.bot_server")
_IMPORT_GAME = (
    "import sys; from cantstop_arena.games.registry import game_named; game_named(sys.argv[1])"
)


class BotStart(ChildCommand, frozen=True, kw_only=True):
    """How a bot's program is started, and its time limits in seconds.

    The program must report that it is ready within `start_limit`, and answer each later message
    within `decision_limit`. `options` is a JSON object with the bot's options.
    """

    options: str = "{}"
    decision_limit: float = 10.0
    start_limit: float = 60.0
    game: str = DEFAULT

    @property
    def trial(self) -> ChildCommand:
        """A command that needs what the program needs but for the bot, and succeeds at once."""
        is_served = self.argv[: len(_SERVER)] == _SERVER
        import_game = (sys.executable, "-P", "-c", _IMPORT_GAME, self.game)
        return replace(self, argv=import_game if is_served else ("true",))


def served_bot(bot: BotAddress, folder: Path, memory: int | None = None) -> tuple[str, ...]:
    """The command that serves a bot in Python.

    `memory` limits the bytes that the bot may use beyond what Python itself needs.
    """
    arguments = ["--game", bot.game, "--origin", bot.origin, "--digest", bot.digest]
    if bot.package:
        arguments += ["--package", bot.package]
    if bot.source:
        arguments += ["--path", str(bot.source.path.absolute())]
        arguments += [
            argument for name in bot.source.files_beside for argument in ("--beside", name)
        ]
        arguments += ["--copies", str(bot.source.copies.absolute())] if bot.source.copies else []
    arguments += [] if memory is None else ["--memory", str(memory)]
    return (*_SERVER, "--bots", str(folder.absolute()), *arguments, "--", bot.name)
