"""Findings and stages of a check, and their messages between processes."""

from collections.abc import Mapping
from typing import Any

import msgspec

OK, NOTE, WRONG = "ok", "note", "WRONG"


class Finding(msgspec.Struct, frozen=True):
    """A result of a check: a mark (OK, NOTE or WRONG), the subject, a text, and the bot's name."""

    mark: str
    subject: str
    text: str
    bot: str = ""

    def message(self) -> Mapping[str, Any]:
        """The finding as a message."""
        return {"finding": [self.mark, self.subject, self.text, self.bot]}


class CheckStage(msgspec.Struct, frozen=True):
    """A stage of the check, announced before it begins; `limit` is in seconds.

    If the process fails in this stage, the bot gets this mark. `source_lines` are those of the
    bot's functions, by decision, in a stage that plays games; None in other stages.
    """

    subject: str
    doing: str
    limit: float
    mark: str = WRONG
    source_lines: Mapping[str, str] | None = None

    def message(self) -> Mapping[str, Any]:
        """The stage as a message."""
        return {"stage": [self.subject, self.doing, self.limit, self.mark, self.source_lines]}
