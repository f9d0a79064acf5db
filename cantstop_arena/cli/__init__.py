"""The command line: one module per command, with heavy imports inside the commands."""

import os
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NoReturn

import click

from cantstop_arena import __version__
from cantstop_arena.cli import commands
from cantstop_arena.errors import ArenaError, Interrupted
from cantstop_arena.exit_codes import ExitCode, signal_exit_code
from cantstop_arena.processes import shutdown, system
from cantstop_arena.processes.system import memory_shortage, prepare_process
from cantstop_arena.texts import printable_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cantstop_arena.extension_hooks import Command
    from cantstop_arena.tournaments.run_observer import RunObserver

# NumPy reads these when it is imported. Threads for small matrices would only slow each other and
# the workers down.
if "numpy" not in sys.modules:
    for _threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(_threads, "1")


_MIN_MEMORY = 1 << 30
"""Bytes of address space. With less the engine's compiler aborts the process without a message."""


GROUPS = {
    "Play and rate": (
        "run",
        "match",
        "gauntlet",
        "rate",
        "history",
        "export",
        "report",
        "results",
        "plan",
    ),
    "Bots": ("bots", "bench", "tune"),
    "The games": ("games", "rules", "compare", "odds"),
    "One game": ("play", "replay", "draw"),
    "Your shell": ("completion",),
    "Your installation": ("extensions",),
}
"""The commands as `arena --help` and docs/reference/commands.md list them.

Each is a function in the module of its name in `cli.commands` or a command of a built-in game.
Other commands are of packages' games.
"""

_LISTED = {name for section in GROUPS.values() for name in section}


def added_commands() -> "Mapping[str, Command]":
    """The commands of extensions, which are asked when the core has no command of a name."""
    from cantstop_arena.extension_registry import commands

    return commands()


def sections_of(names: Iterable[str]) -> dict[str, list[str]]:
    """The commands in the sections of `arena --help`; those of extensions say where they stand."""
    sections = {title: list(section) for title, section in GROUPS.items()}
    added = added_commands()
    for name, command in added.items():
        section = sections.setdefault(command.section, [])
        at = section.index(command.after) + 1 if command.after in section else len(section)
        section.insert(at, name)
    for last in [*GROUPS][-2:]:
        sections[last] = sections.pop(last)
    sections["Of installed games"] = [n for n in names if n not in _LISTED and n not in added]
    return {title: section for title, section in sections.items() if section}


class ArenaGroup(click.Group):
    """Reports the errors of users with a message and an exit code instead of a traceback.

    A command that has finished may return an ExitCode; without one it is DONE.
    """

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command line, whatever state its process has been started in."""
        system.relax_gc()
        prepare_process()
        return super().main(*args, **extra)

    def list_commands(self, context: click.Context) -> list[str]:
        """The names of the commands, with those that games add."""
        from cantstop_arena.games.registry import command_names

        return sorted({*_LISTED, *added_commands(), *command_names()})

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their summaries, in sections."""
        names = self.list_commands(context)
        width = formatter.width - 6 - max(map(len, names))
        for title, section in sections_of(names).items():
            rows = [(name, self._summary(context, name, width)) for name in section]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def _summary(self, context: click.Context, name: str, width: int) -> str:
        """The summary of a command; that of an extension's is known without its module."""
        if added := added_commands().get(name):
            return click.Command(name, short_help=added.summary).get_short_help_str(width)
        command = self.get_command(context, name)
        return command.get_short_help_str(width) if command else ""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """A command by its name. Only its module is imported: a start needs no other."""
        module = f"{commands.__name__}.{name}"
        if name in _LISTED and find_spec(module):
            target: str | None = f"{module}:{name}"
        elif added := added_commands().get(name):
            target = added.location
        else:
            from cantstop_arena.games.registry import command_target

            target = command_target(name)
        command: click.Command | None = resolve_name(target) if target else None
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named first; where there is none, the error has one like it."""
        name = args[0]
        is_option = name.startswith("-")
        if not is_option and not context.resilient_parsing and not self.get_command(context, name):
            from cantstop_arena.game_api.bot_options import did_you_mean

            hint = did_you_mean(name, self.list_commands(context))
            raise click.UsageError(f"No such command {name!r}{hint}.", context)
        return super().resolve_command(context, args)

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Refuse arguments that are not UTF-8: they could not be written to files or terminals."""
        for word in args:
            if any("\ud800" <= char <= "\udfff" for char in word):
                raise click.UsageError(f"{word!r} is not text in UTF-8")
        if any(word.startswith("--luck") for word in args):
            from cantstop_arena.views.command_options import with_optional_values

            args = with_optional_values(args)
        return super().parse_args(context, args)

    def invoke(self, context: click.Context) -> Any:
        try:
            with shutdown.handle_signals("Stopped."):
                code = self._invoke(context)
        except ModuleNotFoundError as missing:
            from cantstop_arena.extension_registry import without_package

            if not (error := without_package(missing)):
                raise
            _exit_with(context, error)
        except ArenaError as error:
            _exit_with(context, error)
        except BrokenPipeError:
            raise  # click ends without a message when the reader of a pipe is gone
        except OSError as error:
            click.echo(f"{error.filename or 'arena'}: {error.strerror or error}", err=True)
            _discard_output()
            context.exit(ExitCode.FAILED)
        if isinstance(code, ExitCode):
            context.exit(code)
        return code

    def _invoke(self, context: click.Context) -> Any:
        if shortage := memory_shortage(_MIN_MEMORY):
            raise ArenaError(f"not enough memory: {shortage}")
        try:
            return super().invoke(context)
        except Interrupted as interruption:
            if message := shutdown.end_message():
                click.echo(message, err=True)
            context.exit(signal_exit_code(interruption.args[0]))


def _exit_with(context: click.Context, error: ArenaError) -> NoReturn:
    """End the command with the message and the exit code of an error."""
    click.echo(printable_lines(str(error)), err=True)
    context.exit(error.exit_code)


def _discard_output() -> None:
    """Discard buffered output that cannot be written: the interpreter would fail on it at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _progress_screen(title: str, unit: str, quiet: bool) -> "RunObserver":
    """The display of a command's progress; see `views.command_progress`."""
    from cantstop_arena.cli.terminal.progress_screen import ProgressScreen

    return ProgressScreen(title, unit, quiet)


_SETTINGS = {"help_option_names": ["-h", "--help"], "obj": _progress_screen}


@click.group(cls=ArenaGroup, context_settings=_SETTINGS)
@click.version_option(__version__, prog_name="arena")
def main() -> None:
    """A laboratory for dice and board games played by bots.

    \b
    arena run tournament.yaml    play a tournament and print its tables
    arena rate results/NAME      rate stored results again, or several together
    arena report results/NAME    rewrite the HTML page of stored results
    arena compare rules.yaml     compare rule sets: how each changes the game
    arena match A B --sprt 0 5   play until a test decides whether A is stronger
    arena gauntlet A             play A against a field of bots and rank it
    arena bots                   list the bots that can play
    """
