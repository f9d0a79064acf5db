"""Imports of optional dependencies, with a message that says how to install them."""

from collections.abc import Iterator
from contextlib import contextmanager

from cantstop_arena.errors import UsageError


class MissingExtra(UsageError, ImportError):
    """An optional dependency is not installed."""


@contextmanager
def extra(title: str, name: str) -> Iterator[None]:
    """Wraps the imports of an extra. Raises MissingExtra with the command that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{title} is not installed ({error}): pip install 'cantstop-arena[{name}]'"
        raise MissingExtra(message) from error
