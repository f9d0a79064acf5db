"""Cards counted by type, in the order T (lid), O (open), L (left), R (right)."""

from typing import NamedTuple

ORDER = "TOLR"


class Cards(NamedTuple):
    """How many cards of each type."""

    lids: int = 0
    open: int = 0
    left: int = 0
    right: int = 0

    @property
    def tops(self) -> int:
        """Lids and open cards."""
        return self.lids + self.open

    @property
    def total(self) -> int:
        """All cards."""
        return sum(self)

    def plus(self, other: "Cards") -> "Cards":
        """Both together."""
        a, b, c, d = self
        e, f, g, h = other
        return Cards(a + e, b + f, c + g, d + h)

    def minus(self, other: "Cards") -> "Cards":
        """What is left; a type of which there were too few is negative."""
        a, b, c, d = self
        e, f, g, h = other
        return Cards(a - e, b - f, c - g, d - h)

    def text(self) -> str:
        """The cards as a text: "TLL"; none: "" ."""
        return "".join(sign * number for sign, number in zip(ORDER, self, strict=True))


NONE = Cards()


def cards_from_text(text: str) -> Cards:
    """Cards from a text of `T`, `O`, `L` and `R` in any order.

    Raises ValueError where it has anything else.
    """
    if unknown := set(text) - set(ORDER):
        raise ValueError(f"{min(unknown)!r} is no card; cards are T, O, L and R")
    return Cards(*(text.count(sign) for sign in ORDER))


def single(kind: str) -> Cards:
    """A single card."""
    return _ONE[kind]


_ONE = {kind: cards_from_text(kind) for kind in ORDER}
