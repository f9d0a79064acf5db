"""What the process that judges a bot returns is a claim: it is checked like a bot's answer."""

import math
from typing import Any

import msgspec
import pytest
from helpers.arena import Arena
from helpers.forged_calls import NOT_STRUCTS, forge
from helpers.parameters import slow_but

from cantstop_arena.extensions.strength.exact.regret import Judgement, Mistake
from cantstop_arena.extensions.strength.judging import judge_process
from cantstop_arena.extensions.strength.judging.judge_process import Judged
from cantstop_arena.tournaments.speed import TrialStopped

LOSSES, SIZES, MISSED = [[0.0, 0.0, 0.0]] * 4, [0] * 4, [0.0] * 4
MISTAKE = Mistake(0.1, "choosing", 0, 0, 1, 1, (1, 2), ({}, {}), {2: 1}, "2", "3", "optimal")


def judged(
    losses: Any = LOSSES, sizes: Any = SIZES, missed: Any = MISSED, **mistake: Any
) -> Judged:
    worst = [msgspec.structs.replace(MISTAKE, **mistake)]
    return Judged(Judgement(2, losses, sizes, missed, worst))


FORGED: list[Any] = [
    *NOT_STRUCTS,
    judged(losses=LOSSES[1:], missed=MISSED[1:]),
    judged(losses=[[0.0] * 2] * 4),
    judged(missed=[math.nan] * 4),
    judged(sizes=[0] * 3),
    judged(kind="unknown"),
    judged(loss=math.inf),
    judged(rival="nobody"),
    judged(taken="\x1b[31m"),
    judged(best="7" * 100),
    TrialStopped("of another call"),
]


@pytest.mark.parametrize(
    "result", slow_but(range(0, len(FORGED), 3), FORGED), ids=range(len(FORGED))
)
def test_a_judgement_that_does_not_fit_is_refused(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, result: Any
) -> None:
    forge(monkeypatch, judge_process, "judged_here", lambda genuine: result)
    sentence = "cautious cannot be judged: its process sent an invalid message"
    assert sentence in arena("judge cautious --rules 2,1 --deals 4", code=None).output
