"""The engine against the naive reading of the rules, position by position and game by game."""

import json
import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Tables, from_python, plain
from helpers import naive, story
from helpers.parameters import slow_but
from helpers.paths import ROOT, TESTS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantstop_arena import compiled
from cantstop_arena.deals.counting import stored_measures
from cantstop_arena.deals.outcomes import WIN_UNITS, Block
from cantstop_arena.deals.sampling import wins_by_deal
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.counts import COUNTS
from cantstop_arena.games.cantstop.engine import moves
from cantstop_arena.games.cantstop.engine.entry_points import handle_of
from cantstop_arena.games.cantstop.engine.game_array import new_game
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, RuleSet, derive
from cantstop_arena.games.cantstop.turn import Turn, move_of
from cantstop_arena.table.recording import record
from cantstop_arena.table.seated_bot import SeatedBot

DATA = TESTS / "data" / "positions.jsonl"
POSITIONS = [json.loads(line) for line in DATA.read_text().splitlines()]
BOTS = ("random", "cautious", "daring", "odds", "rule28", "glenn-aloi")
MIXED = ("rule28", "plain random", "daring", "plain glenn-aloi")


def lines(table: EngineTable, seats: tuple[int, ...], deal: int) -> list[str]:
    """A recorded game as JSON Lines."""
    return [json.dumps(event) for event in record(table, seats, deal)]


# Positions ----------------------------------------------------------------------------------


def placed(position: dict[str, Any]) -> Any:
    """A game record in which a position stands."""
    rules = derive(CLASSIC, {**position["rules"]}, "of the position")
    game = new_game(rules, len(position["markers"]), 1)[0]
    game.seat = position["seat"]
    for seat, markers in enumerate(position["markers"]):
        for column, space in markers.items():
            game.markers[seat, int(column)] = space
    game.claimed = sum(1 << column for column in position["claimed"])
    game.free = rules.runners - len(position["runners"])
    for column, space in position["runners"].items():
        game.runners[int(column)] = space
        game.placed |= 1 << int(column)
        if space == rules.lengths[int(column)]:
            game.topped |= 1 << int(column)
    for column in rules.columns:
        reached = max(game.runners[column], game.markers[game.seat, column])
        game.brink |= int(reached == rules.lengths[column] - 1) << column
    faces = [face - 1 for face in position["dice"]]
    game.roll = sum(face * rules.sides**place for place, face in enumerate(reversed(faces)))
    game.offer = game.offer_of[game.roll]
    return game


@pytest.mark.slow
def test_every_stored_position_has_its_moves_runners_and_right_to_stop() -> None:
    parts = (moves.list_moves, moves.make_move, moves.may_stop)
    list_moves, make_move, may_stop = map(from_python, parts)
    for position in POSITIONS:
        count = list_moves(game := placed(position))
        found = [list(move_of(code)) for code in game.moves[:count].tolist()]
        assert found == [move["move"] for move in position["moves"]], position
        for index, expected in enumerate(position["moves"]):
            list_moves(game := placed(position))
            make_move(game, index)
            runners = {
                str(column): int(game.runners[column]) for column in np.flatnonzero(game.runners)
            }
            assert runners == expected["runners"], position
            assert bool(may_stop(game)) == expected["may_stop"], position


# Whole games --------------------------------------------------------------------------------


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """Any rule set, small boards first."""
    sides = draw(st.sampled_from((2, 3, 3, 4, 4, 6, 8)))
    columns = 2 * sides - 1
    changes = {
        "sides": sides,
        "column_lengths": draw(st.lists(st.integers(1, 6), min_size=columns, max_size=columns)),
        "runners": draw(st.integers(1, min(4, columns))),
        "columns_to_win": draw(st.integers(1, columns)),
        "landing": draw(st.sampled_from(("share", "jump", "leave"))),
        "stop": draw(st.sampled_from(("any-time", "after-all-runners"))),
        "turn_limit": draw(st.integers(1, 60)),
    }
    return derive(CLASSIC, changes, "drawn")


@pytest.mark.slow
@settings(
    max_examples=max(1, settings().max_examples // 2), suppress_health_check=list(HealthCheck)
)
@given(
    rules=rule_sets(),
    seats=st.lists(st.sampled_from(range(len(BOTS))), min_size=1, max_size=4),
    deal=st.integers(0, 10**6),
)
def test_the_referee_accepts_games_under_any_rules(
    tables: Tables, rules: RuleSet, seats: list[int], deal: int
) -> None:
    present = sorted(set(seats))  # each of them takes a while to sit down
    contestants = [SeatedBot(BOTS[bot], tables.player(BOTS[bot]), BOTS[bot]) for bot in present]
    table = EngineTable(GAME, rules, contestants, len(seats), 1980)
    verdict = naive.referee(lines(table, tuple(map(present.index, seats)), deal))
    assert verdict.reason != "fault"


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.slow
def test_the_referee_accepts_mixed_tables_under_every_named_rule_set(
    tables: Tables, name: str, players: int
) -> None:
    table = tables.of(NAMED[name][0], MIXED[:players], players)
    for deal in range(8):
        naive.referee(lines(table, tuple(range(players)), deal))


@pytest.mark.parametrize("name", ["classic", "jump", "leave", "korean"])
def test_compiled_and_plain_bots_play_the_same_games(tables: Tables, name: str) -> None:
    rules = NAMED[name][0]
    native = tables.of(rules, BOTS[:3] + BOTS[4:], 3)
    asked = tables.of(rules, [f"plain {bot}" for bot in BOTS[:3] + BOTS[4:]], 3)
    for block in (Block((0, 1, 3), 5, 4), Block((2, 3, 4), 0, 4)):
        one, other = native.play(block), asked.play(block)
        assert (one.tallies, one.winners) == (other.tallies, other.winners)


@pytest.mark.slow
def test_games_are_the_same_with_the_compiler_switched_off(tables: Tables) -> None:
    script = (
        "import json, sys\n"
        "from conftest import Tables\n"
        "from test_engine import games_to_compare\n"
        "json.dump(games_to_compare(Tables()), sys.stdout)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": os.pathsep.join(map(str, (TESTS, Path(__file__).parent, ROOT))),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == games_to_compare(tables)


def games_to_compare(tables: Tables) -> list[list[str]]:
    """Games of all built-in bots under different rules."""
    return [
        lines(tables.of(NAMED[name][0], BOTS, players), seats, 7)
        for name, players, seats in (
            ("classic", 2, (4, 0)),
            ("jump", 4, (5, 1, 2, 0)),
            ("leave", 3, (4, 5, 1)),
            ("korean", 1, (3,)),
        )
    ]


@pytest.mark.slow
def test_a_block_adds_up_to_the_games_of_its_deals(tables: Tables) -> None:
    rules = CLASSIC._replace(turn_limit=20)
    table = tables.of(rules, BOTS, 2)
    result = table.play(Block((0, 4), 10, 30))
    for order, tally in zip(((0, 4), (4, 0)), result.tallies, strict=True):
        games = [naive.referee(lines(table, order, deal)) for deal in range(10, 40)]
        assert tally.games == 30
        assert tally.unfinished == sum(game.reason == "turn-limit" for game in games) > 0
        turns = [game.turns for game in games]
        assert sum(tally.counts["turns"]) == sum(turns)
        assert tally.squares["turns"] == sum(count * count for count in turns)
        assert sum(tally.counts["rolls"]) == sum(game.rolls for game in games)
        assert sum(tally.counts["busts"]) == sum(game.busts for game in games)
        for seat in (0, 1):
            won = sum(
                WIN_UNITS // len(game.winners or (0, 1)) for game in games if _won(game, seat)
            )
            assert tally.wins[seat] == won
    parts = wins_by_deal(result.masks(), table.orders)
    assert (parts[:, :2].sum(axis=1) == 2 * WIN_UNITS).all()
    tallies = [tally.wins for tally in result.tallies]
    assert parts[:, 0].sum() == tallies[0][0] + tallies[1][1]
    assert parts[:, 3].sum() == tallies[0][1] + tallies[1][1]


@pytest.mark.slow
@pytest.mark.parametrize(("players", "turn_limit"), [(1, 1000), (2, 1000), (2, 21), (4, 1000)])
def test_the_story_of_a_game_is_counted_as_its_record_tells_it(
    tables: Tables, players: int, turn_limit: int
) -> None:
    table = tables.of(CLASSIC._replace(turn_limit=turn_limit), BOTS, players)
    table.keeps_counts = True
    group = tuple(range(players))
    result = table.play(Block(group, 3, 5))
    table.keeps_counts = False
    orders = list(permutations(group))
    kept = np.frombuffer(result.measures, "<u4").reshape(5, len(stored_measures(GAME.counts)))
    for deal in range(5):
        told = [story.told(lines(table, order, 3 + deal)) for order in orders]
        sums = [sum(one[name][seat] for one in told for seat in group) for name in COUNTS]
        unfinished = sum(one["unfinished"][0] for one in told)
        assert kept[deal].tolist() == [len(orders), unfinished, *sums]
    for order, tally in zip(orders, result.tallies, strict=True):
        told = [story.told(lines(table, order, deal)) for deal in range(3, 8)]
        for name in COUNTS:
            sums = [sum(one[name][seat] for one in told) for seat in group]
            assert list(tally.counts[name]) == sums
            assert tally.squares[name] == sum(sum(one[name]) ** 2 for one in told)


def _won(game: naive.Verdict, seat: int) -> bool:
    return not game.winners or seat in game.winners


def test_identical_bots_score_exactly_half_whatever_the_seats(tables: Tables) -> None:
    player = tables.player("rule28")
    table = EngineTable(GAME, CLASSIC, [SeatedBot(n, player, "rule28") for n in "ab"], 2, 5)
    first, second = table.play(Block((0, 1), 0, 500)).tallies
    assert first.wins == second.wins
    assert first.wins[0] + second.wins[1] == 500 * WIN_UNITS


@pytest.mark.parametrize(
    ("changes", "players", "share", "reason"),
    [
        ({"turn_limit": 1}, 3, WIN_UNITS // 3, "turn-limit"),
        ({"sides": 2, "column_lengths": [1, 1, 1], "columns_to_win": 3}, 3, None, "all-claimed"),
    ],
)
def test_games_without_a_winner_of_their_own_are_shared(
    tables: Tables, changes: dict[str, Any], players: int, share: int | None, reason: str
) -> None:
    table = tables.of(derive(CLASSIC, changes, "tiny"), BOTS, players)
    result = table.play(Block((0, 1, 4), 0, 40))
    assert all(sum(tally.wins) == 40 * WIN_UNITS for tally in result.tallies)
    ends = [json.loads(lines(table, (0, 1, 4), deal)[-1]) for deal in range(40)]
    assert reason in {end["reason"] for end in ends}
    if share is not None:
        assert {win for tally in result.tallies for win in tally.wins} == {40 * share}


# What bots are shown and asked --------------------------------------------------------------


def test_plain_bots_are_asked_real_decisions_only(tables: Tables) -> None:
    inner, asked = tables.player("rule28"), []

    def choose_move(turn: Turn, moves: Any) -> int:
        assert len(moves) > 1
        asked.append("move")
        return inner.choose_move(turn, moves)

    def roll_again(turn: Turn) -> bool:
        topped = sum(turn.runners[c] == turn.rules.lengths[c] for c in turn.placed)
        assert turn.claims + topped < turn.rules.columns_to_win
        assert turn.free == 0 or set(turn.rules.columns) <= {*turn.claimed, *turn.placed}
        assert all(rival[c] != turn.runners[c] for rival in turn.rivals for c in turn.placed)
        asked.append("stop")
        return inner.roll_again(turn)

    rules = derive(CLASSIC, {"stop": "after-all-runners", "landing": "leave"}, "strict")
    bots = [SeatedBot(name, Player(choose_move, roll_again), name) for name in "ab"]
    result = EngineTable(GAME, rules, bots, 2, 3).play(Block((0, 1), 0, 20))
    assert result.faults == ()
    assert set(asked) == {"move", "stop"}


def seen(turn: Any, moves: Any) -> Any:
    """All that a turn shows, folded into one number, the same in both lanes."""
    total = turn.seat + 2 * turn.players + 3 * turn.number + 5 * turn.rolls + 7 * turn.free
    total += 11 * len(turn.placed) + 13 * len(turn.usable) + 17 * len(turn.claimed)
    total += 19 * turn.claims + 23 * turn.rules.columns_to_win + 29 * turn.rules.turn_limit
    for face in turn.dice:
        total = total * 3 + face
    for column in turn.rules.columns:
        space = turn.position(column)
        total += column * (turn.runners[column] + 2 * turn.markers[column] + 3 * space)
        total += 5 * turn.rules.lengths[column] + turn.next_space(column, space)
        if column in turn.usable:
            total += 31
        if column in turn.claimed or column in turn.placed:
            total += 37
        for rival in range(len(turn.rivals)):
            total += (rival + 2) * turn.rivals[rival][column]
    for rival in range(len(turn.rival_claims)):
        total += 41 * turn.rival_claims[rival]
    for index, move in enumerate(moves):
        for column in move:
            total += (index + 1) * column * len(move)
        if move[0] in move and 99 not in move:
            total += 43
        total += (index + 2) * (59 * move[-1] + 61 * moves[-1 - index][-len(moves[-1 - index])])
    if len(turn.placed):
        total += 67 * turn.placed[-1] + 71 * turn.placed[0]
    if turn.rules.landing == "jump":
        total += 47
    if turn.rules.stop == "any-time":
        total += 53
    return float(total) + turn.bust_chance() + turn.chance(7) + turn.random()


@compiled
def by_what_is_seen(turn: Any, moves: Any) -> int:
    """A choice that hangs on everything a turn shows."""
    return int(seen(turn, moves) * 1000) % len(moves)


@compiled
def stop_by_what_is_seen(turn: Any) -> bool:
    """A decision that hangs on everything but the moves."""
    total = turn.bust_chance() + turn.random()
    for column in turn.placed:
        total += turn.runners[column] / turn.rules.lengths[column]
    return int(total * 1000) % 3 != 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["classic", "jump", "long4"])
def test_both_lanes_see_the_same_table(name: str) -> None:
    player = Player(by_what_is_seen, stop_by_what_is_seen)
    rules = NAMED[name][0]
    native = EngineTable(GAME, rules, [SeatedBot(n, player, "seeing") for n in "abc"], 3, 9)
    asked = EngineTable(GAME, rules, [SeatedBot(n, plain(player), "seeing") for n in "abc"], 3, 9)
    assert native.native[0] is not None
    for deal in range(10):
        assert lines(native, (0, 1, 2), deal) == lines(asked, (0, 1, 2), deal)


def test_nothing_in_a_plain_turn_can_be_written() -> None:
    failures = []

    def choose_move(turn: Any, moves: Any) -> int:
        for act in (
            lambda: setattr(turn, "seat", 1),
            lambda: turn.runners.__setitem__(7, 3),
            lambda: turn.rivals[0].__setitem__(7, 3),
            lambda: setattr(turn.rules, "columns_to_win", 1),
            lambda: moves.append((7,)),
        ):
            try:
                act()
            except (AttributeError, TypeError):
                failures.append(1)
        return 0

    bots = [SeatedBot(n, Player(choose_move, lambda turn: False), n) for n in "ab"]
    EngineTable(GAME, CLASSIC, bots, 2, 1).play(Block((0, 1), 0, 1))
    assert failures
    assert len(failures) % 5 == 0


@compiled
def write_runner(turn: Any, moves: Any) -> int:
    """Tries to win by decree."""
    turn.runners[7] = 13
    return 0


@compiled
def write_seat(turn: Any, moves: Any) -> int:
    """Tries to play for somebody else."""
    turn.seat = 1
    return 0


@compiled
def answer_a_float(turn: Any, moves: Any) -> float:
    """Answers what is no index."""
    return 0.5


@pytest.mark.parametrize("choose", [write_runner, write_seat, answer_a_float])
def test_a_compiled_bot_that_writes_or_answers_nonsense_does_not_compile(choose: Any) -> None:
    bot = SeatedBot("cheat", Player(choose, stop_by_what_is_seen), f"cheat {choose.__name__}")
    with pytest.raises(BotError, match="cheat does not compile"):
        EngineTable(GAME, CLASSIC, [bot], 1, 1)


# Faults -------------------------------------------------------------------------------------


@compiled
def index_too_high(turn: Any, moves: Any) -> int:
    """Answers a move that does not exist."""
    return 99


@compiled
def raises(turn: Any, moves: Any) -> Any:
    """Divides by zero."""
    return 1 // (turn.players - turn.players)


@compiled
def looks_too_far_back(turn: Any, moves: Any) -> Any:
    """Looks up a move before the first."""
    return moves[-len(moves) - 1][0]


@compiled
def looks_too_far_on(turn: Any, moves: Any) -> Any:
    """Looks up a third column of a move."""
    return moves[0][2]


def bad_answers() -> list[Any]:
    """Plain choose_move functions that fail in different ways."""
    answers = (99, -1, None, True, 0.0, float("nan"), "0", np.array([0]), [0])
    return [lambda turn, moves, answer=answer: answer for answer in answers]


def quits(turn: Any, moves: Any) -> int:
    """Leaves the program."""
    raise SystemExit(3)


COMPILED_FAULTS = (index_too_high, raises, looks_too_far_back, looks_too_far_on)


@pytest.mark.parametrize("choose", [*COMPILED_FAULTS, quits, *bad_answers()])
@pytest.mark.parametrize("players", slow_but([1], [1, 2, 3]))
def test_a_bot_that_misbehaves_loses_that_game_and_the_others_share_it(
    tables: Tables, choose: Any, players: int
) -> None:
    again = tables.player("cautious").roll_again
    if choose not in COMPILED_FAULTS:
        again = plain(tables.player("cautious")).roll_again
    honest = [SeatedBot(n, tables.player("rule28"), "rule28") for n in "abc"[: players - 1]]
    culprit = SeatedBot("culprit", Player(choose, again), f"fault {choose}")
    table = EngineTable(GAME, CLASSIC, [*honest, culprit], players, 1)
    group = tuple(range(players))
    result = table.play(Block(group, 0, 3))
    games = sum(tally.games for tally in result.tallies)
    assert {fault.bot for fault in result.faults} == {players - 1}
    assert [fault.deal for fault in result.faults] == [0, 1, 2]
    assert sum(fault.count for fault in result.faults) == games
    assert sum(tally.forfeits for tally in result.tallies) == games
    won = wins_by_deal(result.masks(), table.orders)[:, :players]
    assert (won[:, -1] == 0).all()
    assert won.sum() == (games * WIN_UNITS if players > 1 else 0)
    end = json.loads(lines(table, group, 0)[-1])
    assert (end["reason"], end["winners"]) == ("fault", list(range(players - 1)))


def test_a_bot_may_misbehave_once_and_go_on(tables: Tables) -> None:
    inner = tables.player("rule28")

    def choose_move(turn: Turn, moves: Any) -> int:
        if turn.number == 1 and turn.dice[0] == 6:
            raise ValueError("no sixes, please")
        return inner.choose_move(turn, moves)

    bots = [
        SeatedBot("moody", Player(choose_move, inner.roll_again), "moody"),
        SeatedBot("rule28", inner, "rule28"),
    ]
    result = EngineTable(GAME, CLASSIC, bots, 2, 1).play(Block((0, 1), 0, 60))
    assert 0 < len(result.faults) < 60
    assert {fault.count for fault in result.faults} == {1}
    assert "no sixes, please" in result.faults[0].message
    assert sum(tally.games for tally in result.tallies) == 120


def test_handles_lead_to_the_record() -> None:
    games = new_game(CLASSIC, 2, 1)
    assert handle_of(games) == games.ctypes.data
