"""Numbers as text for pages: with a true minus sign, percent without a space."""

from typing import TYPE_CHECKING

from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.column import (
    EVEN_PERCENT,
    estimate_text,
    half_away,
    interval_texts,
    mean_text,
)

if TYPE_CHECKING:
    from markupsafe import Markup

MINUS, DASH = "\u2212", "\u2013"
UNKNOWN = DASH
_NEARLY = 0.999  # probabilities beyond this one are written as >99.9%
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def signed(value: float, decimals: int = 1, origin: float = 0.0) -> str:
    """A number with its sign; 0 has none."""
    text = plain(value, decimals, origin)
    return text if value < 0 or not float(text.replace(",", "")) else f"+{text}"


def plain(value: float, decimals: int = 1, origin: float = 0.0) -> str:
    """A number with thousands separators, halves rounded away from `origin`; 0 has no sign."""
    return f"{half_away(value, decimals, origin):,.{decimals}f}".replace("-", MINUS)


def percent(share: float, decimals: int = 1) -> str:
    """A share in percent."""
    return f"{plain(100 * share, decimals, EVEN_PERCENT)}%"


def likelihood(probability: float | None) -> str:
    """A probability in percent, at least <0.1% and at most >99.9%."""
    if probability is None:
        return UNKNOWN
    if probability > _NEARLY:
        return f">{percent(_NEARLY)}"
    if probability < 1 - _NEARLY:
        return f"<{percent(1 - _NEARLY)}"
    return percent(probability)


def p_value(p: float, minimum: float = 0.001) -> str:
    """A p-value; smaller ones than `minimum` are written as "<0.001"."""
    return f"<{minimum:g}" if p < minimum else f"{p:.{len(f'{minimum:g}') - 2}f}"


def share_ends(share: Estimate) -> str:
    """The interval of a share: "63.3 to 65.4%"; empty where it has none."""
    if share.low is None or share.high is None:
        return ""
    return f"{percent(share.low)[:-1]}{DASH}{percent(share.high)}"


def with_error(estimate: Estimate, decimals: int, scale: float = 1, unit: str = "") -> str:
    """A number with its interval, as text: "52.3 ± 0.4", or "52.3 (40.1 to 55.0)"."""
    return estimate_text(estimate, decimals, scale, plain, unit)


def error_of(estimate: Estimate, decimals: int, scale: float = 1) -> str:
    """What follows a number: "± 0.4", or "(40.1 to 55.0)"; empty without an interval."""
    half, ends = interval_texts(estimate, decimals, scale, plain)
    return f"± {half}" if half else f"({ends})" if ends else ""


def number_with_error(estimate: Estimate, decimals: int, scale: float = 1) -> "Markup":
    """A number and its interval for a cell, in separate spans so that columns align."""
    from cantstop_arena.pages.elements import element, join_markup  # headlines need no markup

    if estimate.mean is None:
        return join_markup(UNKNOWN)
    number = element("span", mean_text(estimate.mean, decimals, scale, plain), class_="n")
    half, ends = interval_texts(estimate, decimals, scale, plain)
    error = element("span", f"± {half}" if half else ends, class_="pm both" if ends else "pm")
    return join_markup(number, " ", error)


def number_word(number: int) -> str:
    """A small number in words."""
    return _SMALL[number] if number < len(_SMALL) else f"{number:,}"
