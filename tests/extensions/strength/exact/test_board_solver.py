"""Exact values: against published and earlier ones, and against values worked out naively."""

import hashlib
import json
import os
import random
import re
import subprocess
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import value_iteration
from helpers.arena import Arena
from helpers.pages import checked
from helpers.small_boards import board

from cantstop_arena.errors import Interrupted, UsageError
from cantstop_arena.extensions.strength.exact import solved_tables
from cantstop_arena.extensions.strength.exact.board import board_of, size_of
from cantstop_arena.extensions.strength.exact.turn_solver import solve_turn_of
from cantstop_arena.extensions.strength.exact.workspace import workspace_for
from cantstop_arena.extensions.strength.solved_board import first_stops
from cantstop_arena.games.cantstop.rules import CLASSIC, RuleSet, derive

# Glenn, Fang and Kruskal 2007 and 2008 (rounded there), and an independent program.
KNOWN = [
    (2, 1, 1, 1.297948190),
    (2, 2, 1, 1.347281862),
    (2, 3, 1, 1.400179988),
    (3, 1, 1, 1.480253419),
    (3, 2, 1, 1.722400785),
    (3, 3, 1, 1.890481456),
    (4, 1, 1, 2.187306975),
    (3, 1, 2, 0.760069064),
]


@pytest.mark.parametrize(("sides", "shortest", "players", "value"), KNOWN)
def test_known_values_are_found_to_nine_digits(
    tmp_path: Path, sides: int, shortest: int, players: int, value: float
) -> None:
    table = solved_tables.solve(board(sides, shortest), players, tmp_path)
    assert table.value == pytest.approx(value, abs=6e-10)


@pytest.mark.slow
def test_the_largest_known_value_is_found_to_nine_digits(tmp_path: Path) -> None:
    assert solved_tables.solve(board(3, 2), 2, tmp_path).value == pytest.approx(
        0.711048981, abs=6e-10
    )


def solved(rules: Mapping[str, Any], players: int, folder: Path) -> solved_tables.SolvedTable:
    return solved_tables.solve(derive(CLASSIC, {**rules, "turn_limit": 1000}), players, folder)


def check_against_value_iteration(rules: Mapping[str, Any], players: int, folder: Path) -> None:
    """Every position has the value that it has from the rules alone, and none is nan."""
    expected = value_iteration.values_of(value_iteration.Rules(**rules), players)
    table = solved(rules, players, folder)
    assert not np.isnan(table.values).any()
    is_over = np.isnan(expected)
    assert table.values[~is_over] == pytest.approx(expected[~is_over], rel=1e-11, abs=1e-11), rules


PLAIN = {"sides": 2, "runners": 3, "columns_to_win": 3, "landing": "share", "stop": "any-time"}
VARIANTS: list[dict[str, Any]] = [
    {},
    {"landing": "jump"},
    {"landing": "leave"},
    {"stop": "after-all-runners"},
    {"runners": 1},
    {"runners": 2, "landing": "leave", "stop": "after-all-runners"},
    {"columns_to_win": 2},
    {"columns_to_win": 1, "runners": 2},
    {"column_lengths": (1, 2, 3), "landing": "jump", "columns_to_win": 2},
    {"column_lengths": (1, 1, 2), "columns_to_win": 3, "runners": 2},
    {"column_lengths": (2, 1, 2), "landing": "jump", "stop": "after-all-runners", "runners": 2},
]


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
@pytest.mark.parametrize("players", [1, 2])
def test_every_rule_agrees_with_the_rules_read_a_second_time(
    tmp_path: Path, changes: dict[str, Any], players: int
) -> None:
    check_against_value_iteration(
        {**PLAIN, "column_lengths": (1, 3, 1), **changes}, players, tmp_path
    )


# Newton's method alone ends elsewhere on these, as both players would rather bust than stop, or a
# player alone needs more turns than the first estimate. On the last it alternates for ever.
UNSTABLE: list[tuple[int, dict[str, Any]]] = [
    (1, {"column_lengths": (1,) * 5, "runners": 2, "stop": "after-all-runners"}),
    (1, {"column_lengths": (2, 1, 1, 1, 2), "runners": 2, "columns_to_win": 4}),
    (1, {"column_lengths": (1, 2, 1, 1, 1), "runners": 3, "columns_to_win": 4}),
    (2, {"column_lengths": (2, 1, 1, 1, 1), "runners": 1}),
    (2, {"column_lengths": (1, 2, 1, 1, 1), "runners": 1, "landing": "jump"}),
    (2, {"column_lengths": (1, 1, 1, 1, 2), "runners": 1, "columns_to_win": 4, "landing": "leave"}),
]


@pytest.mark.parametrize(("players", "changes"), UNSTABLE, ids=str)
def test_a_bust_that_is_better_than_stopping_is_solved(
    tmp_path: Path, players: int, changes: dict[str, Any]
) -> None:
    stop = "after-all-runners" if players == 1 else "any-time"
    check_against_value_iteration({**PLAIN, "sides": 3, "stop": stop, **changes}, players, tmp_path)


def random_rules(rng: random.Random, players: int) -> dict[str, Any]:
    """A board of three-sided dice with a table of at most 4,000 entries."""
    while True:
        lengths = tuple(rng.randint(1, 3) for _ in range(5))
        radices = (length + 1 if players == 1 else length**2 + 2 for length in lengths)
        if prod(radices) <= 4000:
            break
    return {
        "sides": 3,
        "column_lengths": lengths,
        "runners": rng.randint(1, 5),
        "columns_to_win": rng.randint(1, 5),
        "landing": rng.choice(("share", "jump", "leave")),
        "stop": rng.choice(("any-time", "after-all-runners")),
    }


@pytest.mark.long
@pytest.mark.parametrize("seed", range(30))
def test_ten_random_boards_agree_with_the_rules_read_a_second_time(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    for _ in range(10):
        players = rng.randint(1, 2)
        check_against_value_iteration(random_rules(rng, players), players, tmp_path)


def equation_error(table: solved_tables.SolvedTable) -> float:
    """The largest difference of a stored value from the value of its turn, worked out with it."""
    rules, players = table.rules, table.players
    board = board_of(rules, players)
    workspace = workspace_for(board)
    digits = np.arange(len(table.values))[:, None] // board.units % board.radices
    own, rival = (digits == board.radices - step for step in ((1, 2) if players == 1 else (2, 1)))
    if players == 1:
        rival[:] = False
    is_over = (
        (own.sum(1) >= rules.columns_to_win)
        | (rival.sum(1) >= rules.columns_to_win)
        | (own | rival).all(1)
    )
    error = 0.0
    for position in np.flatnonzero(~is_over).tolist():
        solve_turn_of(board, workspace, table.values, position)
        value = float(workspace.values[workspace.first[0]])
        error = max(error, abs((value if players == 2 else 1 - value) - table.values[position]))
    return error


DOCUMENTED = [(3, 1, 1, {}), (3, 1, 2, {}), (3, 1, 2, {"columns_to_win": 2}), (3, 2, 1, {})]
DOCUMENTED += [(3, 1, 2, {"runners": 1, "columns_to_win": goal}) for goal in (3, 4, 5)]


@pytest.mark.slow
@pytest.mark.parametrize(("sides", "shortest", "players", "changes"), DOCUMENTED, ids=str)
def test_stored_values_solve_their_own_equations(
    tmp_path: Path, sides: int, shortest: int, players: int, changes: dict[str, Any]
) -> None:
    table = solved_tables.solve(board(sides, shortest, **changes), players, tmp_path)
    assert equation_error(table) < 1e-9


@pytest.mark.parametrize("players", [1, 2])
def test_a_position_that_does_not_converge_ends_the_solving(arena: Arena, players: int) -> None:
    """No iteration converges where the values of later positions are nan."""
    rules, folder = board(2, 1), Path("tables")
    table = solved_tables.solve(rules, players, folder)
    table.values[:], table.next = np.nan, 7
    solved_tables._save(table, solved_tables.table_path(rules, players, folder))
    words = ("2,1", "--players", str(players), "--tables", "tables")
    error = arena("solve", *words, code=1).error
    assert re.search(rf"\nThe value of position [0-7] of .* for {players} players? cannot", error)
    unfinished = solved_tables.load(rules, players, folder)
    assert unfinished is not None and 0 <= unfinished.next <= 7


def test_the_table_of_an_earlier_solver_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = board(2, 1)
    with monkeypatch.context() as earlier:
        earlier.setattr(solved_tables, "_SOLVER", solved_tables._SOLVER - 1)
        solved_tables.solve(rules, 1, tmp_path)
    assert solved_tables.load(rules, 1, tmp_path) is None


def test_whoever_has_more_wins_where_nobody_reaches_the_columns_to_win(tmp_path: Path) -> None:
    rules = derive(CLASSIC, {"sides": 2, "column_lengths": [1, 1, 1], "columns_to_win": 3})
    table = solved_tables.solve(rules, 2, tmp_path)
    mine, theirs, units = 1, 2, (1, 3, 9)
    left = {digits: table.values[np.dot(digits, units)] for digits in ((mine, theirs, mine),)}
    assert left == {(mine, theirs, mine): 1.0}
    assert table.values[np.dot((theirs, mine, theirs), units)] == 0.0


def test_positions_are_counted_without_listing_them() -> None:
    counted = [size_of(board(n, k), p).positions for n, k, p in ((3, 3, 1), (4, 1, 1), (4, 2, 1))]
    assert counted == [4378, 12_913, 83_456]
    assert [size_of(board(3, k), 2).positions for k in (1, 2)] == [27_685, 438_504]


def test_an_interrupted_board_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = board(3, 1)
    monkeypatch.setattr(solved_tables, "_STATES_AT_ONCE", 50_000)

    def interrupt(table: solved_tables.SolvedTable) -> None:
        raise Interrupted(2)

    with pytest.raises(Interrupted):
        solved_tables.solve(rules, 2, tmp_path, interrupt)
    half = solved_tables.load(rules, 2, tmp_path)
    assert half is not None and 0 < half.progress < 1
    begun: list[float] = []
    whole = solved_tables.solve(rules, 2, tmp_path, lambda table: begun.append(table.progress))
    assert begun[0] > half.progress
    anew = solved_tables.solve(rules, 2, tmp_path / "anew")
    assert np.array_equal(whole.values, anew.values)
    assert half.checksum != whole.checksum == anew.checksum


def test_what_a_killed_process_left_behind_is_cleared_up(tmp_path: Path) -> None:
    path = solved_tables.table_path(board(2, 1), 1, tmp_path)
    ended = subprocess.Popen(["true"])
    ended.wait()
    left, alive = (
        path.with_name(f".{path.name}.{'0' * 16}.{pid}") for pid in (ended.pid, os.getpid())
    )
    for part in (left, alive):
        part.write_bytes(b"half of it")
    solved_tables.solve(board(2, 1), 1, tmp_path)
    assert not left.exists() and path.exists()


def test_a_solved_board_is_looked_up(tmp_path: Path) -> None:
    first = solved_tables.solve(board(2, 1), 1, tmp_path)
    calls: list[solved_tables.SolvedTable] = []
    renamed = board(2, 1)._replace(name="another name")
    assert solved_tables.solve(renamed, 1, tmp_path, calls.append).value == first.value
    assert not calls


def test_a_damaged_table_is_refused_in_a_sentence(tmp_path: Path) -> None:
    rules = board(2, 1)
    solved_tables.solve(rules, 1, tmp_path)
    path = solved_tables.table_path(rules, 1, tmp_path)
    whole = path.read_bytes()
    for damaged in (b"", whole[:200], whole[:-400] + bytes(400), whole[:-1], b"[]"):
        path.write_bytes(damaged)
        with pytest.raises(UsageError, match="delete it, and solve the board again"):
            solved_tables.solve(rules, 1, tmp_path)
        assert path.read_bytes() == damaged


def run(arena: Arena, *words: str) -> tuple[int, str, str]:
    """`arena solve` with these words: exit code, output, errors."""
    result = arena("solve", *words, code=None)
    return result.code, result.text, result.error


@pytest.mark.slow
def test_the_command_says_what_it_takes_and_what_came_of_it(arena: Arena, tmp_path: Path) -> None:
    code, output, told = run(arena, "3,1", "--players", "1", "--tables", str(tmp_path))
    headline, finding, losses, *_ = output.split("\n\n")
    assert (code, headline) == (0, "1.480253419 turns to the end, with the best play.")
    assert finding.startswith("Of the built-in bots glenn-aloi loses least: 0.27 turns")
    assert max(map(len, losses.splitlines())) <= 80
    assert ": 308 positions, 0.0 MB" in told
    code, output, told = run(arena, "3,1", "--players", "1", "--tables", str(tmp_path), "--quiet")
    assert (code, output, told) == (0, "1.480253419\n", "")


@pytest.mark.slow
@pytest.mark.parametrize("players", [1, 2])
def test_the_page_says_what_json_says(arena: Arena, tmp_path: Path, players: int) -> None:
    page = tmp_path / "board.html"
    words = ["3,1", "--players", str(players), "--tables", str(tmp_path)]
    told = json.loads(arena("solve", *words, "--json", "--html", str(page)).text)
    (table,) = tmp_path.glob("*.table")
    *_, values = table.read_bytes()[len("exact values\n") + 32 :].partition(b"}\n")
    assert told["checksum"] == hashlib.sha256(values).hexdigest()
    html = checked(page.read_text("utf-8")).text
    assert told["headline"] in html
    assert f"{told['value']:.9f}" in told["headline"]
    assert f"{told['positions']:,}" in html
    _, _, section = page.read_text("utf-8").partition('id="losses"')
    losses = re.findall(r'<th scope="row"><bdi>([a-z0-9-]+)<', section)
    assert losses == [row["bot"] for row in told["losses"]]
    assert losses.index("rule28") < losses.index("random") and "optimal" not in losses


def test_a_first_turn_stops_where_rolling_on_is_worse(tmp_path: Path) -> None:
    evaluator = solved_tables.SolvedEvaluator(solved_tables.solve(board(3, 1), 2, tmp_path))
    stops = first_stops(evaluator)
    assert stops
    for climbs, (stopping, rolling) in stops:
        assert stopping >= rolling
        lower = {column: spaces - 1 for column, spaces in climbs.items() if spaces > 1}
        for column, spaces in lower.items():
            choice = evaluator.at_start({**climbs, column: spaces})
            assert choice.rolling > choice.stopping, f"{climbs} could stop before"


@pytest.mark.slow
def test_the_command_takes_changes_of_the_rules(arena: Arena, tmp_path: Path) -> None:
    words = ("classic", "sides=2", "column_lengths=1,3,1", "landing=jump", "columns_to_win=2")
    code, output, _ = run(arena, *words, "--json", "--tables", str(tmp_path))
    told = json.loads(output)
    assert (code, told["rules"]["landing"], told["positions"]) == (0, "jump", 69)
    assert list(tmp_path.iterdir()) == [
        solved_tables.table_path(RuleSet(**told["rules"]), 2, tmp_path)
    ]


REFUSED = {
    "too large": (["classic"], "too large to be solved for 2"),
    "small limit": (["3,3", "--memory", "1M"], "36 MB, and 1 MB are allowed"),
    "no memory": (["3,3", "--memory", "much"], "invalid size 'much'"),
    "unknown": (["klassik"], "unknown rules 'klassik'"),
    "no change": (["3,1", "jump"], "invalid change of the rules 'jump'"),
    "no parameter": (["3,1", "colour=3"], "colour: is no parameter"),
    "no rules": (["3,0"], "column_lengths: column 2 must be a whole number"),
    "no dice": (["9,1"], "sides: must be a whole number from 2 to 8"),
    "turn limit": (["3,1", "turn_limit=5"], "turn_limit: exact values"),
}


@pytest.mark.parametrize(("words", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_solved_is_refused(
    arena: Arena, tmp_path: Path, words: list[str], sentence: str
) -> None:
    code, _, told = run(arena, *words, "--tables", str(tmp_path / "tables"))
    assert (code, sentence in told) == (2, True)
    assert not (tmp_path / "tables").exists()
