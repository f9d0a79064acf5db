"""Results of isolated calls that no call of the arena returns."""

import functools
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

NOT_STRUCTS: tuple[Any, ...] = (
    "rubbish",
    None,
    {},
    {"type": "Unknown"},
    [1],
    msgspec.msgpack.Ext(1, b""),
)


def forge(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, result: Callable[[Any], Any]
) -> None:
    """Let the call of a function return a result that is made of its own, or of nothing."""
    function: Callable[..., Any] = getattr(module, name)

    @functools.wraps(function)
    def forged(**keywords: Any) -> Any:
        return result(functools.partial(function, **keywords))

    monkeypatch.setattr(module, name, forged)
