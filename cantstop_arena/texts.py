"""Untrusted text made printable, texts of untrusted objects, and small phrases."""

from collections.abc import Callable, Sequence
from unicodedata import east_asian_width, normalize

MAX_LENGTH = 1000  # characters of an object's own text


INDENT = "    "  # of a line of code in a message
_MAX_CODE_LINES = 2


def in_a_line(text: str, max_length: int | None = None) -> str:
    """Untrusted text on one line of at most `max_length` characters, non-printable ones escaped."""
    line = printable(" ".join(str.__str__(text).split()))
    return line if max_length is None or len(line) <= max_length else f"{line[: max_length - 3]}..."


def in_a_line_with_code(text: str, max_length: int) -> str:
    """Untrusted text `in_a_line`; the lines of code at its end, which are indented, stay lines."""
    lines = text.split("\n")
    text_lines = len(lines)
    while text_lines > 1 and lines[text_lines - 1].startswith(INDENT):
        text_lines -= 1
    code = [printable(line)[:max_length] for line in lines[text_lines:][:_MAX_CODE_LINES]]
    return "\n".join([in_a_line("\n".join(lines[:text_lines]), max_length), *code])


def printable(text: str) -> str:
    """Untrusted text on one line: line breaks, terminal codes and the like as escape sequences."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def look_key(name: str) -> str:
    """What is the same of names that look alike to people or disks: é in both forms, A and a."""
    return normalize("NFKC", name).casefold()


def printable_lines(text: str) -> str:
    """Untrusted text with its lines, each `printable`."""
    return "\n".join(map(printable, text.split("\n")))


def beginning_of(text: str, max_length: int) -> str:
    """Text of at most `max_length` characters; of a longer one the beginning and …."""
    return text if len(text) <= max_length else f"{text[: max_length - 1]}…"


def shortened(text: str, max_width: int) -> str:
    """Text, and if it takes more than so many columns of a terminal, those that fit before a ….

    East Asian wide characters take two columns.
    """
    remaining = max_width
    for index, character in enumerate(text):
        remaining -= 2 if east_asian_width(character) in "WF" else 1
        if remaining < 0:
            return f"{text[:index]}…"
    return text


def middle_shortened(text: str, max_width: int) -> str:
    """Text cut in the middle to a width in columns of a terminal, with … for what is missing."""
    if shortened(text, max_width) == text:
        return text
    end = shortened(text[::-1], (max_width - 1) // 2)[-2::-1]
    return shortened(text, max_width - 1 - (max_width - 1) // 2) + end


def capitalised(text: str) -> str:
    """The text with a capital as its first letter; the others stay as they are."""
    return text[:1].upper() + text[1:]


def last_line(text: str) -> str:
    """The last line of a text, such as the error in a traceback."""
    return text.strip().rpartition("\n")[2]


def how_many(number: int, noun: str) -> str:
    """A number with its noun: "1 game", "1,200 games"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def significant(number: float, digits: int) -> str:
    """A number with so many significant digits: with two, 1,237 is "1,200", 0.0368 is "0.037"."""
    rounded = float(f"{number:.{digits - 1}e}")
    return f"{rounded:,.0f}" if rounded.is_integer() else f"{rounded:g}"


def ordinal(number: int) -> str:
    """A rank in words: "1st", "22nd", "113th"."""
    is_teen = number % 100 in (11, 12, 13)
    ending = "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them: "this, that and more"."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def attribute_text(value: object, wrapper: Callable[[object], str]) -> str:
    """The text that `wrapper` (`repr`, say) makes of an untrusted object; empty if that fails."""
    try:
        return in_a_line(wrapper(value)[:MAX_LENGTH])
    except BaseException:
        return ""


def type_name(value: object) -> str:
    """The name of an object's type, without running code of its class or metaclass."""
    return in_a_line(str.__str__(type.__dict__["__name__"].__get__(type(value)))[:100])


def ansi_styled(text: str, style: str) -> str:
    """Text in a style of ANSI terminals (`1;31`: bold and red), unchanged if the style is empty."""
    return f"\x1b[{style}m{text}\x1b[0m" if style else text


_UNITS = ((120, 1, "s"), (120 * 60, 60, "min"), (48 * 3600, 3600, "h"), (1e9, 86400, "d"))
"""Units of time: the largest number of seconds for which each is used, its seconds, its symbol."""


def time_text(seconds: float) -> str:
    """A duration in the unit that fits it."""
    for max_seconds, unit, sign in _UNITS:
        if seconds <= max_seconds:
            return f"{max(1, round(seconds / unit))} {sign}"
    return "ages"
