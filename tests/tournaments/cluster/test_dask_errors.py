"""What users read of Dask's errors."""

import ssl

import pytest

pytest.importorskip("distributed")

from distributed import KilledWorker
from distributed.comm.core import CommClosedError

from cantstop_arena.tournaments.cluster.dask_errors import connection_problem, later_problem


def _after(cause: BaseException, error: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error, told",
    [
        (OSError("Timed out trying to connect to tcp://head:8786"), "cannot be reached"),
        (CommClosedError("in <TCP (closed)>"), "cannot be reached"),
        (OverflowError("port"), "cannot be reached"),
        (_after(ssl.SSLError("unknown ca"), OSError("Timed out")), "refuses this certificate"),
        (ImportError("Mismatched"), "has a version of Dask that does not fit the one here"),
    ],
)
def test_what_is_amiss_with_a_connection(error: BaseException, told: str) -> None:
    assert connection_problem(error) == told


@pytest.mark.parametrize(
    "error, told",
    [
        (EOFError("its process has ended"), "its process has ended"),
        (CommClosedError("in <TCP (closed)>"), "the connection to it was lost"),
        (KilledWorker("arena-0", None, 3), "Dask has given it up"),
        (AttributeError("no such thing"), "AttributeError: no such thing"),
    ],
)
def test_what_is_amiss_with_a_machine(error: BaseException, told: str) -> None:
    assert later_problem(error) == told


def test_errors_that_cause_each_other_end() -> None:
    one, two = OSError(), OSError()
    one.__context__, two.__context__ = two, one
    assert connection_problem(one) == "cannot be reached"
