"""Rolls three times in each turn."""

from cantstop_arena import Turn, hookimpl


@hookimpl
def choose_move(turn: Turn, moves: list[tuple[int, ...]]) -> int:
    """The first move."""
    return 0


@hookimpl
def roll_again(turn: Turn) -> bool:
    """Whether this was not the third roll."""
    return turn.rolls < 3
