"""Packages that not everybody has: asked for where they are needed, missed in a sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

from cantstop_arena.errors import UsageError


class MissingExtra(UsageError, ImportError):
    """A framework is wanted that is not installed."""


@contextmanager
def extra(title: str, name: str) -> Iterator[None]:
    """Around the imports of an extra. Raises MissingExtra with the command that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        text = f"{title} is not installed ({error}): pip install 'cantstop-arena[{name}]'"
        raise MissingExtra(text) from error
