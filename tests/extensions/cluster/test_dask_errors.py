"""What users read of Dask's errors."""

import ssl

import pytest

from cantstop_arena.extensions.cluster.dask_errors import connection_problem, later_problem


def dask_error(name: str, *arguments: object) -> BaseException:
    """An error of Dask's, imported here only: Dask would fill the memory of pytest."""
    pytest.importorskip("distributed")
    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    error: BaseException = {"killed": KilledWorker, "closed": CommClosedError}[name](*arguments)
    return error


def _after(cause: BaseException, error: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


@pytest.mark.slow
def test_what_is_amiss_with_a_connection() -> None:
    told = [
        (OSError("Timed out trying to connect to tcp://head:8786"), "cannot be reached"),
        (dask_error("closed", "in <TCP (closed)>"), "cannot be reached"),
        (OverflowError("port"), "cannot be reached"),
        (_after(ssl.SSLError("unknown ca"), OSError("Timed out")), "refuses this certificate"),
        (ImportError("Mismatched"), "has a version of Dask that does not fit the one here"),
    ]
    assert [connection_problem(error) for error, _ in told] == [text for _, text in told]


@pytest.mark.slow
def test_what_is_amiss_with_a_machine() -> None:
    told = [
        (EOFError("its process has ended"), "its process has ended"),
        (dask_error("closed", "in <TCP (closed)>"), "the connection to it was lost"),
        (dask_error("killed", "arena-0", None, 3), "Dask has given it up"),
        (AttributeError("no such thing"), "AttributeError: no such thing"),
    ]
    assert [later_problem(error) for error, _ in told] == [text for _, text in told]


def test_errors_that_cause_each_other_end() -> None:
    one, two = OSError(), OSError()
    one.__context__, two.__context__ = two, one
    assert connection_problem(one) == "cannot be reached"
