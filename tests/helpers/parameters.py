"""Parameters of tests, of which `make test` tries a few and `make test-slow` the others."""

from collections.abc import Iterable
from typing import Any

import pytest


def slow_but(quick: Iterable[int], parameters: Iterable[Any]) -> list[Any]:
    """These parameters of a test, slow but for those at some places."""
    soon = {*quick}
    return [
        pytest.param(
            *(values if isinstance(values, tuple) else (values,)),
            marks=() if place in soon else pytest.mark.slow,
        )
        for place, values in enumerate(parameters)
    ]
