"""The unit of losses: percentage points of winning probability, in solo games turns."""


def loss_scale(players: int) -> int:
    """The scale from a loss to the number printed."""
    return 100 if players > 1 else 1


def loss_unit(players: int) -> str:
    """The unit of a printed loss, in the plural."""
    return "percentage points" if players > 1 else "turns"


def short_unit(players: int) -> str:
    """The unit of a printed loss for a heading that has little room."""
    return "points" if players > 1 else "turns"


def loss_unit_text(players: int) -> str:
    """The unit, with the quantity that it is of."""
    return "percentage points of winning probability" if players > 1 else "turns"
