"""Cards counted by type, in the order T (lid), O (open), L (left), R (right)."""

from typing import NamedTuple

ORDER = "TOLR"


class Cards(NamedTuple):
    """The number of cards of each type."""

    lids: int = 0
    open: int = 0
    left: int = 0
    right: int = 0

    @property
    def tops(self) -> int:
        """The number of lids and open cards."""
        return self.lids + self.open

    @property
    def total(self) -> int:
        """The number of all cards."""
        return sum(self)

    def plus(self, other: "Cards") -> "Cards":
        """The sum, type by type."""
        a, b, c, d = self
        e, f, g, h = other
        return Cards(a + e, b + f, c + g, d + h)

    def minus(self, other: "Cards") -> "Cards":
        """The difference, type by type; negative where `other` has more."""
        a, b, c, d = self
        e, f, g, h = other
        return Cards(a - e, b - f, c - g, d - h)

    def text(self) -> str:
        """The cards as a text such as "TLL"; "" for no card."""
        return "".join(sign * number for sign, number in zip(ORDER, self, strict=True))


NONE = Cards()


def cards_from_text(text: str) -> Cards:
    """The cards in a text of `T`, `O`, `L` and `R`, in any order.

    Raises ValueError when the text has any other character.
    """
    if unknown := set(text) - set(ORDER):
        raise ValueError(f"unknown card {min(unknown)!r}: use T, O, L and R")
    return Cards(*(text.count(sign) for sign in ORDER))


def single(kind: str) -> Cards:
    """One card of a type."""
    return _SINGLES[kind]


_SINGLES = {kind: cards_from_text(kind) for kind in ORDER}
