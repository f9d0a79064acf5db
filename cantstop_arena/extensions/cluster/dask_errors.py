"""Errors of Dask in the words of the arena: its own messages are about Dask's inner workings."""

import ssl

from cantstop_arena.texts import in_a_line

_MAX_LENGTH = 500  # characters


def connection_problem(error: BaseException) -> str:
    """Why there is no connection to a scheduler, as what follows "The cluster at ADDRESS"."""
    if isinstance(error, ImportError):
        return "has a version of Dask that does not fit the one here"
    if isinstance(error, TypeError) and "TLS" in str(error):
        return "asks for a certificate, and Dask's configuration here has none"
    if any(isinstance(cause, ssl.SSLError) for cause in _causes(error)):
        return "refuses this certificate"
    return "cannot be reached"


def later_problem(error: BaseException) -> str:
    """Why a machine of a cluster does not play, or a cluster that has been reached has ended."""
    if isinstance(error, EOFError):
        return str(error)  # the actor's own
    if isinstance(error, OSError):
        return "the connection to it was lost"
    if type(error).__module__.partition(".")[0] in ("distributed", "dask"):
        return "Dask has given it up"
    return in_a_line(f"{type(error).__name__}: {error}", _MAX_LENGTH)


def _causes(error: BaseException | None) -> list[BaseException]:
    """An error and those that it comes from."""
    causes: list[BaseException] = []
    while error is not None and error not in causes:
        causes.append(error)
        error = error.__cause__ or error.__context__
    return causes
