"""An estimated number with its 95% interval, as ratings have it, tables and pages."""

from typing import NamedTuple

LOPSIDED = 0.2  # difference of the two half widths, as a share of the wider one


class Estimate(NamedTuple):
    """A number with the ends of its 95% interval; None where unknown."""

    mean: float | None
    low: float | None = None
    high: float | None = None

    @property
    def lopsided(self) -> bool:
        """Whether the ends are at distances too unequal to be written as one ±."""
        if self.mean is None or self.low is None or self.high is None:
            return False
        near, far = sorted((self.mean - self.low, self.high - self.mean))
        return far - near > LOPSIDED * far
