"""Foreign text as it can be printed and stored, and what foreign objects say of themselves."""

from collections.abc import Callable, Sequence
from unicodedata import east_asian_width

MAX_LENGTH = 1000  # characters of what an object says of itself


def in_a_line(text: str, max_length: int | None = None) -> str:
    """Foreign text on one line, not too long, strange signs spelled out."""
    line = printable(" ".join(str.__str__(text).split()))
    return line if max_length is None or len(line) <= max_length else f"{line[: max_length - 3]}..."


def printable(text: str) -> str:
    """Foreign text with its lines, strange signs spelled out."""
    return "".join(
        sign if sign.isprintable() or sign == "\n" else sign.encode("unicode_escape").decode()
        for sign in text
    )


def shortened(text: str, room: int) -> str:
    """Text that is no wider than so many letters; some scripts take twice the room."""
    for index, sign in enumerate(text):
        room -= 2 if east_asian_width(sign) in "WF" else 1
        if room < 0:
            return f"{text[:index]}…"
    return text


def last_line(text: str) -> str:
    """What a traceback, say, ends with."""
    return text.strip().rpartition("\n")[2]


def how_many(number: int, noun: str) -> str:
    """How many there are of something: "1 game", "1,200 games"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def listed(arguments: Sequence[str]) -> str:
    """Words as a sentence lists them: "this, that and more"."""
    return " and ".join(part for part in (", ".join(arguments[:-1]), *arguments[-1:]) if part)


def attribute_text(value: object, wrapper: Callable[[object], str]) -> str:
    """What a foreign object says of itself; nothing where that fails."""
    try:
        return in_a_line(wrapper(value)[:MAX_LENGTH])
    except BaseException:
        return ""


def type_name(value: object) -> str:
    """The name of an object's type, past whatever its class says of itself."""
    return in_a_line(str.__str__(type.__dict__["__name__"].__get__(type(value)))[:100])


def ansi_styled(text: str, style: str) -> str:
    """Text in a style of ANSI terminals (`1;31`: bold and red), as it is where there is none."""
    return f"\x1b[{style}m{text}\x1b[0m" if style else text
