"""`arena train` as any command: wrong use, and a file that cannot be written."""

import pytest
from helpers.arena import Arena, refuses_blocked


def test_no_work_is_done_for_a_file_that_cannot_be_written(arena: Arena) -> None:
    done = arena("train classic --rounds 3 --out blocked/nets.npz", code=2, files={"blocked": ""})
    assert refuses_blocked(done)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("jump", "no nets can be trained for rules jump with 2 seats"),
        ("clasic", "did you mean"),
        ("classic --out nowhere/x.nets", "there is no folder nowhere"),
    ],
)
def test_what_cannot_be_trained_is_said_at_once(arena: Arena, words: str, message: str) -> None:
    result = arena("train", *words.split(), code=2)
    assert message in result.output
