"""Luck removed: its mean is 0 by the exact odds, and what it is taken from keeps its mean."""

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from conftest import Tables
from helpers.arena import Arena
from helpers.finished import Finished
from helpers.simulated import Truth, seatings_of

from cantstop_arena.deals.control_variate import correction
from cantstop_arena.deals.outcomes import BY_STAKE, BY_VALUE, Block
from cantstop_arena.deals.sampling import wins_by_deal
from cantstop_arena.deals.seatings import standard_orders
from cantstop_arena.deals.winners import WIN_UNITS
from cantstop_arena.games.cantstop.dice_odds import all_rolls, pairings, success_count
from cantstop_arena.games.cantstop.engine import luck
from cantstop_arena.games.cantstop.engine.game_array import BUST, MOVE, ROLL
from cantstop_arena.games.cantstop.engine.winning_chance import chances_of
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.play.engine_tally import LUCK_UNIT
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, RuleSet
from cantstop_arena.ratings.elo import rate
from cantstop_arena.ratings.even_score import even_score
from cantstop_arena.ratings.model.luce import ELO

RULES = [CLASSIC, NAMED["korean"][0]]


def rolls_of(table: EngineTable, seats: tuple[int, ...], deal: int) -> Iterator[None]:
    """Plays a game; stops after each roll, before anything is moved."""
    table.start(seats, deal)
    yield from (None for stop in table.watched_stops() if stop == ROLL)


def columns(mask: int) -> list[int]:
    return [column for column in range(2, 13) if mask >> column & 1]


def at_stake(table: EngineTable) -> Fraction:
    """The progress of the turn, in columns."""
    game = table.games[0]
    return sum(
        (
            Fraction(
                int(game.runners[column] - game.markers[game.seat, column]),
                int(game.lengths[column]),
            )
            for column in columns(int(game.placed))
        ),
        Fraction(),
    )


def chance_to_bust(table: EngineTable) -> Fraction:
    """By counting, as bots do that look the odds up."""
    game = table.games[0]
    placed, claimed, topped = (
        columns(int(mask)) for mask in (game.placed, game.claimed, game.topped)
    )
    moving = [column for column in placed if column not in topped]
    return 1 - Fraction(success_count(table.rules, moving, claimed, topped), 6**4)


@pytest.mark.parametrize("measure", [BY_STAKE, BY_VALUE])
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_over_all_rolls_of_the_dice_luck_adds_up_to_nothing(
    tables: Tables, rules: RuleSet, measure: str
) -> None:
    players = 2 if measure == BY_VALUE else 3
    table = tables.of(rules, ["plain rule28", "plain cautious", "plain odds"][:players], players)
    game, some = table.games[0], 0
    chances = chances_of(game, measure == BY_VALUE)
    for number, _ in enumerate(rolls_of(table, (*range(players),), 4)):
        if number % 9:
            continue
        seat_luck, usable = np.zeros(players, np.int64), game.board & ~(game.claimed | game.topped)
        usable = usable if game.free else usable & game.placed
        waiting, offer, listed = game.waiting, game.offer, game.moves.copy()
        for roll, dice in enumerate(all_rolls(6)):
            moves = any(usable >> column & 1 for pair in pairings(dice) for column in pair)
            game.waiting, game.offer = MOVE if moves else BUST, game.offer_of[roll]
            luck.score_roll(table.handle, chances, seat_luck)
            assert seat_luck.sum() == 0
            some += bool(seat_luck.any())
        game.waiting, game.offer = waiting, offer
        game.moves[:] = listed
        assert not seat_luck.any()
    assert some


def test_measuring_by_winning_chances_leaves_the_game_alone(tables: Tables) -> None:
    table = tables.of(CLASSIC, ["plain rule28", "plain odds"], 2)
    chances, some = chances_of(table.games[0], True), 0
    for _ in rolls_of(table, (0, 1), 4):
        game, seat_luck = table.games[0], np.zeros(2, np.int64)
        game.moves[game.move_count :] = 0  # what is there was written, and not listed
        before = game.tobytes()
        luck.score_roll(table.handle, chances, seat_luck)
        some += abs(int(seat_luck[0])) > LUCK_UNIT
        game.moves[game.move_count :] = 0
        assert game.tobytes() == before
    assert some > 20


def test_winning_chances_explain_more_than_stakes(tables: Tables) -> None:
    """In games of bots of like strength, all of which are played."""
    worth = {}
    for measure in (BY_STAKE, BY_VALUE):
        table = tables.of(CLASSIC, ["rule28", "glenn-aloi"], 2)
        table.luck_measure = measure
        result = table.play(Block((0, 1), 0, 3000))
        kept = np.frombuffer(result.measures, "<i4").reshape(3000, -1)[:, -4:].astype(float)
        wins = wins_by_deal(result.masks(), table.orders)[:, 0] / WIN_UNITS
        worth[measure] = 1 / (1 - np.corrcoef(wins, kept[:, 0])[0, 1] ** 2)
        assert abs(kept[:, 0].mean()) < 4 * kept[:, 0].std() / 3000**0.5
    assert 1.4 < worth[BY_STAKE] < 1.8
    assert 1.9 < worth[BY_VALUE] < 2.6


@pytest.mark.parametrize("bots", [["rule28", "odds"], ["plain rule28", "plain odds"]])
def test_what_is_kept_of_a_deal_is_the_luck_of_its_rolls(tables: Tables, bots: list[str]) -> None:
    table = tables.of(CLASSIC, bots, 2)
    wanted = np.zeros((6, 4))
    for deal in range(6):
        for seats in table.orders:
            for _ in rolls_of(table, seats, deal):
                seat, busted = int(table.games[0].seat), table.games[0].waiting == BUST
                found = float(at_stake(table) * (chance_to_bust(table) - busted))
                for other in range(2):
                    sign = 1 if other == seat else -1
                    wanted[deal, [seats[other], 2 + other]] += sign * found
    table.luck_measure = BY_STAKE
    try:
        result = table.play(Block((0, 1), 0, 6))
    finally:
        table.luck_measure = ""
    kept = np.frombuffer(result.measures, "<i4").reshape(6, -1)[:, -4:]
    assert kept == pytest.approx(1e6 * wanted, abs=1)


# Runs -----------------------------------------------------------------------------------------

LUCKY = "games: 4000\nseed: 3\nluck_removed: true\nbots: [rule28, glenn-aloi, cautious]\n"
PLAIN = LUCKY.replace("luck_removed: true\n", "")


@pytest.fixture
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rated(arena: Arena, *words: str) -> dict[str, dict[str, float]]:
    told = arena("rate", "results/lucky", "--format", "json", *words, code=None)
    return {row["bot"]: row for row in json.loads(told.text)["standings"]["rows"]}


def width(row: dict[str, float], what: str) -> float:
    return row[f"{what}_high"] - row[f"{what}_low"]


def test_half_the_games_do_and_plain_tables_stay(
    arena: Arena, finished: Finished, in_tmp: Path
) -> None:
    told = finished.bring({"lucky.yaml": LUCKY}, "run", "lucky.yaml")
    assert "By their intervals that is worth 1." in told and "times the games for scores" in told
    calm, plain = rated(arena), rated(arena, "--plain")
    summary = json.loads(Path("results/lucky/summary.json").read_text())["luck_removed"]
    finished.bring({"lucky.yaml": PLAIN}, "run", "lucky.yaml")
    assert rated(arena) == plain
    ratios = [(width(plain[bot], "score") / width(calm[bot], "score")) ** 2 for bot in calm]
    assert min(ratios) > 1.3
    assert np.median(ratios) == pytest.approx(summary["worth"], rel=0.01)
    assert f"(median {np.median(ratios):.1f})" in told
    assert all(width(calm[bot], "elo") < 0.9 * width(plain[bot], "elo") for bot in calm)
    for bot in calm:
        assert abs(calm[bot]["score"] - plain[bot]["score"]) < width(plain[bot], "score") / 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("game: cubus\nluck_removed: true\nbots: [greedy, eager]\n", "nothing scores it in cubus"),
        ("players: 1\nluck_removed: true\nbots: [odds, rule28]\n", "there is nothing to win"),
        ("luck_removed: 1\nbots: [odds, rule28]\n", "must be true, false or value, not 1"),
    ],
)
def test_where_luck_cannot_be_removed_that_is_said(
    arena: Arena, in_tmp: Path, text: str, why: str
) -> None:
    in_tmp.joinpath("no.yaml").write_text(text)
    told = arena("run", "no.yaml", code=2)
    assert why in told.output


def test_groups_of_three_share_luck_and_bad_luck(tables: Tables) -> None:
    table = tables.of(CLASSIC, ["rule28", "odds", "cautious"], 3)
    table.luck_measure = BY_STAKE
    try:
        result = table.play(Block((0, 1, 2), 0, 60))
    finally:
        table.luck_measure = ""
    kept = np.frombuffer(result.measures, "<i4").reshape(60, -1)[:, -6:]
    assert abs(kept[:, :3].sum(axis=1)).max() <= 3
    assert kept[:, :3].any() and kept[:, 3:].any()
    winners = result.masks()
    assert len(list(seatings_of((0, 1, 2)))) == winners.shape[1]
    found = correction(standard_orders(3), [((0, 1, 2), 0, winners, kept)])
    assert not found((0, 1, 2), 0, kept)[:, :3].sum(axis=1).any()
    assert [*combinations(range(3), 3)] == [*found.coefficients]


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3])
def test_elo_without_luck_holds_the_truth_and_is_narrower(players: int) -> None:
    """In 100 tournaments by the model of the ratings, the noise of each seat being told as luck."""
    truth = Truth([0.5, 0.0, -0.5], [0.0] * players, 0.5, lucky=0.9)
    even, rng = even_score(np.array(truth.strengths))[0], np.random.default_rng(players)
    held, narrower = [], []
    for _ in range(100):
        played = truth.played(150, rng)
        for found, before, strength in zip(
            rate(played).ratings, rate(played.plain).ratings, truth.strengths, strict=True
        ):
            assert found.error is not None and before.error is not None
            assert found.low is not None and found.high is not None
            held.append(found.low <= 1500 + ELO * (strength - even) <= found.high)
            narrower.append(found.error / before.error)
    assert 0.91 <= np.mean(held) <= 0.985
    assert np.mean(narrower) < 0.85
