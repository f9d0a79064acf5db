"""Kinds of numbers that commands take."""

from math import isfinite
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """A number between two others; nan, which lies there too to click, is none."""

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> float:
        number: float = super().convert(value, parameter, context)
        if not isfinite(number):
            self.fail(f"{value} is no number", parameter, context)
        return number
