"""The exit codes of the command line, in the table of docs/reference/commands.md."""

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command has ended. A code beyond DISQUALIFIED is the verdict of a sequential test."""

    DONE = 0
    """Done, whatever the result. With `arena match --sprt … --exit-code`: H1 is accepted."""
    FAILED = 1
    """Failed while running (damaged results, a full disk), or a check with findings."""
    WRONG_USE = 2
    """Wrong use, nothing was played: arguments, a file with problems, a bot that cannot be used."""
    DISQUALIFIED = 3
    """Finished and written, but a bot was disqualified: the standings name it, and its fault."""
    H0_ACCEPTED = 4
    """With `arena match --sprt … --exit-code`: H0 is accepted."""
    UNDECIDED = 5
    """With `arena match --sprt … --exit-code`: neither hypothesis is accepted."""


def signal_exit_code(number: int) -> int:
    """The exit code of a process that ends at the user's signal, as shells have it."""
    return 128 + number
