"""The limits of ratings: labels and the sentences that explain them."""

from enum import StrEnum

MAX_ANCHOR = 1e6  # points: an anchor's Elo lies between -MAX_ANCHOR and MAX_ANCHOR
MAX_ELO = 1000
"""The largest difference in an option, in points; of 300 games the weaker bot wins one."""


class Label(StrEnum):
    """A limit of ratings; a label comes with the bots to which it applies."""

    ALONE = "alone"
    NO_GAMES = "no games"
    FEW_DEALS = "few deals"
    FIELDS = "several fields"
    ONE_SIDED = "one-sided"
    SEATS_ONE_SIDED = "seats one-sided"
    SEATS_UNKNOWN = "seats unknown"
    SAME_DEALS = "same deals"

    @property
    def text(self) -> str:
        """The label's meaning in a sentence that names no bots."""
        return LABEL_TEXTS[self]


LABEL_TEXTS = {
    Label.ALONE: "Bots that play alone do not meet, so that there is nothing to rate.",
    Label.NO_GAMES: "No games: no ranking.",
    Label.FEW_DEALS: "The Elo has no error: that takes two deals or more.",
    Label.FIELDS: "The bots form several fields that never met; compare Elo within one only.",
    Label.ONE_SIDED: (
        "The games bound the Elo on one side only; virtual games, won by all their bots alike, were"
        " added to that field, one for each of its bots."
    ),
    Label.SEATS_ONE_SIDED: (
        "Results are too one-sided to separate seat and bot effects; one virtual game per bot was"
        " added."
    ),
    Label.SEATS_UNKNOWN: (
        "Seat effects cannot be separated from bot strengths; the seats are taken as equal."
    ),
    Label.SAME_DEALS: (
        "All deals came out the same for some bots; the errors are what as many equal deals allow."
    ),
}
