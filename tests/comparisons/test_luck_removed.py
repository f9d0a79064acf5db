"""Comparisons with luck removed: the same differences, narrower intervals, all else as played."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena, Done

from cantstop_arena.comparisons.comparison_results import RuleSetResult
from cantstop_arena.comparisons.deal_ratios import DealRatios, won_by
from cantstop_arena.comparisons.samples import RatioSample, SamplePlan, read_sample, with_luck_gain
from cantstop_arena.comparisons.statistics import EffectEstimate, RuleEffect, rule_effect
from cantstop_arena.deals.counting import SHARE
from cantstop_arena.deals.seatings import Group, all_orders
from cantstop_arena.games.cantstop.game import GAME

MEASURES = DealRatios(GAME.counts)
DEALS, GROUP = 100, (0, 1)
PLAN = SamplePlan(MEASURES, all_orders(2), (GROUP,), DEALS, ("a", "b"))
SHARE_OF_A = won_by("a")


@dataclass(frozen=True)
class Scored:
    """Stands in for the ledger of a pair, with the luck of each deal."""

    winners: Any
    luck: Any
    block: int = 32

    def deals(self, start: int, count: int) -> Iterator[tuple[Group, int, Any, Any]]:
        counts = np.arange(len(self.luck))[:, None] + np.arange(len(PLAN.counted))
        kept = np.concatenate([counts, self.luck], axis=1).astype(np.int32)
        for first in range(0, len(kept), self.block):
            rows = slice(first, first + self.block)
            yield GROUP, first, self.winners[rows], kept[rows]


def played(ahead: float, chance: Any, rng: np.random.Generator) -> Scored:
    """Deals in which the first bot is so much `ahead`, and their `chance` as luck."""
    margins = ahead + chance + rng.normal(size=(len(chance), 2))
    first = np.column_stack([margins[:, 0] > 0, margins[:, 1] <= 0])
    units = np.rint(1e5 * chance)
    luck = np.concatenate([units, -units, units / 4, -units / 4], axis=1)
    return Scored(np.where(first, 1, 2).astype(np.uint8), luck)


def samples(one: Scored, calm: bool) -> RatioSample:
    ledger: Any = one
    return read_sample(ledger, PLAN, calm)


@pytest.mark.slow
def test_the_mean_difference_stays_and_its_interval_gets_narrower() -> None:
    """Of 150 comparisons; the luck of the rule sets is half the same."""
    rng = np.random.default_rng(1)
    found: dict[bool, list[EffectEstimate]] = {False: [], True: []}
    for _ in range(150):
        common, own = rng.normal(size=(DEALS, 1)), rng.normal(size=(2, DEALS, 1))
        ledgers = [
            played(ahead, (common + mine) / 2**0.5, rng)
            for ahead, mine in zip((0.0, 0.4), own, strict=True)
        ]
        for calm, estimates in found.items():
            before, after = (samples(ledger, calm).ratio(SHARE_OF_A) for ledger in ledgers)
            difference = rule_effect(before, after, SHARE, 0.0).absolute
            assert difference is not None
            estimates.append(difference)
    values = {calm: np.array([one.value for one in told]) for calm, told in found.items()}
    apart = values[True] - values[False]
    assert abs(apart.mean()) < 3 * apart.std() / 150**0.5
    assert values[True].var() < 0.85 * values[False].var()
    truth = 0.11135  # Φ(0.4 / √2) - 1/2
    ends = np.array([(one.low, one.high) for one in found[True]])
    assert 0.89 <= np.mean((ends[:, 0] < truth) & (truth < ends[:, 1])) <= 0.99


def test_only_what_is_won_is_corrected_and_nothing_is_won_by_nobody() -> None:
    rng = np.random.default_rng(2)
    ledger = played(0.3, rng.normal(size=(DEALS, 1)), rng)
    plain, calm = samples(ledger, False), samples(ledger, True)
    others = {"better_bot", SHARE_OF_A.numerator, won_by("b").numerator}  # seats share their luck
    changed = {name for name in plain.sums if (plain.sums[name] != calm.sums[name]).any()}
    assert changed == others
    for pair in (("first_seat", "last_seat"), (SHARE_OF_A.numerator, won_by("b").numerator)):
        both = [one.sums[pair[0]] + one.sums[pair[1]] for one in (plain, calm)]
        assert both[0].tolist() == both[1].tolist()
    assert plain.leads != calm.leads


def test_blocks_and_deals_outside_the_plan_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    ledger = played(0.3, rng.normal(size=(DEALS + 40, 1)), rng)
    within = Scored(ledger.winners[:DEALS], ledger.luck[:DEALS], block=7)
    assert (samples(ledger, True).ratio(SHARE_OF_A).numerator).tolist() == (
        samples(within, True).ratio(SHARE_OF_A).numerator
    ).tolist()


def answer_of(width: float) -> RuleSetResult:
    told = EffectEstimate(0.1, 0.1 - width, 0.1 + width, 0.5)
    lengths = EffectEstimate(1.0, 0.0, 2.0, 0.5)
    differences = {
        "turns": RuleEffect(1.0, 2.0, lengths, None, None, "count", 0.0, "undecided"),
        "first_seat": RuleEffect(0.5, 0.6, told, None, None, SHARE, 0.0, "undecided"),
    }
    return RuleSetResult("jump", "classic", 2, 2, 2, 9, 18, differences, None, MEASURES)


def test_luck_is_worth_the_squared_quotient_of_the_widths() -> None:
    wide, narrow = answer_of(0.2), answer_of(0.1)
    answer = with_luck_gain(narrow, wide)
    assert answer.differences == narrow.differences
    assert answer.luck_gain == pytest.approx(4)
    assert with_luck_gain(wide, narrow).luck_gain == pytest.approx(0.25)


# Runs -----------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compare(arena: Arena, text: str, *words: str) -> Done:
    Path("test.yaml").write_text(f"{text}\nseed: 1\n")
    return arena("compare", "test.yaml", "--no-page", *words, code=None)


def content(results: str) -> Any:
    return json.loads(Path(results, "test/comparison.json").read_text())


def width(question: Any) -> float:
    ends = question["difference_low"], question["difference_high"]
    return 0.0 if None in ends else float(ends[1] - ends[0])


RIVALS = "compare: [classic, leave]\ngames: 300\nbots: [rule28, cautious]\n"


@pytest.mark.slow
def test_runs_are_compared_without_luck_however_they_were_played(arena: Arena) -> None:
    compare(arena, RIVALS + "luck_removed: true\n", "--games", "30", "--results", "calm")
    told = compare(arena, RIVALS + "luck_removed: true\n", "--workers", "2", "--results", "calm")
    assert "Luck is removed from the shares of seats and bots" in told.text
    once = compare(arena, RIVALS, "--luck-removed", "--results", "once")
    assert once.code == 0, once.output
    assert content("calm") == content("once")
    assert compare(arena, RIVALS, "--results", "plain").code == 0
    ((calm,), (plain,)) = (content(results)["answers"] for results in ("calm", "plain"))
    widths = [
        {one["measure"]: width(one) for one in answer["questions"]} for answer in (calm, plain)
    ]
    narrow = {measure for measure in widths[0] if widths[0][measure] < widths[1][measure]}
    assert {"first_seat", "bot rule28", "bot cautious"} <= narrow
    assert {"turns", "bust_rate", "margin"}.isdisjoint(narrow)
    assert calm["luck_removed"]["worth"] > 1.1 and "luck_removed" not in plain


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "game: salvage\ncompare: [standard, peaceful]\nbots: [careful]\n",
            "nothing scores it in salvage",
        ),
        ("compare: [classic, jump]\nplayers: [1, 2]\nbots: [odds]\n", "there is nothing to win"),
    ],
)
@pytest.mark.parametrize("words", [(), ("--luck-removed",)])
@pytest.mark.usefixtures("second_game")
def test_where_luck_cannot_be_removed_that_is_said(
    arena: Arena, text: str, why: str, words: tuple[str, ...]
) -> None:
    told = compare(arena, text if words else f"{text}luck_removed: true\n", *words)
    assert told.code == 2, told.output
    assert why in told.error
