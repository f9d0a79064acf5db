"""The page about training shows the training of the net that is shipped."""

import re

from helpers.documents import EXTENSIONS

from cantstop_arena.extensions.strength.bots import policy_net


def test_the_curve_is_that_of_the_shipped_net() -> None:
    page = (EXTENSIONS / "learn.md").read_text("utf-8")
    rows = re.findall(r"^ +(\d+) +[\d,]{7,} ", page, re.MULTILINE)
    updates = re.search(r"--updates (\d+)", policy_net.__doc__ or "")
    assert updates and rows and rows[-1] == updates[1]
