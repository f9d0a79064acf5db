"""The words of a recorded game, as docs/rules.md lays it out, line by line."""

from collections.abc import Mapping
from typing import Any

from cantstop_arena.games.cantstop.engine.state import ALL_CLAIMED, COLUMNS_WON, FAULT, TURN_LIMIT

Event = Mapping[str, Any]
"""One line of a record: the opening, a roll, a stop or a bust, the end."""

REASON = {
    COLUMNS_WON: "columns",
    ALL_CLAIMED: "all-claimed",
    TURN_LIMIT: "turn-limit",
    FAULT: "fault",
}
"""Why the engine ended a game."""

LEFT = "left"
"""The reason of a game that a person has left before its end."""

REASONS = (*REASON.values(), LEFT)
