"""What a check reports: findings, stages and traces, as messages of the process that checks."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from cantstop_arena.check.suite import CheckedRules, Trace
from cantstop_arena.games.registry import DEFAULT

OK, NOTE, WRONG = "ok", "note", "WRONG"


class CheckRequest(msgspec.Struct, tag=True, frozen=True):
    """A bot to check: of a file, of a package's entry point, or built in, by name and game.

    The game is also that of a file that names none.

    `bot` is one of the bots of a file, by default the first. `limit` is in seconds per decision.
    With `only_play`, only the traces of the games are reported. Messages name files in `folder` as
    if they were in `display_folder`, if that is given. The games are those of all rule sets, or of
    the `rules`.
    """

    folder: Path
    limit: float
    path: Path | None = None
    package: str | None = None
    name: str = ""
    game: str = DEFAULT
    bot: str = ""
    only_play: bool = False
    display_folder: str = ""
    rules: CheckedRules | None = None


class TracebackRequest(msgspec.Struct, tag=True, frozen=True):
    """Write where the bot is into the trace file: for a process that no signal reaches."""


Request: TypeAlias = CheckRequest | TracebackRequest


class BotsLoaded(msgspec.Struct, tag=True, frozen=True):
    """The bots of the file, the one that is checked, its game, and the one setting of its check.

    That is the one of the request, or for a net that for which it was trained.
    """

    bots: Sequence[str]
    bot: str
    game: str
    rules: CheckedRules | None = None


class Finding(msgspec.Struct, tag=True, frozen=True):
    """A result of a check: a mark (OK, NOTE or WRONG), the subject, a text, and the bot's name."""

    mark: str
    subject: str
    text: str
    bot: str = ""


class CheckStage(msgspec.Struct, tag=True, frozen=True):
    """A stage of the check, announced before it begins; `limit` is in seconds.

    If the process fails in this stage, the bot gets this mark. `source_lines` are those of the
    bot's functions, by decision, in a stage that plays games; None in other stages.
    """

    subject: str
    doing: str
    limit: float
    mark: str = WRONG
    source_lines: Mapping[str, str] | None = None


class GamesTraced(msgspec.Struct, tag=True, frozen=True):
    """The traces of the games of the suite."""

    traces: Sequence[Trace]


class CheckEnded(msgspec.Struct, tag=True, frozen=True):
    """All checks have been made."""


Report: TypeAlias = BotsLoaded | Finding | CheckStage | GamesTraced | CheckEnded
