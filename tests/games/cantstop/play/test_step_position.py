"""Positions that are stepped through: the same games as at the arena's table, seen from inside."""

import copy
import pickle
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import Tables, plain
from hypothesis import given, settings
from hypothesis import strategies as st

from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.position import IllegalAction, returns_of
from cantstop_arena.games.cantstop.engine import steps
from cantstop_arena.games.cantstop.engine.game_array import TWICE
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.play.actions import actions_under, outcomes
from cantstop_arena.games.cantstop.play.step_position import CantStopPosition, start
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, RuleSet, derive
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.table.recording import record
from cantstop_arena.table.seated_bot import SeatedBot

ODD = (
    {"sides": 2, "columns_to_win": 2},
    {"sides": 8, "columns_to_win": 1},
    {"runners": 1},
    {"runners": 5, "columns_to_win": 5},
    {"landing": "jump", "stop": "after-all-runners"},
    {"landing": "leave", "stop": "after-all-runners"},
    {"turn_limit": 9},
)
RULES = [*(rules for rules, _ in NAMED.values()), *(derive(CLASSIC, changes) for changes in ODD)]
SEED = 1980


def mask_of(move: tuple[int, ...]) -> int:
    """The engine's bit mask of a move: the inverse of `move_of`."""
    mask = sum(1 << column for column in set(move))
    return mask | mask << TWICE if len(move) > len(set(move)) else mask


rule_sets = st.sampled_from(RULES)
seat_counts = st.integers(1, 4)
deals = st.integers(0, 10_000)


def play_randomly(position: CantStopPosition, luck: random.Random) -> None:
    """Take random actions, and give random dice, up to the end."""
    while not position.is_over:
        if position.is_chance:
            position.give_dice([luck.randint(1, position.rules.sides) for _ in range(4)])
        else:
            position.step(luck.choice(position.legal))


# The same games as at the table -----------------------------------------------------------------


def follow(position: CantStopPosition, events: list[Any]) -> None:
    """Play a recorded game, holding the position against every event."""
    rolls: Counter[int] = Counter()
    for event, after in pairwise(events):
        if event["event"] == "roll":
            rolls[event["turn"]] += 1
            follow_roll(position, event, after, rolls[event["turn"]])
    assert position.is_over
    assert [*position.winners] == events[-1]["winners"]
    assert position.is_cut_off == (events[-1]["reason"] == "turn-limit")


def follow_roll(position: CantStopPosition, event: Any, after: Any, roll: int) -> None:
    """The turn's so many-th roll, the move that was made, and whether another roll followed."""
    turn = event["turn"]
    if position.is_chance:
        position.give_dice(event["dice"])
    if len(event["moves"]) > 1:
        assert position.is_choice and position.seat == event["seat"]
        assert position.turn_number == turn
        assert [list(move) for move in position.moves] == event["moves"]
        assert list(position.turn().dice) == event["dice"]
        position.step(position.actions.number_of[tuple(event["chosen"])])
    if is_asked(position, turn, roll):
        rolls_on = after["event"] in ("roll", "bust") and after["turn"] == turn
        actions = position.actions
        position.step(actions.roll if rolls_on else actions.stop)


def is_asked(position: CantStopPosition, turn: int, roll: int) -> bool:
    """Whether the position waits for the decision to roll again or to stop after this roll."""
    waits = not (position.is_over or position.is_chance or position.is_choice)
    return waits and (position.turn_number, position.turn().rolls) == (turn, roll)


@pytest.mark.slow
@given(rule_sets, seat_counts, deals, st.booleans())
@settings(max_examples=25)
def test_every_game_of_the_table_is_played_by_a_position(
    tables: Tables, rules: RuleSet, players: int, deal: int, is_given: bool
) -> None:
    table = tables.of(rules, ["random"], players, SEED)
    events = [*record(table, (0,) * players, deal)]
    seed = table.dice_of((0,) * players).circle
    follow(start(rules, players, None if is_given else seed, deal), events)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["glenn-aloi", "plain glenn-aloi"])
def test_bots_in_seats_play_as_at_the_table(tables: Tables, name: str) -> None:
    table = tables.of(CLASSIC, [name, "plain rule28"], 3, SEED)
    bot = SeatedBot(name, tables.player(name), name)
    agent = tables.player("plain rule28")
    for deal in range(5):
        seed = table.dice_of((0, 1, 0)).circle
        position = GAME.position(CLASSIC, 3, seed, deal, {0: bot, 2: bot})
        while not position.is_over:
            assert position.seat == 1
            turn, moves = position.turn(), position.moves
            answer = agent.choose_move(turn, moves) if moves else agent.roll_again(turn)
            legal = position.legal
            position.step(next(one for one in legal if position.answer_for(one) == answer))
        *_, end = record(table, (0, 1, 0), deal)
        assert [*position.winners] == end["winners"]
        assert position.turn_number == end["turns"]


def test_plain_bots_in_seats_draw_the_numbers_that_they_have_at_the_table(tables: Tables) -> None:
    table = tables.of(CLASSIC, ["plain random"], 2, SEED)
    bot = SeatedBot("random", plain(tables.player("random")), "plain random")
    position = GAME.position(CLASSIC, 2, table.dice_of((0, 0)).circle, 3, {0: bot, 1: bot})
    *_, end = record(table, (0, 0), 3)
    assert [*position.winners] == end["winners"]
    assert position.turn_number == end["turns"]


# Copies -----------------------------------------------------------------------------------------


@given(rule_sets, seat_counts, st.integers(0, 1 << 30))
@settings(max_examples=15)
def test_copies_are_independent_and_alike(rules: RuleSet, players: int, luck: int) -> None:
    position = start(rules, players)
    drawn = random.Random(luck)
    for _ in range(drawn.randrange(40)):
        if not position.is_over:
            step_once(position, drawn)
    copies = [position.clone(), copy.deepcopy(position), pickle.loads(pickle.dumps(position))]
    before = shown(position)
    play_randomly(position, random.Random(luck))
    for one in copies:
        assert shown(one) == before
        play_randomly(one, random.Random(luck))
        assert shown(one) == shown(position)


def step_once(position: CantStopPosition, luck: random.Random) -> None:
    if position.is_chance:
        position.give(luck.randrange(position.outcome_count))
    else:
        position.step(luck.choice(position.legal))


def shown(position: CantStopPosition) -> Any:
    """All that can be seen of a position."""
    seen = [position.observation(seat) for seat in range(position.players)]
    looks = [(one.observation.tolist(), one.mask.tolist()) for one in seen]
    return position.seat, position.is_chance, position.winners, position.turn_number, looks


@given(rule_sets, seat_counts, deals)
@settings(max_examples=10)
def test_dice_of_a_seed_are_those_that_its_games_have(
    rules: RuleSet, players: int, luck: int
) -> None:
    usual, late = start(rules, players, SEED), start(rules, players)
    drawn = random.Random(luck)
    late = late.with_chance_of(SEED)
    for _ in range(30):
        if usual.is_over:
            break
        assert shown(late) == shown(usual)
        action = drawn.choice(usual.legal)
        usual.step(action)
        late.step(action)
        late = late.with_chance_of(SEED)  # in the middle of a turn, too
    assert shown(late) == shown(usual)


def test_a_copy_with_other_dice_leaves_the_position_alone() -> None:
    position = start(CLASSIC, 2, SEED)
    before = shown(position)
    futures = {str(play_out(position.with_chance_of(seed))) for seed in range(5)}
    assert len(futures) > 1
    assert shown(position) == before


def play_out(position: CantStopPosition) -> Any:
    play_randomly(position, random.Random(1))
    return shown(position)


def test_threads_step_positions_side_by_side() -> None:
    def results(first: int) -> list[Any]:
        return [play_out(start(CLASSIC, 2, SEED, first + deal)) for deal in range(20)]

    with ThreadPoolExecutor(4) as pool:
        together = [*pool.map(results, range(0, 80, 20))]
    assert together == [results(first) for first in range(0, 80, 20)]


# What a bot is shown, as a position -------------------------------------------------------------


@given(rule_sets, seat_counts, deals)
@settings(max_examples=15)
def test_what_a_bot_is_shown_is_the_position(rules: RuleSet, players: int, luck: int) -> None:
    position = start(rules, players)
    drawn = random.Random(luck)
    for _ in range(60):
        if position.is_over:
            return
        if not position.is_chance:
            found = GAME.position_of(position.turn(), position.moves or None)
            assert shown(found) == shown(position)
            end_alike(found, position.clone(), luck)
        step_once(position, drawn)


def end_alike(found: CantStopPosition, position: CantStopPosition, luck: int) -> None:
    """Some steps on, both stand alike."""
    drawn, other = random.Random(luck), random.Random(luck)
    for _ in range(5):
        if position.is_over:
            break
        step_once(found, drawn)
        step_once(position, other)
    assert shown(found) == shown(position)


# Actions and outcomes ---------------------------------------------------------------------------


def test_eleven_columns_have_79_actions() -> None:
    actions = actions_under(CLASSIC)
    assert actions.count == 79
    names = [actions.name(action) for action in range(79)]
    assert len(set(names)) == 79
    assert names[:2] == ["2", "3"] and names[11:13] == ["2+2", "3+3"]
    assert names[22:24] == ["2+3", "2+4"] and names[-3:] == ["11+12", "stop", "roll"]


@pytest.mark.parametrize("sides", [2, 6, 8])
def test_every_move_has_an_action_of_its_own(sides: int) -> None:
    actions = actions_under(derive(CLASSIC, {"sides": sides, "columns_to_win": 1}))
    columns = range(2, 2 * sides + 1)
    moves = [(column,) for column in columns]
    pairs = [(low, high) for low, high in product(columns, columns) if low <= high]
    assert {*actions.moves} == {*moves, *pairs}
    assert len(actions.moves) == len(moves) + len(pairs) == actions.stop
    game = SimpleNamespace(sides=sides)
    numbers = [steps.action_of.py_func(game, mask_of(move)) for move in actions.moves]
    assert numbers == [*range(actions.stop)], "the engine numbers them alike"


@pytest.mark.parametrize(("sides", "count"), [(6, 126), (4, 35), (2, 5)])
def test_outcomes_are_the_multisets_of_dice(sides: int, count: int) -> None:
    rolls = Counter(tuple(sorted(roll)) for roll in product(range(1, sides + 1), repeat=4))
    found = outcomes(sides)
    assert len(found) == count
    assert {one.dice: round(one.chance * sides**4) for one in found} == rolls


def test_what_is_not_legal_is_refused_and_changes_nothing() -> None:
    position = start(CLASSIC, 2)
    with pytest.raises(IllegalAction, match="a roll is due"):
        position.step(0)
    with pytest.raises(IllegalAction, match="four dice from 1 to 6"):
        position.give_dice([1, 2, 3, 7])
    with pytest.raises(IllegalAction, match="outcomes are 0 to 125, not 126"):
        position.give(126)
    position.give_dice([6, 1, 1, 6])
    before = shown(position)
    with pytest.raises(IllegalAction, match=r"action 0 is illegal here; legal are 16 \(7\+7\), 31"):
        position.step(0)
    with pytest.raises(IllegalAction, match="no roll is due"):
        position.give(0)
    assert shown(position) == before


def test_a_position_with_bots_is_not_copied(tables: Tables) -> None:
    bot = SeatedBot("rule28", tables.player("rule28"), "rule28")
    position = GAME.position(CLASSIC, 2, SEED, 0, {1: bot})
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(UsageError, match="cannot be copied"):
            copied(position)


@pytest.mark.parametrize(
    ("winners", "players", "returns"),
    [
        ((1,), 2, (-1.0, 1.0)),
        ((0,), 3, (1.0, -0.5, -0.5)),
        ((0, 2), 3, (0.25, -0.5, 0.25)),
        ((0, 1), 2, (0.0, 0.0)),
        ((), 4, (0.0,) * 4),
        ((0,), 1, (1.0,)),
    ],
)
def test_returns(winners: tuple[int, ...], players: int, returns: tuple[float, ...]) -> None:
    assert returns_of(winners, range(players)) == pytest.approx(returns)


# Observations -----------------------------------------------------------------------------------


def expected(turn: Turn, seat: int, kind: str) -> Iterator[float]:
    """What a seat sees, told by what the bot on turn is shown."""
    columns, rules = turn.rules.columns, turn.rules
    everybody = [(turn.markers, turn.claims), *zip(turn.rivals, turn.rival_claims, strict=True)]
    seats = [(seat + step - turn.seat) % turn.players for step in range(turn.players)]
    for whose in seats:
        yield from (everybody[whose][0][column] / rules.lengths[column] for column in columns)
    yield from (turn.runners[column] / rules.lengths[column] for column in columns)
    yield from (float(column in turn.claimed) for column in columns)
    yield from (min(1.0, everybody[whose][1] / rules.columns_to_win) for whose in seats)
    yield from (float(whose == 0) for whose in seats)
    faces = range(1, rules.sides + 1)
    yield from (turn.dice.count(face) / 4 if kind == "choice" else 0.0 for face in faces)
    yield turn.free / rules.runners
    yield float(kind == "choice")
    yield float(kind == "again")
    yield turn.bust_chance()


@pytest.mark.slow
@given(rule_sets, seat_counts, deals)
@settings(max_examples=15)
def test_observations_have_what_there_is_to_see(rules: RuleSet, players: int, luck: int) -> None:
    position = start(rules, players)
    drawn = random.Random(luck)
    for _ in range(60):
        if position.is_over:
            return
        kind = "chance" if position.is_chance else "choice" if position.is_choice else "again"
        for seat in range(players):
            seen, mask = position.observation(seat)
            assert seen == pytest.approx([*expected(position.turn(), seat, kind)], abs=1e-6)
            assert bool(mask.any()) == (seat == position.seat and kind != "chance")
            assert not np.any((seen < 0) | (seen > 1))
        step_once(position, drawn)


def test_the_old_name_of_a_position_with_chance_warns() -> None:
    position = start(CLASSIC, 2)
    with pytest.warns(DeprecationWarning, match="with_chance_of"):
        old = position.with_dice_of(3)
    assert shown(old) == shown(position.with_chance_of(3))
