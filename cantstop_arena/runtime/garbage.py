"""How often Python looks for garbage in cycles: rarely in the arena, as ever where bots play."""

import gc

_AS_EVER = gc.get_threshold()
_RARELY = 200_000, 20, 20  # objects more than before; all that is imported comes to fewer


def look_rarely() -> None:
    """Let the arena's own process start: what is imported stays, and makes no garbage."""
    gc.set_threshold(*_RARELY)


def look_as_ever() -> None:
    """Let bots play, whose garbage counts as memory that they take."""
    gc.set_threshold(*_AS_EVER)
