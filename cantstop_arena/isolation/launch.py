"""What it takes to start a bot's process: its command, its surroundings and its limits."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from cantstop_arena.bot_sources.bot_specs import Address
from cantstop_arena.games.registry import DEFAULT
from cantstop_arena.runtime.system import SEEN_FROM, python_module

_PASSED_ON = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "LD_LIBRARY_PATH",
    "SYSTEMROOT",
    "VIRTUAL_ENV",
    "PYTHONHOME",
    "CANTSTOP_ARENA_CACHE",
    "NUMBA_DISABLE_JIT",
    SEEN_FROM,
)
_FIXED = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",  # what is printed before it is killed is what matters
    # A bot has one core; libraries that start a thread for each would be in the others' way.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class Launch(msgspec.Struct, frozen=True):
    """How a program is started and treated. Limits are in seconds, `memory` is in bytes.

    The `start_limit` is for getting ready, the `decision_limit` for every answer after that.
    `options` is a JSON object for the bot; what the program writes to stderr is added to `log`.
    Files and folders that are `hidden` cannot be read in a sandbox, but for what it takes to start.
    """

    argv: tuple[str, ...]
    cwd: Path
    options: str = "{}"
    decision_limit: float = 10.0
    memory: int | None = None
    log: Path | None = None
    start_limit: float = 60.0
    hidden: tuple[Path, ...] = ()
    game: str = DEFAULT


def served_bot(bot: Address, folder: Path, memory: int | None = None) -> tuple[str, ...]:
    """The command that serves a bot in Python.

    It may take so much memory beyond what Python itself needs.
    """
    words = ["--game", bot.game, "--origin", bot.origin, "--digest", bot.digest]
    if bot.package:
        words += ["--package", bot.package]
    if bot.source:
        words += ["--path", str(bot.source.path.absolute())]
        words += [word for name in bot.source.beside for word in ("--beside", name)]
        words += ["--kept", str(bot.source.kept.absolute())] if bot.source.kept else []
    words += [] if memory is None else ["--memory", str(memory)]
    module = f"{__package__}.serve"
    return python_module(module, "--bots", str(folder.absolute()), *words, "--", bot.name)


def environment() -> Mapping[str, str]:
    """The environment of a bot: what programs need to run at all, and what makes runs alike."""
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    if path := os.pathsep.join(python_path()):
        passed_on["PYTHONPATH"] = path
    return passed_on | _FIXED


def python_path() -> list[str]:
    """The folders of PYTHONPATH, wherever a process that needs them stands."""
    told = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return [str(Path(folder).absolute()) for folder in told if folder]
