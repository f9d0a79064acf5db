"""A stand-in for the games of a plain bot and its compiled version, which take seconds."""

from collections.abc import Callable

import pytest

from cantstop_arena.check.compiled_version import CompiledComparison
from cantstop_arena.errors import BotError


def compare_at_once(patch: pytest.MonkeyPatch, compiles: Callable[[], bool] = lambda: True) -> None:
    """Both versions of any bot play the same games, unless it does not compile."""

    def compare(*bots: object) -> CompiledComparison:
        if not compiles():
            raise BotError("it does not compile")
        return CompiledComparison(52, "", 200.0)

    patch.setattr("cantstop_arena.check.compiled_version.compare", compare)
