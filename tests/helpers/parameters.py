"""Parameters of tests, of which the quicker commands try a few and the slower ones the others."""

from collections.abc import Iterable
from typing import Any

import pytest


def slow_but(quick: Iterable[int], parameters: Iterable[Any]) -> list[Any]:
    """These parameters of a test, slow but for those at some places."""
    return _marked(pytest.mark.slow, quick, parameters)


def long_but(slow: Iterable[int], parameters: Iterable[Any]) -> list[Any]:
    """These parameters of a slow test, long but for those at some places."""
    return _marked(pytest.mark.long, slow, parameters)


def _marked(mark: pytest.MarkDecorator, but: Iterable[int], parameters: Iterable[Any]) -> list[Any]:
    places = {*but}
    return [
        pytest.param(
            *(values if isinstance(values, tuple) else (values,)),
            marks=() if place in places else mark,
        )
        for place, values in enumerate(parameters)
    ]
