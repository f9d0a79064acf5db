"""Colours on a terminal: how far a value is from the middle, and whether that can be luck."""

from cantstop_arena.documents.formats.model import Column, Estimate, Value
from cantstop_arena.texts import styled

FAR = 0.25  # of a value's distance from the middle: told in bold
_PLAIN, _FAINT, _ABOVE, _BELOW = "", "2", "32", "31"
_BOLD = "1;"


def painted(text: str, column: Column, value: Value) -> str:
    """The text in the colour of its value: faint where the interval holds the column's middle."""
    return styled(text, _style(column, value))


def _style(column: Column, value: Value) -> str:
    if column.middle is None or not isinstance(value, Estimate) or value.mean is None:
        return _PLAIN
    if value.low is None or value.high is None or value.low <= column.middle <= value.high:
        return _FAINT
    distance = value.mean - column.middle
    return _BOLD * (abs(distance) >= FAR) + (_ABOVE if distance > 0 else _BELOW)
