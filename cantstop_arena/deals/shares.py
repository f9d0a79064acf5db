"""A won game in parts, so that any number of winners share it evenly in whole numbers."""

WHOLE = 60  # parts of one won game: 1 to 6 seats can share it evenly


def whole(players: int) -> int:
    """The parts of one won game at a table, such that any number of its seats can share it evenly.

    `WHOLE` up to six seats. Wherever parts of WHOLE are spoken of, these are meant.
    """
    return WHOLE if players <= 6 else 14 * WHOLE
