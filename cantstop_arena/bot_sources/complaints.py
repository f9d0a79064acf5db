"""What a process that ran a bot's code tells of what it raised."""

from cantstop_arena.bot_sources.bot_files import described
from cantstop_arena.errors import BotError

LONGEST_REPORT = 500  # characters of it


def complaint_of(error: BaseException) -> str:
    """What a bot raised, in a line, even where it cannot be told."""
    try:
        return str(error) if isinstance(error, BotError) else described(error)
    except BaseException:
        return type(error).__name__
