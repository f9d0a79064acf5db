"""Where games are played: the same options of all commands that play many, and of the API."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from helpers.arena import Arena

import cantstop_arena as ca
from cantstop_arena.api.tournaments import PlannedTournament
from cantstop_arena.errors import UsageError
from cantstop_arena.tournaments.pool.remote_pools import CLUSTER_WAIT
from cantstop_arena.tournaments.run_options import RunOptions

TUNE = "tune rule28 threshold=18..34"
COMMANDS = ["run cup.yaml", "compare cup.yaml", "match rule28 glenn-aloi", "gauntlet rule28", TUNE]
FUNCTIONS = [ca.run, ca.match, ca.compare, ca.tune, PlannedTournament.run]
OPTIONS = {"workers", "cluster", "cluster_wait", "start_method", "memory"}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "words, told",
    [
        ("--cluster-wait -1", "'--cluster-wait'"),
        ("--cluster-wait nan", "nan is not a finite number"),
        ("--start-method thread", "'--start-method'"),
        ("--memory much", "invalid size 'much'"),
    ],
)
def test_commands_that_play_share_them(arena: Arena, command: str, words: str, told: str) -> None:
    assert told in arena(f"{command} {words}", code=2).error


@pytest.mark.slow
def test_a_match_obeys_them(arena: Arena) -> None:
    words = "match rule28 glenn-aloi --games 20 --seed 1 --workers 1"
    plain = arena(words)
    spawned = arena(f"{words} --start-method spawn --memory 2G --results others")
    assert plain.text == spawned.text.replace("others", "results")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_that_play_share_them(function: Callable[..., Any]) -> None:
    assert inspect.signature(function).parameters.keys() >= OPTIONS


def test_a_cluster_is_waited_for() -> None:
    assert RunOptions().pool_options.cluster_wait == CLUSTER_WAIT
    assert RunOptions(cluster_wait=0).pool_options.cluster_wait == 0
    for wrong in (-1, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="cluster_wait must be a number of seconds, not"):
            _ = RunOptions(cluster_wait=wrong).pool_options
