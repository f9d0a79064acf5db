"""How a bot's process is started: its command, its options and its limits."""

from pathlib import Path

from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.games.registry import DEFAULT
from cantstop_arena.processes.child_command import ChildCommand
from cantstop_arena.processes.system import python_module


class BotStart(ChildCommand, frozen=True, kw_only=True):
    """How a bot's program is started, and its time limits in seconds.

    The program must report that it is ready within `start_limit`, and answer each later message
    within `decision_limit`. `options` is a JSON object with the bot's options.
    """

    options: str = "{}"
    decision_limit: float = 10.0
    start_limit: float = 60.0
    game: str = DEFAULT


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
    module = "cantstop_arena.bots.bot_server"
    return python_module(module, "--bots", str(folder.absolute()), *arguments, "--", bot.name)
