"""`arena bots check`: what the author of a bot wants to know before a tournament."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import bots_option, catalogue_for, game_option
from cantstop_arena.errors import BotError, UsageError

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.bots.known_bot import BotDescription
    from cantstop_arena.check.findings import Finding


def _finite(context: click.Context, parameter: click.Parameter, seconds: float) -> float:
    if not isfinite(seconds):
        raise click.BadParameter(f"{seconds} is no number of seconds")
    return seconds


@click.command(short_help="Look at the bots of a file closely.")
@click.argument("file", shell_complete=shell_complete.bots)
@game_option
@bots_option
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option(
    "--decision-limit",
    "limit",
    type=click.FloatRange(0.001, 600),
    callback=_finite,
    default=1.0,
    show_default=True,
    metavar="S",
    help="Seconds that a decision may take.",
)
def check(file: str, game_name: str, bots_folder: Path, as_json: bool, limit: float) -> None:
    """Look at the bots of FILE, and play them under many rules; or at the bot of that name.

    Ends with exit code 1 where something is wrong. The file is run in a process of its own.
    """
    from msgspec.structs import asdict

    from cantstop_arena.check.check_run import BotCheck
    from cantstop_arena.check.findings import WRONG

    target, catalogue = _target(file), catalogue_for(bots_folder, game_name)
    check = BotCheck(target, catalogue, limit)
    with closing(check.findings()) as matches:
        findings = _with_relative_paths(_with_other_backend(matches, target, catalogue))
        items = list(findings if as_json else _printed(findings))
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in items], indent=2))
    if any(finding.mark == WRONG for finding in items):
        raise click.exceptions.Exit(1)


def _target(file: str) -> Path | str:
    """A path where it looks like one, else a name."""
    path = Path(file)
    if path.is_file():
        return path.absolute()
    if path.suffix == ".py" or path.name != file:
        raise UsageError(f"there is no file {file}")
    return file


def _with_other_backend(
    findings: "Iterator[Finding]", target: Path | str, catalogue: "Catalogue"
) -> "Iterator[Finding]":
    """The findings, and what plain bots would gain by being compiled, if nothing is wrong."""
    from cantstop_arena.check.compiled_version import compile_hint
    from cantstop_arena.check.findings import NOTE, WRONG, Finding

    is_wrong = False
    for finding in findings:
        is_wrong |= finding.mark == WRONG
        yield finding
    if is_wrong:
        return
    for bot in _described(target, catalogue):
        if text := compile_hint(catalogue, bot):
            yield Finding(NOTE, "compiled", text, bot.name)


def _described(target: Path | str, catalogue: "Catalogue") -> "Sequence[BotDescription]":
    """The bots that were looked at; none of a file that plays another game."""
    if not isinstance(target, Path):
        return [catalogue.find(target)]
    try:
        return catalogue.bots_of(target)
    except BotError:
        return []


def _with_relative_paths(findings: "Iterator[Finding]") -> "Iterator[Finding]":
    """The findings with paths that lie below this folder told from here."""
    from msgspec.structs import replace

    here = f"{Path.cwd()}/"
    return (replace(finding, text=finding.text.replace(here, "")) for finding in findings)


def _printed(findings: "Iterator[Finding]") -> "Iterator[Finding]":
    """The findings, each printed as it comes, those of each bot below its name."""
    bot = None
    for finding in findings:
        if finding.bot != bot:
            click.echo(f"{finding.bot}:" if bot is None else f"\n{finding.bot}:")
            bot = finding.bot
        click.echo(f"  {finding.mark:<5}  {finding.subject:<13}  {finding.text}")
        yield finding
