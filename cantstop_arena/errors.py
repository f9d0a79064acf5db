"""Every error a user can cause.

ArenaError                 something a user can mend; the message says how
├── UsageError             a request that cannot be understood (exit code 2)
│   ├── ConfigError        a tournament file with problems, all of them at once
│   ├── RulesError         a rule set that makes no sense, with the fields to blame
│   └── BotError           a bot that is unknown, broken, or has no such option
├── LedgerError            results on disk that cannot be used or belong to another tournament
├── FaultError             a bot misbehaved in a tournament that is to stop at that
├── WorkerPoolError        worker processes that keep dying
├── ClusterError           a cluster that cannot be reached, ends, or has no machine that can play
├── GameError              a game whose own code fails
└── PageError              a page that cannot be drawn

Interrupted is the user's own wish: Ctrl-C, or a request to end the process.
"""

from collections.abc import Sequence
from typing import NamedTuple

ERROR = "error"  # the key under which another process tells that something failed there


class ArenaError(Exception):
    """Something a user can mend. `exit_code` is the process's exit code."""

    exit_code = 1


class UsageError(ArenaError):
    """A request that cannot be understood."""

    exit_code = 2


class Problem(NamedTuple):
    """One thing wrong in a file; line and column count from 1."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class ConfigError(UsageError):
    """A tournament file with problems, in the order in which they stand in the file."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem[1:3]))
        super().__init__("\n".join(str(problem) for problem in self.problems))


class RulesError(UsageError):
    """A rule set that makes no sense. `faults` pairs each field with what is wrong with it."""

    def __init__(self, faults: Sequence[tuple[str, str]]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{field}: {message}" for field, message in faults))


class BotError(UsageError):
    """A bot that is unknown, broken, or has no such option."""


class LedgerError(ArenaError):
    """Results on disk that cannot be used, or that belong to another tournament."""


class FaultError(ArenaError):
    """A bot misbehaved in a tournament that is to stop at that."""


class WorkerPoolError(ArenaError):
    """Worker processes that keep dying."""


class ClusterError(ArenaError):
    """A cluster that cannot be reached, that ends, or none of whose machines can play."""


class GameError(ArenaError):
    """A game whose own code fails, whoever plays it."""


class PageError(ArenaError):
    """A page cannot be written, as a package is missing that draws it, or fails."""


class Interrupted(KeyboardInterrupt):
    """The user wants the program to end; told apart from a bot that raises KeyboardInterrupt."""
