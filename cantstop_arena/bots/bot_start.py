"""How a bot's process is started: its command, its options and its limits."""

import sys
from pathlib import Path

from msgspec.structs import replace

from cantstop_arena.bots.isolation import Isolation
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

    In the sandbox it sees the files that its command names, or those of the `bot` in Python, and
    also `needs`; never what is `hidden`.
    """

    options: str = "{}"
    decision_limit: float = 10.0
    start_limit: float = 60.0
    game: str = DEFAULT
    isolation: Isolation = Isolation.SANDBOX_IF_ANY
    bot: BotAddress | None = None
    needs: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()

    @property
    def trial(self) -> "BotStart":
        """A start that needs what the program needs but for the bot, and succeeds at once."""
        is_served = self.argv[: len(_SERVER)] == _SERVER
        import_game = (sys.executable, "-P", "-c", _IMPORT_GAME, self.game)
        return replace(self, argv=import_game if is_served else ("true",), bot=None)


def served_bot(
    bot: BotAddress, folder: Path, memory: int | None = None, shown_folder: str = ""
) -> tuple[str, ...]:
    """The command that serves a bot in Python.

    `memory` limits the bytes that the bot may use beyond what Python itself needs. Its messages
    name the bot's files as if they were in `shown_folder`, if that is given.
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
    arguments += ["--shown-folder", shown_folder] if shown_folder else []
    return (*_SERVER, "--bots", str(folder.absolute()), *arguments, "--", bot.name)
