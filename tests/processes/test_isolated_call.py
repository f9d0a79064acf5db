"""What calls return is a claim: of the expected type, of the right size, and never a traceback."""

import functools
import math
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from helpers.arena import Arena
from helpers.parameters import slow_but

from cantstop_arena.check import compiled_version
from cantstop_arena.check.compiled_version import CompiledComparison
from cantstop_arena.export import replayed_games
from cantstop_arena.export.decision_log import DecisionTaken
from cantstop_arena.export.replayed_games import GamesReplayed, Roll
from cantstop_arena.games.cantstop.exact.regret import Judgement, Mistake
from cantstop_arena.processes.isolated_call import IsolatedCall, Raised, run_isolated
from cantstop_arena.tournaments import speed
from cantstop_arena.tournaments.speed import TrialPlayed, TrialStopped
from cantstop_arena.views.cantstop.judging import judge_process
from cantstop_arena.views.cantstop.judging.judge_process import Judged

STEADY = """def choose_move(turn, moves): return 0
def roll_again(turn): return turn.rolls < 4
"""
INVALID = "sent an invalid message"
RUDE = Raised("ValueError: two\nlines \x1b[31m")
IN_A_LINE = r"ValueError: two lines \x1b[31m"
NO_STRUCTS: tuple[Any, ...] = (
    "rubbish",
    None,
    {},
    {"type": "Unknown"},
    [1],
    msgspec.msgpack.Ext(1, b""),
)
LOSSES, SIZES, MISSED = [[0.0, 0.0, 0.0]] * 4, [0] * 4, [0.0] * 4
MISTAKE = Mistake(0.1, "choosing", 0, 0, 1, 1, (1, 2), ({}, {}), {2: 1}, "2", "3", "optimal")


def judged(
    losses: Any = LOSSES, sizes: Any = SIZES, missed: Any = MISSED, **mistake: Any
) -> Judged:
    worst = [msgspec.structs.replace(MISTAKE, **mistake)]
    return Judged(Judgement(2, losses, sizes, missed, worst))


def played(**changes: Any) -> TrialPlayed:
    trial = TrialPlayed("plain", 1.0, 5, np.ones((3, 2), np.int64).tobytes(), b"", 0, "", 0)
    return msgspec.structs.replace(trial, **changes)


def forge(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, result: Any) -> None:
    """Let the call of a function return a result that is not its own."""
    function: Callable[..., Any] = getattr(module, name)

    @functools.wraps(function)
    def forged(**keywords: Any) -> Any:
        return result

    monkeypatch.setattr(module, name, forged)


FORGED_JUDGEMENTS = [
    *NO_STRUCTS,
    judged(losses=LOSSES[1:], missed=MISSED[1:]),
    judged(losses=[[0.0] * 2] * 4),
    judged(missed=[math.nan] * 4),
    judged(sizes=[0] * 3),
    judged(kind="unknown"),
    judged(loss=math.inf),
    judged(rival="nobody"),
    judged(taken="\x1b[31m"),
    judged(best="7" * 100),
    played(),
]


@pytest.mark.parametrize("result", FORGED_JUDGEMENTS, ids=range(len(FORGED_JUDGEMENTS)))
def test_a_judgement_that_does_not_fit_is_refused(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, result: Any
) -> None:
    forge(monkeypatch, judge_process, "judged_here", result)
    told = arena("judge cautious --rules 2,1 --deals 4", code=None)
    assert f"cautious cannot be judged: its process {INVALID}" in told.error


FORGED_TRIALS = [
    *((result, INVALID) for result in NO_STRUCTS),
    (played(seconds=math.nan), INVALID),
    (played(seconds=0.0), INVALID),
    (played(paces=-1), INVALID),
    (played(backend="quick"), INVALID),
    (played(faulty_bot=2), INVALID),
    (played(faults=-1), INVALID),
    (played(won=b""), INVALID),
    (played(won=b"1234567"), INVALID),
    (TrialStopped("two\nlines"), "two lines"),
    (RUDE, f"the games' process failed: {IN_A_LINE}"),
]


@pytest.mark.parametrize(("result", "sentence"), FORGED_TRIALS, ids=range(len(FORGED_TRIALS)))
def test_a_speed_trial_that_does_not_fit_is_refused(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, result: Any, sentence: str
) -> None:
    forge(monkeypatch, speed, "time_trial", result)
    assert sentence in arena("bench random", code=None).output


FORGED_COMPARISONS = [
    *((result, INVALID) for result in NO_STRUCTS),
    (CompiledComparison(0, "", 2.0), INVALID),
    (CompiledComparison(5, "", math.inf), INVALID),
    (CompiledComparison(5, "", -1.0), INVALID),
    (CompiledComparison(5, "other\nmove \x1b[31m", 2.0), r"other move \x1b[31m"),
    (RUDE, IN_A_LINE),
]


@pytest.mark.parametrize(
    ("result", "sentence"),
    slow_but([5, 8, 10], FORGED_COMPARISONS),
    ids=range(len(FORGED_COMPARISONS)),
)
def test_a_comparison_that_does_not_fit_is_refused(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, result: Any, sentence: str
) -> None:
    forge(monkeypatch, compiled_version, "play_both_versions", result)
    told = arena("bots compile steady", bots={"steady": STEADY}, code=2)
    assert sentence in told.error


FORGED_REPLAYS: list[tuple[Any, str]] = [
    *((result, "--games games.csv") for result in (*NO_STRUCTS, RUDE)),
    ({"counts": {"turns": [3, 3]}}, "--games games.csv"),
    ({"counts": {}}, "--games games.csv"),
    ({"won": 4}, "--games games.csv"),
    ({"rolls": [Roll(1, 9, [1], 1, None)]}, "--rolls rolls.jsonl"),
    *(
        ({"decisions": [decision]}, "--decisions decisions.jsonl")
        for decision in (
            DecisionTaken(9, "choose_move", {}, [], 0),
            DecisionTaken(0, "unknown", {}, [], 0),
            DecisionTaken(0, "choose_move", msgspec.msgpack.Ext(1, b""), [], 0),
        )
    ),
]


@pytest.mark.parametrize(
    ("result", "words"), slow_but(range(5, 14), FORGED_REPLAYS), ids=range(len(FORGED_REPLAYS))
)
def test_a_replay_that_does_not_fit_counts_as_another_game(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, result: Any, words: str
) -> None:
    arena("run", "two.yaml", "--quiet", "--no-page", yaml="games: 4\nbots: [random, cautious]\n")
    genuine = replayed_games.replay_games

    @functools.wraps(genuine)
    def forged(**keywords: Any) -> Any:
        if result in NO_STRUCTS or result is RUDE:
            return result
        replayed = genuine(**keywords)
        assert isinstance(replayed, GamesReplayed)
        games = replayed.games
        return GamesReplayed(
            {number: msgspec.structs.replace(game, **result) for number, game in games.items()}
        )

    monkeypatch.setattr(replayed_games, "replay_games", forged)
    assert "4 games could not be reproduced" in arena(f"export results/two {words}").output


def measured() -> float:
    """A number as NumPy has them."""
    return np.float64(0.25)


def test_a_fraction_of_numpy_stays_one() -> None:
    assert run_isolated(IsolatedCall(f"{__name__}:measured", {}, 20)) == 0.25
