"""`arena bots check`: checks of a bot before a tournament."""

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.bots.bot_paths import is_bot_name, own_file, real_path
from cantstop_arena.bots.versions import version_in
from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import bots_option, catalogue_for, game_option, isolate_option
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.views.command_options import json_only_flag

if TYPE_CHECKING:
    from cantstop_arena.bots.bot_start import Isolation
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.bots.known_bot import BotDescription
    from cantstop_arena.check.findings import Finding


def _checked_seconds(context: click.Context, parameter: click.Parameter, seconds: float) -> float:
    if not isfinite(seconds):
        raise click.BadParameter(f"{seconds} is not a number of seconds")
    return seconds


@click.command(short_help="Check the bots of a file, or a program, for errors.")
@click.argument("file", shell_complete=shell_complete.bots)
@game_option
@isolate_option
@bots_option
@json_only_flag
@click.option(
    "--decision-limit",
    "limit",
    type=click.FloatRange(0.001, 600),
    callback=_checked_seconds,
    default=1.0,
    show_default=True,
    metavar="S",
    help="Maximal seconds per decision.",
)
def check(
    file: str,
    game_name: str,
    isolate: "Isolation",
    bots_folder: Path,
    as_json: bool,
    limit: float,
) -> ExitCode:
    """Check the bots of FILE, or the bot of that name, and play them with many rule sets.

    An earlier version of a bot, NAME@previous, can be checked, too, and a program in any language,
    ./PROGRAM or its command in quotes.

    The exit code is 1 when an error was found. The file runs in a separate process, with --isolate
    in a sandbox.
    """
    from msgspec.structs import asdict

    from cantstop_arena.check.check_run import BotCheck
    from cantstop_arena.check.findings import WRONG
    from cantstop_arena.check.program_check import ProgramCheck
    from cantstop_arena.tournaments.file.bot_references import command_in, entrant_from_reference

    catalogue = catalogue_for(bots_folder, game_name, isolation=isolate)
    raw_findings: Generator[Finding]
    if command_in(file, catalogue):
        entrant = entrant_from_reference(file, catalogue)
        raw_findings = ProgramCheck(entrant, catalogue, limit).findings()
    else:
        target = _target(file, catalogue)
        bot_findings = BotCheck(target, catalogue, limit).findings()
        raw_findings = _with_compile_hints(bot_findings, target, catalogue)
    with closing(raw_findings):
        findings = _with_relative_paths(raw_findings)
        results = list(findings if as_json else _printed(findings))
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in results], indent=2))
    is_wrong = any(finding.mark == WRONG for finding in results)
    return ExitCode.FAILED if is_wrong else ExitCode.DONE


def _target(file: str, catalogue: "Catalogue") -> Path | str:
    """The path of an existing bot's own file or of a stored version's, or the name of a bot."""
    from cantstop_arena.tournaments.file.entrants import find_bot

    if version_in(file) and (stored := find_bot(file, Path(), catalogue).path):
        return stored
    path = Path(file)
    if (own := own_file(path)) and (path.is_file() or not is_bot_name(file)):
        return real_path(own)
    if path.suffix == ".py" or path.name != file:
        raise UsageError(f"there is no file {file}")
    return file


def _with_compile_hints(
    findings: "Iterator[Finding]", target: Path | str, catalogue: "Catalogue"
) -> "Generator[Finding, None, None]":
    """The findings; when none is an error, also the speedup of plain bots by compilation."""
    from cantstop_arena.check.compiled_version import compile_hint
    from cantstop_arena.check.findings import NOTE, WRONG, Finding

    is_wrong = False
    for finding in findings:
        is_wrong |= finding.mark == WRONG
        yield finding
    if is_wrong:
        return
    for bot in _checked_bots(target, catalogue):
        if hint := compile_hint(catalogue, bot):
            yield Finding(NOTE, "compiled", hint, bot.name)


def _checked_bots(target: Path | str, catalogue: "Catalogue") -> "Sequence[BotDescription]":
    """The bots that were checked; none when the file is for another game."""
    if not isinstance(target, Path):
        return [catalogue.find(target)]
    try:
        return catalogue.bots_of(target)
    except BotError:
        return []


def _with_relative_paths(findings: "Iterator[Finding]") -> "Iterator[Finding]":
    """The findings with paths relative to the working directory."""
    from msgspec.structs import replace

    prefix = f"{Path.cwd()}/"
    return (replace(finding, text=finding.text.replace(prefix, "")) for finding in findings)


_LABELS = {"lane": "backend", "making": "build"}  # of subjects whose names in JSON stay


def _printed(findings: "Iterator[Finding]") -> "Iterator[Finding]":
    """The findings; each is printed when it arrives, below the name of its bot."""
    bot = None
    for finding in findings:
        if finding.bot != bot:
            click.echo(f"{finding.bot}:" if bot is None else f"\n{finding.bot}:")
            bot = finding.bot
        label = _LABELS.get(finding.subject, finding.subject)
        click.echo(f"  {finding.mark:<5}  {label:<13}  {finding.text}")
        yield finding
