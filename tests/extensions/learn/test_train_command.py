"""`arena train` as any command: wrong use, and a file that cannot be written."""

from helpers.arena import Arena, refuses_blocked


def test_wrong_use_is_2(arena: Arena) -> None:
    assert arena("train nothing", code=2).error


def test_no_work_is_done_for_a_file_that_cannot_be_written(arena: Arena) -> None:
    done = arena("train classic --rounds 3 --out blocked/nets.npz", code=2, files={"blocked": ""})
    assert refuses_blocked(done)
