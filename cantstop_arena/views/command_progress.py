"""The progress display of the command line, for the commands that games add."""

from collections.abc import Callable

import click

from cantstop_arena.tournaments.run_observer import RunObserver

Display = Callable[[str, str, bool], RunObserver]
"""The display for a title, a unit (such as "deals"), and whether the command is quiet."""


def command_progress(title: str, unit: str, quiet: bool = False) -> RunObserver:
    """The display of the progress of the present command, which counts in this unit.

    The command line provides it as the object of click's context; without one, nothing is shown.
    """
    context = click.get_current_context(silent=True)
    display: Display | None = context.obj if context else None
    return display(title, unit, quiet) if display else RunObserver()
