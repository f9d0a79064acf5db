"""What is found about a bot when it is looked at, and how it is told from process to process."""

from collections.abc import Mapping
from typing import Any

import msgspec

OK, NOTE, WRONG = "ok", "note", "WRONG"


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at: a mark, what it was, and what was found in plain words."""

    mark: str
    subject: str
    text: str
    bot: str = ""

    def message(self) -> Mapping[str, Any]:
        """The finding as a message."""
        return {"finding": [self.mark, self.subject, self.text, self.bot]}


class CheckStage(msgspec.Struct, frozen=True):
    """What is about to be looked at, for how many seconds at most.

    If the process comes to grief there, the bot gets this mark. Where `places` are given, a game
    is played that can be watched: they say where the bot's functions stand.
    """

    subject: str
    doing: str
    limit: float
    mark: str = WRONG
    source_lines: Mapping[str, str] | None = None

    def message(self) -> Mapping[str, Any]:
        """The stage as a message."""
        return {"stage": [self.subject, self.doing, self.limit, self.mark, self.source_lines]}
