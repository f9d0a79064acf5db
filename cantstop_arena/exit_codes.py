"""The exit codes of the command line, in the table of docs/reference/commands.md."""

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command has ended. A code beyond DISQUALIFIED is the verdict of a sequential test."""

    DONE = 0
    """Done, whatever the result; of a test whose verdict is the exit code: H1 is accepted."""
    FAILED = 1
    """Failed while running, or a check with findings."""
    WRONG_USE = 2
    """A request that cannot be carried out: nothing was played."""
    DISQUALIFIED = 3
    """Finished and written, but a bot was disqualified."""
    H0_ACCEPTED = 4
    """The sequential test accepted H0."""
    UNDECIDED = 5
    """The sequential test accepted neither hypothesis."""


def signal_exit_code(number: int) -> int:
    """The exit code of a process that ends at the user's signal, as shells have it."""
    return 128 + number
