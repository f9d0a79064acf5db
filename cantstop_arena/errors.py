"""The errors of the arena.

ArenaError                 an error that a user can correct; the message says how
├── UsageError             an invalid request (exit code 2)
│   ├── ConfigError        a tournament file with problems, all of them at once
│   ├── RulesError         an invalid rule set, with the invalid fields
│   └── BotError           a bot that is unknown, broken, or has no such option
│       └── OtherGameError a bot of another game, with the names of its games
├── LedgerError            results on disk that cannot be used or belong to another tournament
├── FaultError             a fault of a bot that ends the run: `on_fault: abort`, and in tuning
├── WorkerPoolError        worker processes that keep dying
├── ConvergenceError       a calculation that has not converged within its steps
├── GameError              a game whose own code fails
└── PageError              a page that cannot be drawn

Interrupted is raised when the user ends the program: Ctrl-C, or a signal to the process.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cantstop_arena.exit_codes import ExitCode

NOT_ON_WINDOWS = (
    "arena runs on Linux and macOS; on Windows, install and start it in WSL, the Linux of Windows"
    " (wsl --install)"
)


class ArenaError(Exception):
    """An error that a user can correct. `exit_code` is the process's exit code."""

    exit_code = ExitCode.FAILED


class UsageError(ArenaError):
    """An invalid request."""

    exit_code = ExitCode.WRONG_USE


class Problem(NamedTuple):
    """A problem in a file; line and column count from 1."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class ConfigError(UsageError):
    """A tournament file with problems, which are in the order of the file."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem[1:3]))
        super().__init__("\n".join(str(problem) for problem in self.problems))


class RulesError(UsageError):
    """An invalid rule set. `faults` are pairs of a field and the message about it."""

    def __init__(self, faults: Sequence[tuple[str, str]]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{field}: {message}" for field, message in faults))


class BotError(UsageError):
    """A bot that is unknown, broken, or has no such option."""


class OtherGameError(BotError):
    """A bot that plays other `games` than the one to be played."""

    def __init__(self, message: str, games: Sequence[str]) -> None:
        self.games = tuple(games)
        super().__init__(message)


class LedgerError(ArenaError):
    """Results on disk that cannot be used, or that belong to another tournament."""


class EarlierLedgerError(LedgerError):
    """A ledger of an earlier format, whose games had other dice."""

    exit_code = ExitCode.WRONG_USE


class FaultError(ArenaError):
    """A fault of a bot that ends the run: with `on_fault: abort`, and in tuning."""


class WorkerPoolError(ArenaError):
    """Worker processes that keep dying."""


class ConvergenceError(ArenaError):
    """A calculation whose result would be wrong, as it has not converged within its steps."""

    def __init__(self, result: str, steps: int) -> None:
        super().__init__(
            f"{result} cannot be computed: no convergence in {steps:,} steps; please report this"
        )


def steps_to(result: str, maximum: int) -> Iterator[int]:
    """The numbers of the steps of an iteration, from 1, which returns or breaks when it converges.

    Raises ConvergenceError after the last one. `result` is what is computed, in the message.
    """
    yield from range(1, maximum + 1)
    raise ConvergenceError(result, maximum)


class GameError(ArenaError):
    """A game whose own code fails, whoever plays it."""


class PageError(ArenaError):
    """A page cannot be written, since a package that draws it is missing or fails."""


class Interrupted(KeyboardInterrupt):
    """The user ends the program. A class of its own, since a bot may raise KeyboardInterrupt."""
