"""What calls return is a claim: of the expected type, of the right size, and never a traceback."""

import functools
import math
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from helpers.arena import Arena
from helpers.forged_calls import NOT_STRUCTS, forge
from helpers.parameters import slow_but

from cantstop_arena.check import compiled_version
from cantstop_arena.check.compiled_version import CompiledComparison
from cantstop_arena.export import replayed_games
from cantstop_arena.export.decision_log import DecisionTaken
from cantstop_arena.export.replayed_games import GamesReplayed, Roll
from cantstop_arena.processes.isolated_call import IsolatedCall, Raised, run_isolated
from cantstop_arena.tournaments import speed
from cantstop_arena.tournaments.speed import TrialPlayed, TrialStopped

STEADY = """def choose_move(turn, moves): return 0
def roll_again(turn): return turn.rolls < 4
"""
INVALID = "sent an invalid message"
RUDE = Raised("ValueError: two\nlines \x1b[31m")
IN_A_LINE = r"ValueError: two lines \x1b[31m"


def played(**changes: Any) -> TrialPlayed:
    trial = TrialPlayed("plain", 1.0, 5, np.ones((3, 2), np.int64).tobytes(), b"", 0, "", 0)
    return msgspec.structs.replace(trial, **changes)


BENCH, COMPILE = "bench random", "bots compile steady"
CALLS = {BENCH: (speed, "time_trial"), COMPILE: (compiled_version, "play_both_versions")}
# What the call of a command returns, and what the command says of that.
FORGED: list[tuple[str, Any, str]] = [
    *((BENCH, result, INVALID) for result in NOT_STRUCTS),  # one decoder serves all calls
    (COMPILE, "rubbish", INVALID),
    *(
        (BENCH, result, INVALID)
        for result in (
            played(seconds=math.nan),
            played(seconds=0.0),
            played(paces=-1),
            played(backend="quick"),
            played(faulty_bot=2),
            played(faults=-1),
            played(won=b""),
            played(won=b"1234567"),
        )
    ),
    (BENCH, TrialStopped("two\nlines"), "two lines"),
    (BENCH, RUDE, f"the games' process failed: {IN_A_LINE}"),
    (COMPILE, CompiledComparison(0, "", 2.0), INVALID),
    (COMPILE, CompiledComparison(5, "", math.inf), INVALID),
    (COMPILE, CompiledComparison(5, "", -1.0), INVALID),
    (COMPILE, CompiledComparison(5, "other\nmove \x1b[31m", 2.0), r"other move \x1b[31m"),
    (COMPILE, RUDE, IN_A_LINE),
]


@pytest.mark.parametrize(
    ("command", "result", "sentence"),
    slow_but(range(0, len(FORGED), 3), FORGED),
    ids=range(len(FORGED)),
)
def test_a_result_that_does_not_fit_is_refused(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, command: str, result: Any, sentence: str
) -> None:
    module, name = CALLS[command]
    forge(monkeypatch, module, name, lambda genuine: result)
    assert sentence in arena(command, bots={"steady": STEADY}, code=None).output


CHANGED: list[tuple[dict[str, Any], str]] = [
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


@pytest.mark.slow
def test_a_replay_that_does_not_fit_counts_as_another_game(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena("run", "two.yaml", "--quiet", "--no-page", yaml="games: 4\nbots: [random, cautious]\n")
    results: list[tuple[Any, str]] = [
        (lambda genuine, value=value: value, "--games games.csv") for value in ("rubbish", RUDE)
    ]
    for changes, words in CHANGED:
        results.append((functools.partial(with_changes, changes), words))
    for result, words in results:
        with monkeypatch.context() as patch:
            forge(patch, replayed_games, "replay_games", result)
            told = arena(f"export results/two {words}").output
            assert "4 games could not be reproduced" in told, words


def with_changes(changes: dict[str, Any], genuine: Callable[[], GamesReplayed]) -> GamesReplayed:
    """All games as they were replayed, but for these changes."""
    games = genuine().games
    return GamesReplayed(
        {number: msgspec.structs.replace(game, **changes) for number, game in games.items()}
    )


def measured() -> float:
    """A number as NumPy has them."""
    return np.float64(0.25)


def test_a_fraction_of_numpy_stays_one() -> None:
    assert run_isolated(IsolatedCall(f"{__name__}:measured", {}, 20)) == 0.25
