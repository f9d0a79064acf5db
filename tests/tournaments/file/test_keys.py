"""The keys of tournaments: the same in files, on the command line, in Python and in the docs."""

import inspect
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from helpers.arena import Arena

import cantstop_arena as ca
from cantstop_arena.api import keywords
from cantstop_arena.api.tournaments import PlannedTournament, from_file
from cantstop_arena.cli import main
from cantstop_arena.tournaments.file.keys import BY_NAME, KEYS, keys_of_file

FUNCTIONS: Mapping[str, tuple[Callable[..., Any], type]] = {
    "run": (ca.run, keywords.RunFileKeys),
    "match": (ca.match, keywords.MatchKeys),
    "gauntlet": (ca.gauntlet, keywords.PairingKeys),
    "compare": (ca.compare, keywords.CompareKeys),
    "tune": (ca.tune, keywords.TuneKeys),
    "history": (ca.history, keywords.HistoryKeys),
    "tournament": (ca.tournament, keywords.TournamentKeys),
}
COMMANDS = [name for name in FUNCTIONS if name != "tournament"]


def command_named(name: str) -> click.Command:
    command = main.get_command(click.Context(main), name)
    assert command
    return command


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_the_options_of_its_keys(name: str) -> None:
    given = {option for each in command_named(name).params for option in each.opts}
    for key in KEYS:
        if name in key.commands:
            assert key.cli[0].partition("/")[0] in given


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_the_keywords_of_its_keys(name: str) -> None:
    function, kinds = FUNCTIONS[name]
    keys = {key.name: key for key in KEYS if name in key.functions}
    assert kinds.__annotations__.keys() == keys.keys()
    listed = inspect.signature(function).parameters
    assert [word for word in listed if word in keys] == list(keys)
    for word, key in keys.items():
        is_open = (name, word) == ("tournament", "players")  # then the game says how many
        assert listed[word].default == (None if is_open else key.default)
        assert listed[word].annotation == kinds.__annotations__[word]


def test_keywords_of_parts_are_keys() -> None:
    parts: list[tuple[Callable[..., Any], type]] = [
        (PlannedTournament.run, keywords.RunKeys),
        (from_file, keywords.FileKeys),
    ]
    for function, kinds in parts:
        assert kinds.__annotations__.keys() <= BY_NAME.keys()
        assert kinds.__annotations__.keys() <= inspect.signature(function).parameters.keys()


def test_an_unknown_keyword_is_told_with_the_nearest() -> None:
    wrong: dict[str, Any] = {"gmaes": 3}
    with pytest.raises(TypeError, match=r"match\(\) got .* 'gmaes' \(did you mean 'games'\?\)"):
        ca.match("rule28", "random", **wrong)
    with pytest.raises(TypeError, match=r"run\(\) got .* 'freshh'"):
        ca.tournament(["rule28", "random"]).run(**dict[str, Any](freshh=True))


def test_a_written_file_has_the_keys_in_order() -> None:
    given: dict[str, Any] = {"anchor": {"rule28": 1500}, "gauntlet": "rule28", "game_limit": 3}
    planned = ca.tournament(
        ["rule28", "random"], until={"width": 0.1}, luck_removed=True, score="wins", **given
    )
    written = planned.tournament.as_file(Path())
    assert list(written) == [key.name for key in keys_of_file("tournament") if key.name in written]
    assert written.keys() == {key.name for key in keys_of_file("tournament")} - {
        # The file lists what plays, and was left out; Can't Stop has no openings.
        *("isolate", "exclude", "left_out", "openings")
    }
    plain = ca.tournament(["rule28", "random"]).tournament.as_file(Path())
    assert plain.keys() == {key.name for key in keys_of_file("tournament") if key.keeps_default}


def test_what_is_said_beside_a_file_overrides_it(tmp_path: Path, arena: Arena) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text("bots: [rule28, random]\n")
    planned = from_file(file, games=8, seed="evening", isolate="processes", luck_removed=True)
    tournament = planned.tournament
    assert (tournament.games, tournament.seed, tournament.luck_removed) == (8, "evening", True)
    with pytest.raises(ca.UsageError, match="isolate must be true, false or processes"):
        from_file(file, isolate=replace)  # type: ignore[arg-type]


def test_no_file_lets_a_foreign_bot_out(tmp_path: Path, arena: Arena) -> None:
    (tmp_path / "mine.py").write_text(
        "def choose_move(turn, moves):\n    return moves[0]\n\n"
        "def roll_again(turn):\n    return False\n"
    )
    file = tmp_path / "cup.yaml"
    file.write_text(
        "isolate: false\nbots: [rule28, ./mine.py, {bot: ./mine.py, as: free, isolate: false},"
        " {command: [cat], as: script}]\n"
    )
    entrants = from_file(file, isolate="processes").tournament.entrants
    assert [entrant.isolate.key for entrant in entrants] == [None, *["processes"] * 3]
    assert not any(entrant.isolate.key for entrant in from_file(file).tournament.entrants)


def test_matches_and_gauntlets_take_the_limits_of_files() -> None:
    planned = ca.gauntlet("rule28", ["odds"], max_faults=3, on_fault="abort", luck_removed=True)
    policy = planned.tournament.policy
    assert (policy.max_faults, policy.on_fault, policy.start_limit) == (3, "abort", 60.0)
    with pytest.raises(ca.UsageError, match="max_faults must be a whole number from 1"):
        ca.match("rule28", "odds", max_faults=0)


def test_importing_them_takes_no_time() -> None:
    code = "import sys, cantstop_arena.tournaments.file.keys; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"click", "numpy", "msgspec", "yaml"} & {*told.stdout.split()}


def test_help_has_the_texts_of_keys() -> None:
    for name in COMMANDS:
        command = command_named(name)
        helps = {each.name: each.help for each in command.params if isinstance(each, click.Option)}
        for key in KEYS:
            if name in key.commands:
                assert key.help_of(name) in helps.values()
