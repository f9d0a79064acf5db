"""The folder of solved boards."""

import os
from pathlib import Path

from platformdirs import user_data_path

_TABLES = "CANTSTOP_ARENA_TABLES"


def tables_folder() -> Path:
    """The folder of solved boards: $CANTSTOP_ARENA_TABLES, else in the user's data folder."""
    chosen = os.environ.get(_TABLES)
    return Path(chosen) if chosen else user_data_path("cantstop-arena") / "tables"


def use_tables_folder(folder: Path) -> None:
    """Make this the folder of solved boards, for the processes that this one starts, too.

    So judges, hints and the bot `optimal` find the same tables.
    """
    os.environ[_TABLES] = str(folder.absolute())
