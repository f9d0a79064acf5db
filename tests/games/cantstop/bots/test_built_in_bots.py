"""The built-in bots against their published descriptions and the figures known of them."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import pytest
from conftest import Tables, plain
from helpers import naive
from helpers.parameters import slow_but
from msgspec.structs import replace

from cantstop_arena.bots.bot_start import code_digest
from cantstop_arena.deals.outcomes import WIN_UNITS, Block, Tally
from cantstop_arena.extension_registry import game_bots
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, RULES, RuleSet, derive
from cantstop_arena.games.cantstop.turn import Move, Turn
from cantstop_arena.table.seated_bot import SeatedBot

BUILT_IN = (
    "random",
    "cautious",
    "daring",
    "odds",
    "fifty-percent",
    "five-columns",
    "rule28",
    "synthesised",
    "tuned",
    "glenn-aloi",
)
Options = Mapping[str, Any]


def built(tables: Tables, name: str, **options: Any) -> SeatedBot:
    """A built-in bot with options."""
    spec = tables.catalogue.find(name, GAME)
    return SeatedBot(name, spec.build(options), code_digest(name, spec.digest, repr(options)))


def turn_with(
    runners: Mapping[int, int],
    markers: Mapping[int, int] | None = None,
    claimed: Sequence[int] = (),
    rules: RuleSet = CLASSIC,
) -> Turn:
    """What seat 0 of two sees, with runners and own markers on some spaces."""
    own = markers or {}
    free = rules.runners - len(runners)
    topped = {column for column, space in runners.items() if space == rules.lengths[column]}
    open_columns = [c for c in rules.columns if c not in claimed and c not in topped]
    return Turn(
        seat=0,
        players=2,
        number=1,
        rolls=1,
        dice=(1, 1, 1, 1),
        runners=tuple(runners.get(column, 0) for column in range(len(rules.lengths))),
        free=free,
        placed=tuple(sorted(runners)),
        usable=tuple(c for c in open_columns if free or c in runners),
        claimed=tuple(claimed),
        markers=tuple(own.get(column, 0) for column in range(len(rules.lengths))),
        rivals=((0,) * len(rules.lengths),),
        claims=0,
        rival_claims=(0,),
        rules=rules,
        random=lambda: 0.0,
    )


# Worked examples ----------------------------------------------------------------------------------


def all_but(*columns: int) -> list[int]:
    """All other columns of the board."""
    return [column for column in range(2, 13) if column not in columns]


@pytest.mark.parametrize(
    ("runners", "claimed", "score"),
    [
        ({2: 1, 5: 1}, all_but(2, 5), 18),  # no third runner can be placed
        ({2: 2, 5: 1, 12: 1}, [], 36),
        ({4: 2, 6: 3, 10: 1}, [], 26),  # all even: -2
        ({3: 1, 9: 1, 11: 1}, [], 10 + 6 + 10 + 2),  # all odd: +2
        ({3: 1, 4: 1, 7: 1}, [], 10 + 8 + 2 + 4),  # none above 7: +4
        ({7: 1, 8: 1, 9: 1}, [], 2 + 4 + 6 + 4),  # none below 7: +4
        ({3: 1, 5: 1, 7: 1}, [], 10 + 6 + 2 + 2 + 4),  # both kinds
    ],
)
def test_rule28_stops_when_the_worked_score_reaches_the_threshold(
    tables: Tables, runners: dict[int, int], claimed: list[int], score: int
) -> None:
    turn = turn_with(runners, claimed=claimed)
    for threshold, rolls in ((score - 1, False), (score, False), (score + 1, True)):
        player = built(tables, "rule28", threshold=threshold).player
        assert bool(player.roll_again(turn)) == rolls


def test_rule28_counts_the_spaces_of_this_turn_only(tables: Tables) -> None:
    turn = turn_with({2: 2, 5: 5, 12: 1}, markers={2: 1, 5: 3, 7: 9})
    assert not built(tables, "rule28", threshold=12 + 9 + 12).player.roll_again(turn)
    assert built(tables, "rule28", threshold=12 + 9 + 12 + 1).player.roll_again(turn)


def test_rule28_always_rolls_while_a_runner_can_be_placed(tables: Tables) -> None:
    player = built(tables, "rule28", threshold=1).player
    assert player.roll_again(turn_with({2: 2, 12: 2}))
    assert player.roll_again(turn_with({2: 2, 12: 2}, claimed=all_but(2, 12, 7)))
    assert not player.roll_again(turn_with({2: 2, 12: 2}, claimed=all_but(2, 12)))


def test_rule28_stops_where_no_roll_can_succeed(tables: Tables) -> None:
    player = built(tables, "rule28", threshold=1000).player
    assert not player.roll_again(turn_with({2: 3, 3: 5, 12: 3}))


def test_rule28_prefers_one_advance_to_placing_the_last_runner(tables: Tables) -> None:
    turn = turn_with({5: 1, 8: 1}, claimed=[4])
    assert built(tables, "rule28").player.choose_move(turn, ((5, 7), (8,))) == 1


def test_rule28_breaks_ties_as_told(tables: Tables) -> None:
    """Columns 6 and 8 are worth the same: the first is taken, or each as often as the other."""
    turn, moves = turn_with({2: 1, 12: 1}), ((6,), (8,))
    assert built(tables, "rule28").player.choose_move(turn, moves) == 0
    chosen = set()
    for number in (0.1, 0.4, 0.6, 0.9):
        drawing = turn._replace(random=lambda number=number: number)  # type: ignore[misc]
        chosen.add(built(tables, "rule28", ties="random").player.choose_move(drawing, moves))
    assert chosen == {0, 1}


def test_rule28_outer_prefers_the_columns_of_the_edge(tables: Tables) -> None:
    turn, moves = turn_with({}), ((2, 12), (7, 7))
    assert built(tables, "rule28").player.choose_move(turn, moves) == 1
    assert built(tables, "rule28", prefer="outer").player.choose_move(turn, ((7,), (2,))) == 1


def test_cautious_stops_with_all_runners_placed_and_daring_on_a_top(tables: Tables) -> None:
    cautious, daring = (built(tables, name).player for name in ("cautious", "daring"))
    assert cautious.roll_again(turn_with({2: 1, 12: 1}))
    assert not cautious.roll_again(turn_with({6: 1, 7: 1, 8: 1}))
    assert daring.roll_again(turn_with({6: 9, 7: 9, 8: 9}))
    assert not daring.roll_again(turn_with({2: 3, 7: 1}))
    assert not daring.roll_again(turn_with({2: 1, 3: 1, 12: 1}))  # 568 of 1296


# Every decision against the descriptions, read a second time --------------------------------------


def mirrored(*numbers: int) -> dict[int, int]:
    """Numbers of columns 2 to 7, the same for 12 to 8."""
    return {column: numbers[min(column, 14 - column) - 2] for column in range(2, 13)}


def turn_score(turn: Turn, values: dict[int, int], odd: int, even: int, low: int, high: int) -> int:
    """The score of a turn as Keller, and Glenn and Aloi after him, add it up."""
    score = sum((turn.runners[c] - turn.markers[c] + 1) * values[c] for c in turn.placed)
    if turn.free:
        return score
    score += odd if all(column % 2 for column in turn.placed) else 0
    score += even if not any(column % 2 for column in turn.placed) else 0
    score += low if max(turn.placed) <= 7 else 0
    return score + (high if min(turn.placed) >= 7 else 0)


def decide_like_keller(
    values: dict[int, int],
    weight: Callable[[int, int, int], int],
    bonuses: tuple[int, int, int, int],
    placed: int,
    threshold: int,
) -> Player:
    """The common procedure; `weight` is that of moving onto a space of a column of a length."""

    def move_score(turn: Turn, move: Move) -> int:
        score, spaces = 0, dict(enumerate(turn.runners))
        for column in move:
            score += 0 if spaces[column] else placed
            before = spaces[column] or turn.markers[column]
            spaces[column] = turn.next_space(column, before)
            score += weight(column, spaces[column], turn.rules.lengths[column])
        return score

    def roll_again(turn: Turn) -> bool:
        if turn.free and len(turn.usable) > len(turn.placed):
            return True
        return bool(turn.usable) and turn_score(turn, values, *bonuses) < threshold

    return Player(first_best(move_score), roll_again)


def first_best(worth: Callable[[Turn, Move], float]) -> Callable[[Turn, Any], int]:
    """Choose the first of the moves that are worth most."""

    def choose_move(turn: Turn, moves: Sequence[Move]) -> int:
        worths = [round(worth(turn, move), 9) for move in moves]
        return worths.index(max(worths))

    return choose_move


def keller(weights: dict[int, int]) -> Player:
    """Rule of 28."""
    values = mirrored(6, 5, 4, 3, 2, 1)
    return decide_like_keller(values, lambda column, *_: weights[column], (2, -2, 4, 4), -6, 28)


def glenn_aloi_constant() -> Player:
    """The constant champion."""
    values, weights = mirrored(7, 7, 3, 2, 2, 1), mirrored(7, 0, 2, 0, 4, 3)
    return decide_like_keller(values, lambda column, *_: weights[column], (7, 1, 5, 6), -6, 29)


def glenn_aloi_linear() -> Player:
    """The champion with linear move weights."""
    slopes, intercepts = mirrored(64, 24, 28, 8, 18, 12), mirrored(7, 1, 2, 1, 3, 4)

    def weight(column: int, space: int, length: int) -> int:
        return math.floor(slopes[column] * space / length + intercepts[column])

    return decide_like_keller(mirrored(7, 6, 4, 3, 2, 1), weight, (1, 0, -4, -4), -4, 24)


@cache
def successes(rules: RuleSet, runners: tuple[int, ...], claimed: tuple[int, ...]) -> float:
    """The chance that a roll is no bust, roll by roll; runners' spaces by column."""
    placed = {column: space for column, space in enumerate(runners) if space}
    return naive.success_count(RULES.as_dict(rules), placed, set(claimed)) / rules.sides**4


def bust_chance(turn: Turn) -> float:
    """The chance that the next roll is a bust; all spaces below a top are alike."""
    tops = zip(turn.runners, turn.rules.lengths, strict=True)
    runners = tuple(space if space == length else min(space, 1) for space, length in tops)
    return 1 - successes(turn.rules, runners, turn.claimed)


def chance_of(turn: Turn, column: int) -> float:
    """The chance that a roll makes a column, roll by roll."""
    closed = tuple(other for other in turn.rules.columns if other != column)
    return successes(turn.rules, (), closed)


def daring() -> Player:
    """Rolls until a column is topped or a bust is likelier than not; the move is its own."""

    def roll_again(turn: Turn) -> bool:
        topped = any(turn.runners[c] == turn.rules.lengths[c] for c in turn.placed)
        return not topped and bust_chance(turn) <= 0.5

    def height(turn: Turn, move: Move) -> float:
        return max(turn.next_space(c, turn.position(c)) / turn.rules.lengths[c] for c in move)

    return Player(first_best(height), roll_again)


def cautious() -> Player:
    """Takes the most probable columns, and stops once all runners are placed."""

    def roll_again(turn: Turn) -> bool:
        return turn.free > 0 and bool(set(turn.usable) - set(turn.placed))

    return Player(first_best(lambda turn, move: sum(chance_of(turn, c) for c in move)), roll_again)


def share(turn: Turn, columns: Sequence[int]) -> float:
    """A space on each of these columns, in shares of their lengths."""
    return sum(1 / turn.rules.lengths[column] for column in columns)


def mean_gain(turn: Turn) -> float:
    """The mean progress of the best moves, over all rolls."""
    runners = {column: turn.runners[column] for column in turn.placed}
    own = {c: space for c, space in enumerate(turn.markers) if space}
    position = naive.Position(RULES.as_dict(turn.rules), 0, [own], set(turn.claimed), runners)
    gain = 0.0
    for dice, times in _ROLLS.items():
        moves = naive.legal_moves(position, dice)
        gain += times * max((share(turn, move) for move in moves), default=0)
    return gain / 1296


def climbed_share(turn: Turn) -> float:
    """What the runners have climbed in this turn, in shares of the columns' lengths."""
    return sum((turn.runners[c] - turn.markers[c]) / turn.rules.lengths[c] for c in turn.placed)


def topped(turn: Turn) -> int:
    """How many runners are on a top."""
    return sum(turn.runners[c] == turn.rules.lengths[c] for c in turn.placed)


def odds() -> Player:
    """Weighs the mean progress of all rolls against the progress at stake."""

    def roll_again(turn: Turn) -> bool:
        return mean_gain(turn) > bust_chance(turn) * climbed_share(turn)

    def worth(turn: Turn, move: Move) -> float:
        return sum(chance_of(turn, c) / turn.rules.lengths[c] for c in move)

    return Player(first_best(worth), roll_again)


def fifty_percent() -> Player:
    """Counts rolls; doubles first, then moves of runners that are placed."""

    def rank(turn: Turn, move: Move) -> int:
        return 2 if len(move) > len(set(move)) else int(set(move) <= set(turn.placed))

    def roll_again(turn: Turn) -> bool:
        success = 1 - bust_chance(turn)
        return success == 1 or (success > 0 and turn.rolls < math.log(0.5) / math.log(success))

    return Player(first_best(rank), roll_again)


def five_columns() -> Player:
    """The teacher for five columns, by its seven features."""

    def rival(turn: Turn, column: int) -> float:
        return max(spaces[column] for spaces in turn.rivals) / turn.rules.lengths[column]

    def worth(turn: Turn, move: Move) -> float:
        summits = [c for c in set(move) if turn.position(c) + move.count(c) == top(turn, c)]
        steps = sum((1 + 0.65 * rival(turn, c)) / top(turn, c) for c in move)
        wins = turn.claims + topped(turn) + len(summits) >= turn.rules.columns_to_win
        reached = sum(0.8 + 0.6 * rival(turn, c) for c in summits)
        return steps + reached + (100 if summits and wins else 0)

    def roll_again(turn: Turn) -> bool:
        risk, pending = bust_chance(turn), topped(turn)
        threat = max(
            (rival(turn, c) for c in turn.rules.columns if c not in turn.claimed), default=0
        )
        if pending and (risk > 0.08 or turn.claims >= 3 or threat >= 0.7):
            return False
        care = 1.15 + 0.35 * threat + 0.1 * turn.claims - 0.07 * max(turn.rival_claims)
        return mean_gain(turn) > risk * (climbed_share(turn) + 0.6 * pending) * care

    def top(turn: Turn, column: int) -> int:
        return turn.rules.lengths[column]

    return Player(first_best(worth), roll_again)


def synthesised() -> Player:
    """The synthesised program, with the functions of its language."""
    values, weights = mirrored(7, 7, 3, 2, 2, 1), mirrored(7, 0, 2, 0, 4, 3)

    def height(turn: Turn, column: int) -> int:
        space = turn.position(column)
        return space + 1 if space == turn.rules.lengths[column] else space

    def difficulty(turn: Turn) -> int:
        kinds = (
            (7, lambda column: column % 2),
            (1, lambda column: not column % 2),
            (5, lambda column: column <= 7),
            (6, lambda column: column >= 7),
        )
        return sum(bonus for bonus, test in kinds if all(map(test, turn.placed)))

    def roll_again(turn: Turn) -> bool:
        if not turn.usable or (turn.free and {*turn.usable} - {*turn.placed}):
            return bool(turn.usable)
        score = -sum(sum(turn.placed) for _ in turn.placed)
        for column in turn.placed:
            reached = height(turn, column)
            score += values[column] * (reached - turn.markers[column]) * reached
        return score + difficulty(turn) ** 2 + difficulty(turn) < 29

    def worth(turn: Turn, move: Move) -> int:
        return sum(height(turn, column) + weights[column] for column in move)

    return Player(first_best(worth), roll_again)


_ROLLS = Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=4))

READINGS: dict[str, tuple[str, Options, Callable[[], Player], int]] = {
    "rule28": ("rule28", {}, lambda: keller(mirrored(1, 2, 3, 4, 5, 6)), 8),
    "rule28-outer": ("rule28", {"prefer": "outer"}, lambda: keller(mirrored(6, 5, 4, 3, 2, 1)), 8),
    "glenn-aloi": ("glenn-aloi", {}, glenn_aloi_constant, 8),
    "glenn-aloi-linear": ("glenn-aloi", {"weights": "linear"}, glenn_aloi_linear, 8),
    "daring": ("daring", {}, daring, 3),
    "cautious": ("cautious", {}, cautious, 3),
    "odds": ("odds", {}, odds, 1),
    "fifty-percent": ("fifty-percent", {}, fifty_percent, 3),
    "five-columns": ("five-columns", {}, five_columns, 1),
    "synthesised": ("synthesised", {}, synthesised, 8),
}


# By their descriptions, the others reckon every advance as one space.
JUMPING = [(name, "jump") for name in READINGS if name not in ("odds", "five-columns")]


def shadowed(player: Player, reading: Player, differences: list[Any], asked: list[str]) -> Player:
    """A bot that notes every decision in which a second reading differs from it."""

    def choose_move(turn: Turn, moves: Any) -> int:
        asked.append("move")
        answers = player.choose_move(turn, moves), reading.choose_move(turn, moves)
        if answers[0] != answers[1]:
            differences.append((turn, moves, answers))
        return answers[0]

    def roll_again(turn: Turn) -> bool:
        asked.append("stop")
        answers = player.roll_again(turn), reading.roll_again(turn)
        if answers[0] != answers[1]:
            differences.append((turn, answers))
        return answers[0]

    return Player(choose_move, roll_again)


@pytest.mark.parametrize(
    ("reading", "rules"), slow_but([0, 2, 9], [*product(READINGS, ["classic"]), *JUMPING])
)
def test_every_decision_is_the_one_of_the_description(
    tables: Tables, reading: str, rules: str
) -> None:
    name, options, second, deals = READINGS[reading]
    differences: list[Any] = []
    asked: list[str] = []
    one = built(tables, name, **options)
    player = shadowed(one.player, second(), differences, asked)
    others = [replace(one, player=plain(one.player), digest="other"), built(tables, "random")]
    table = EngineTable(
        GAME, NAMED[rules][0], [SeatedBot(name, player, "shadowed"), *others], 3, 28
    )
    assert table.play(Block((0, 1, 2), 0, deals)).faults == ()
    assert differences == []
    assert min(asked.count("move"), asked.count("stop")) > 20


# Options ------------------------------------------------------------------------------------------


def test_the_built_in_bots_are_those_of_the_strategies_page(tables: Tables) -> None:
    bots, of_extensions = tables.catalogue.built_in(GAME), game_bots(GAME.name)
    assert all(bot.summary for bot in bots)
    built_in = {bot.name: bot.backend for bot in bots if bot.name not in of_extensions}
    assert built_in == dict.fromkeys(BUILT_IN, "compiled")


@pytest.mark.parametrize(
    ("name", "defaults"),
    [
        ("random", {"roll_again": 0.5}),
        ("cautious", {}),
        ("daring", {}),
        ("odds", {}),
        ("rule28", {"threshold": 28, "ties": "first", "prefer": "middle"}),
        ("glenn-aloi", {"threshold": None, "ties": "first", "weights": "constant"}),
    ],
)
def test_a_bot_has_the_options_of_the_strategies_page(
    tables: Tables, name: str, defaults: Options
) -> None:
    assert tables.catalogue.find(name, GAME).defaults == defaults


@pytest.mark.parametrize(
    ("name", "option", "value", "told"),
    [
        ("rule28", "treshold", 28, "did you mean 'threshold'"),
        ("rule28", "threshold", "28", "must be a whole number"),
        ("rule28", "threshold", 27.5, "must be a whole number"),
        ("rule28", "threshold", True, "must be a whole number"),
        ("rule28", "ties", "last", "must be first or random"),
        ("rule28", "prefer", "inner", "must be middle or outer"),
        ("glenn-aloi", "weights", "square", "must be constant or linear"),
        ("random", "roll_again", "often", "must be a number"),
        ("cautious", "threshold", 28, "unknown option 'threshold'"),
    ],
)
def test_a_wrong_option_is_refused_by_its_name(
    tables: Tables, name: str, option: str, value: object, told: str
) -> None:
    ((blamed, message),) = tables.catalogue.find(name, GAME).check_options({option: value})
    assert blamed == option
    assert told in message


# Figures ------------------------------------------------------------------------------------------


def played(
    tables: Tables, bots: Sequence[SeatedBot | str], deals: int, rules: str = "classic"
) -> tuple[Tally, ...]:
    """The tallies of a block between bots, a seat for each."""
    seated = [built(tables, one) if isinstance(one, str) else one for one in bots]
    table = EngineTable(GAME, NAMED[rules][0], seated, len(bots), 1980)
    result = table.play(Block(tuple(range(len(bots))), 0, deals))
    assert result.faults == ()
    return result.tallies


def turns_alone(tables: Tables, bot: SeatedBot | str) -> float:
    """Mean number of turns a bot needs by itself."""
    (tally,) = played(tables, [bot], 100_000)
    assert tally.unfinished == 0
    return tally.counts["turns"][0] / tally.games


@pytest.mark.slow
def test_rule28_alone_needs_the_published_number_of_turns(tables: Tables) -> None:
    """10.684 with first-move ties; a random choice among the best costs about 0.12 more."""
    first = turns_alone(tables, "rule28")
    assert first == pytest.approx(10.684, abs=0.03)
    at_random = turns_alone(tables, built(tables, "rule28", ties="random"))
    assert at_random - first == pytest.approx(0.12, abs=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rule28", "glenn-aloi"])
def test_the_first_seat_wins_54_to_55_per_cent_of_self_play(tables: Tables, name: str) -> None:
    """In games of 15 to 18 turns of both players together."""
    one, other = played(tables, [name, name], 40_000)
    both = one + other
    assert 0.535 < both.wins[0] / both.games / WIN_UNITS < 0.555
    assert 14.5 < sum(both.counts["turns"]) / both.games < 18.5


@pytest.mark.parametrize(
    "name",
    [
        "rule28",
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("cautious", "odds", "glenn-aloi")),
    ],
)
def test_random_loses_nearly_always(tables: Tables, name: str) -> None:
    one, other = played(tables, ["random", name], 500)
    assert one.wins[0] + other.wins[1] < 0.05 * 1000 * WIN_UNITS


@pytest.mark.slow
def test_random_rolls_again_as_often_as_its_option_says(tables: Tables) -> None:
    """A turn's rolls tell: one where it never rolls again, always until a bust otherwise."""
    (never,) = played(tables, [built(tables, "random", roll_again=0)], 20)
    (always,) = played(tables, [built(tables, "random", roll_again=1)], 20)
    assert never.counts["rolls"] == never.counts["turns"]
    wins = always.games - always.unfinished
    assert always.counts["busts"][0] == always.counts["turns"][0] - wins


@pytest.mark.parametrize("players", slow_but((1, 3), [1, 2, 3, 4]))
@pytest.mark.parametrize("rules", NAMED)
@pytest.mark.slow
def test_built_in_bots_play_without_faults_under_every_named_rule_set(
    tables: Tables, rules: str, players: int
) -> None:
    for start in range(len(BUILT_IN)):
        bots = [BUILT_IN[(start + step) % len(BUILT_IN)] for step in range(players)]
        played(tables, bots, 3, rules)


@pytest.mark.slow
def test_grandmaster_plays_without_faults_with_nets_and_without(tables: Tables) -> None:
    """All in one, as compiling it takes long: rules that its nets are for, and others."""
    for rules in (CLASSIC.name, *[name for name in NAMED if name != CLASSIC.name][:2]):
        for players in (1, 2, 3, 4):
            played(tables, ["grandmaster", "rule28", "random", "odds"][:players], 1, rules)


@pytest.mark.slow
@pytest.mark.parametrize("sides", [2, 3, 8])
@pytest.mark.parametrize("runners", [1, 3])
def test_built_in_bots_play_without_faults_on_other_boards(
    tables: Tables, sides: int, runners: int
) -> None:
    rules = derive(CLASSIC, {"sides": sides, "runners": runners, "landing": "jump"})
    for options in ({}, {"weights": "linear"}):
        bots = [built(tables, name) for name in BUILT_IN[:-1]]
        table = EngineTable(GAME, rules, [*bots, built(tables, "glenn-aloi", **options)], 2, 1)
        for pair in ((0, 1), (2, 3), (4, 5), (6, 7), (8, 9)):
            assert table.play(Block(pair, 0, 10)).faults == ()
