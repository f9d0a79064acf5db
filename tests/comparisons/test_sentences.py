"""Sentences about hand-made numbers."""

import pytest
from msgspec.structs import replace

from cantstop_arena.comparisons.comparison_results import RuleSetResult
from cantstop_arena.comparisons.deal_ratios import DealRatios
from cantstop_arena.comparisons.sentences import rule_set_text
from cantstop_arena.comparisons.statistics import (
    CHANGED,
    DIFFERENT,
    NEGLIGIBLE,
    NOTHING,
    SAME,
    UNCHANGED,
    UNDECIDED,
    BotOrder,
    EffectEstimate,
    RuleEffect,
)
from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.games.cantstop.game import GAME

MEASURES = DealRatios(GAME.counts)
KINDS = {measure.key: measure.kind for measure in MEASURES.all}


def changed(
    key: str, by: float, reach: float, effect: float, verdict: str = DIFFERENT
) -> RuleEffect:
    """A difference in percent of a count, or in points of a share."""
    estimate = EffectEstimate(by / 100, (by - reach) / 100, (by + reach) / 100, 0.001)
    ignored = 0.01 if KINDS[key] == COUNT else 0.002
    return RuleEffect(1.0, 1.1, estimate, estimate, effect, KINDS[key], ignored, verdict)


def answer(
    order: BotOrder | None = None, players: int = 4, **differences: RuleEffect
) -> RuleSetResult:
    distinct_bots = min(players, 3)
    return RuleSetResult(
        "jump", "classic", players, players, distinct_bots, 500, 12000, differences, order, MEASURES
    )


KEEPS = BotOrder(3, (), 1.0, UNCHANGED)


def test_the_sentence_of_the_manual() -> None:
    told = answer(
        KEEPS,
        first_seat=changed("first_seat", -0.4, 0.1, -0.01),
        turns=changed("turns", -9.3, 0.2, -0.5),
    )
    assert rule_set_text(told) == (
        "jump makes a 4-player game 9.3% shorter (9.1 to 9.5) and costs the first player"
        " 0.4 points (0.3 to 0.5); it does not change the order of the bots."
    )


def test_what_is_negligible_the_same_unknown_or_nowhere_is_said() -> None:
    told = answer(
        replace(KEEPS, verdict=UNDECIDED),
        turns=changed("turns", 12.0, 3.0, 0.5),
        rolls=changed("rolls", 0.1, 0.2, 0.0, NEGLIGIBLE),
        decisions=changed("decisions", 0.1, 0.2, 0.0, NEGLIGIBLE),
        bust_rate=changed("bust_rate", 0.01, 0.02, 0.0, NEGLIGIBLE),
        margin=changed("margin", 1.0, 3.0, 0.0, UNDECIDED),
        lead_changes=changed("lead_changes", 0, 0, 0.0, SAME),
        half_time=changed("half_time", 0, 0, 0.0, NOTHING),
    )
    assert rule_set_text(told) == (
        "jump makes a 4-player game 12.0% longer (9.0 to 15.0); the rolls and the decisions differ"
        " by less than 1%; the bust rate differs by less than 0.2 points; the lead changes are"
        " the same in every deal; there is nothing to compare of the half-time leader's share."
        " Inconclusive: margin at the end, order of the bots."
    )


def test_the_length_comes_first_then_the_greatest_effects_and_the_first_names_the_game() -> None:
    told = answer(
        first_seat=changed("first_seat", -2.0, 0.1, -0.01),
        rolls=changed("rolls", 5.0, 0.5, 0.1),
        bust_rate=changed("bust_rate", -5.0, 0.5, -0.3),
        turns=changed("turns", 5.0, 0.5, 0.2),
    )
    assert rule_set_text(told) == (
        "jump makes a 4-player game 5.0% longer (4.5 to 5.5), lowers the bust rate by 5.0 points"
        " (4.5 to 5.5) and costs the first player 2.0 points (1.9 to 2.1)."
    )


def test_rolls_are_told_where_they_do_not_follow_from_the_turns() -> None:
    told = answer(
        turns=changed("turns", 5.0, 0.5, 0.2),
        rolls=changed("rolls", -5.0, 0.5, -0.1),
    )
    assert "longer (4.5 to 5.5) and takes 5.0% fewer rolls" in rule_set_text(told)
    alone = rule_set_text(answer(rolls=changed("rolls", 5.0, 0.5, 0.1)))
    assert alone == "jump takes 5.0% more rolls in a 4-player game (4.5 to 5.5)."


def test_a_sentence_ends_before_it_is_too_long() -> None:
    keys = ["turns", "bust_rate", "first_seat", "last_seat", "better_bot", "half_time", "margin"]
    told = {key: changed(key, 5.0, 0.5, 1 / number) for number, key in enumerate(keys, 1)}
    assert rule_set_text(replace(answer(), differences=told)).endswith(
        "gives the leader at half-time 5.0 points (4.5 to 5.5) and also changes the margin at"
        " the end."
    )


def test_what_goes_without_saying_is_not_said() -> None:
    told = answer(
        players=2,
        turns=changed("turns", 5.0, 0.5, 0.2),
        last_seat=changed("last_seat", 5.0, 0.5, 0.2),
        unfinished=replace(changed("unfinished", 0, 0, 0.0, SAME), variant=0.0),
    )
    assert rule_set_text(told) == "jump makes a 2-player game 5.0% longer (4.5 to 5.5)."


def test_bots_are_told_by_name_one_of_two_goes_without_saying() -> None:
    shares = {
        "bot rule28": changed("first_seat", 1.5, 0.5, 0.2),
        "bot {odd}": changed("first_seat", -1.0, 0.5, -0.1),
    }
    two = replace(answer(players=2), differences=shares)
    assert rule_set_text(two) == "jump gives rule28 1.5 points in a 2-player game (1.0 to 2.0)."
    unknown = replace(changed("first_seat", 0.5, 0.5, 0.0), verdict=UNDECIDED)
    assert rule_set_text(replace(two, differences={**shares, "bot c": unknown})) == (
        "jump gives rule28 1.5 points in a 2-player game (1.0 to 2.0) and costs {odd} 1.0 points"
        " (0.5 to 1.5). Inconclusive: c."
    )


def test_no_games_at_all() -> None:
    assert rule_set_text(replace(answer(), games=0)).endswith(
        "no lineup that played on under all rule sets."
    )


def test_no_difference_at_all() -> None:
    same = changed("turns", 0, 0, 0.0, SAME)
    assert rule_set_text(answer(KEEPS, turns=same)) == (
        "jump changes nothing in a 4-player game: every deal came out the same."
    )
    assert rule_set_text(answer(players=1, turns=same)).startswith(
        "jump changes nothing in a game alone"
    )


@pytest.mark.parametrize(
    ("verdict", "opening"),
    [
        (NEGLIGIBLE, "jump makes no difference worth mentioning to a 2-player game; "),
        (UNDECIDED, "jump makes no clear difference to a 2-player game. Inconclusive: turns."),
    ],
)
def test_no_difference_that_is_clear(verdict: str, opening: str) -> None:
    told = answer(players=2, turns=changed("turns", 0.1, 0.2, 0.0, verdict))
    assert rule_set_text(told).startswith(opening)


def test_an_order_that_changes_is_told_bot_by_bot() -> None:
    turned = BotOrder(3, (("rule28", "odds"), ("glenn-aloi", "odds")), 0.001, CHANGED, 0.01)
    assert rule_set_text(answer(turned, turns=changed("turns", 2.0, 0.04, 0.1))) == (
        "jump makes a 4-player game 2.00% longer (1.96 to 2.04); it changes the order of the bots:"
        " rule28 is better than odds under classic but worse under jump, glenn-aloi is better"
        " than odds under classic but worse under jump."
    )


def test_two_bots_have_a_better_one() -> None:
    told = answer(
        replace(KEEPS, pairs=1), players=2, better_bot=changed("better_bot", 1.0, 0.04, 0.1)
    )
    assert rule_set_text(told) == (
        "jump gives the better bot 1.00 points in a 2-player game (0.96 to 1.04);"
        " it does not change who is the better bot."
    )


def test_a_difference_from_nothing_is_told_in_numbers() -> None:
    risen = replace(changed("lead_changes", 1, 1, 0.0), relative=None, baseline=0.0, variant=1.25)
    assert rule_set_text(answer(lead_changes=risen)) == (
        "jump moves the lead changes from 0 to 1.25 in a 4-player game."
    )


def test_one_deal_has_no_interval() -> None:
    alone = replace(changed("turns", 1, 1, 0.0), relative=EffectEstimate(0.05, None, None, 1.0))
    assert rule_set_text(answer(turns=alone)) == "jump makes a 4-player game 5.0% longer."


@pytest.mark.parametrize("key", KINDS)
def test_every_measure_has_words_for_every_case(key: str) -> None:
    measure = MEASURES.measure(key)
    assert measure.more and measure.less and measure.noun
    said = {
        rule_set_text(replace(answer(), differences={key: changed(key, by, 0.5, 0.1, verdict)}))
        for by in (2.0, -2.0)
        for verdict in (DIFFERENT, NEGLIGIBLE, UNDECIDED, NOTHING)
    }
    assert len(said) == 5
    unit = "%" if KINDS[key] == COUNT else " points"
    assert sum(f"2.0{unit}" in one for one in said) == 2
    assert not any("{" in one or "  " in one for one in said)


def test_the_share_kinds_are_told_in_points() -> None:
    assert KINDS["bust_rate"] == SHARE
    assert "by 10 points in a 4-player game (-1 to 21)" in rule_set_text(
        answer(bust_rate=changed("bust_rate", 10.0, 11.0, 0.1))
    )
