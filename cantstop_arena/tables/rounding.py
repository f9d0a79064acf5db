"""The rounding of printed numbers, the same in all tables, on pages and in sentences."""

from decimal import ROUND_HALF_UP, Decimal

EVEN_PERCENT = 50.0
_EXACT_DIGITS = 13  # significant digits of a number: those beyond are errors of its computation
_MAX_ROUNDED = 1e13  # larger numbers have no decimals worth rounding


def half_away(number: float, decimals: int, origin: float = 0.0) -> float:
    """A number rounded to so many decimals, once; halves go away from `origin`.

    Shares in percent have the origin 50, so that 65.05 and 34.95 become 65.1 and 34.9, which add up
    to 100, too.
    """
    if not abs(number) < _MAX_ROUNDED:
        return number
    exact, middle = Decimal(f"{number:.{_EXACT_DIGITS}g}"), Decimal(origin)
    step = Decimal(1).scaleb(-decimals)
    return float(middle + (exact - middle).quantize(step, ROUND_HALF_UP)) + 0.0


def percent_text(share: float, decimals: int) -> str:
    """A share in percent, without the sign: 0.6505 is "65.1" with one decimal."""
    return f"{half_away(100 * share, decimals, EVEN_PERCENT):.{decimals}f}"
