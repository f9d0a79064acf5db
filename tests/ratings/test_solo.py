"""Bots that play alone: their differences over the deals of both, and who is told apart."""

import csv
import json
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.dealt import deals_alone
from jsonschema import Draft202012Validator
from msgspec.structs import replace
from numpy.typing import NDArray

import cantstop_arena as ca
from cantstop_arena.deals import solo_pairs
from cantstop_arena.deals.counting import Counts
from cantstop_arena.deals.outcomes import FaultReport, Tally, TournamentTotals
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.solo_pairs import Counted, SoloPairs, gather_solo_pairs
from cantstop_arena.ratings.significance import student_quantile
from cantstop_arena.ratings.solo import SoloDifferences
from cantstop_arena.reports.headline import answer
from cantstop_arena.reports.page.standings_section import standings_section
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.standings import standings

Table = NDArray[np.int64]  # deals by bots: what a bot counted; 0 where a fault ended its game


def together(table: Table, block: int = 7) -> SoloPairs:
    def read(start: int, count: int) -> Counted:
        for bot, counted in enumerate(table.T):
            for first in range(0, len(counted), block):
                told = counted[first : first + block]
                if start < first + len(told) and first < start + count:
                    yield (bot,), first, (told > 0).astype(np.int64), told

    return gather_solo_pairs(table.shape[1], len(table), read)


def results(table: Table, faulty: Iterable[int] = ()) -> TournamentTotals:
    bots = tuple(f"bot{bot}" for bot in range(table.shape[1]))
    tallies: dict[Group, Tally] = {
        (bot,): Tally(
            games=int((counted > 0).sum()),
            wins=(0,),
            unfinished=0,
            forfeits=0,
            counts={"turns": (int(counted.sum()),)},
            squares={"turns": int((counted**2).sum())},
        )
        for bot, counted in enumerate(table.T)
    }
    faults = [FaultReport(bots[bot], "exception", "", (bots[bot],), 0, 1, "") for bot in faulty]
    return TournamentTotals(
        name="alone",
        game="cantstop",
        rules={},
        players=1,
        seed=1,
        bots=bots,
        tallies=tallies,
        deals=deals_alone(len(table), len(bots)),
        counts=Counts(),
        faults=tuple(faults),
        solo_pairs=together(table),
    )


def made_up(means: Iterable[float], deals: int, seed: int = 1, shared: float = 3.0) -> Table:
    rng = np.random.default_rng(seed)
    common = rng.normal(0, shared, (deals, 1))
    table = np.array([*means]) + common + rng.normal(0, 1, (deals, len([*means])))
    return np.maximum(np.rint(table), 1).astype(np.int64)


def test_differences_are_those_of_the_deals_that_both_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = made_up([10, 10.3, 12], 60)
    table[5:9, 0] = table[8:20, 1] = table[50:, 2] = 0
    found = SoloDifferences(together(table), [0, 1, 2])
    monkeypatch.setattr(solo_pairs, "_NUMBERS_AT_ONCE", 40)
    in_parts = SoloDifferences(together(table), [0, 1, 2])
    for one, other in combinations(range(3), 2):
        both = (table[:, one] > 0) & (table[:, other] > 0)
        apart = (table[:, other] - table[:, one])[both]
        less = found.between(one, other)
        assert less is not None and less.low is not None and less.high is not None
        reach = student_quantile(len(apart) - 1) * apart.std(ddof=1) / len(apart) ** 0.5
        assert less.deals == len(apart)
        assert less.mean == pytest.approx(apart.mean())
        assert (less.low, less.high) == pytest.approx((less.mean - reach, less.mean + reach))
        assert in_parts.between(one, other) == less
        back = found.between(other, one)
        assert back is not None and (back.mean, back.p) == (-less.mean, less.p)


def test_what_is_the_same_in_all_deals_has_no_error() -> None:
    table = np.array([[9, 9, 11]] * 8 + [[8, 8, 10]])
    found = SoloDifferences(together(table), [0, 1, 2])
    same, less = found.between(0, 1), found.between(0, 2)
    assert same is not None and (same.mean, same.low, same.high, same.p) == (0, 0, 0, 1)
    assert less is not None and (less.mean, less.low, less.high) == (2, None, None)
    assert less.p == pytest.approx(3 * 2.0**-8)
    assert found.groups == ("a", "a", "b")


def test_nothing_is_said_of_bots_without_deals_in_common() -> None:
    table = made_up([10, 30], 40)
    table[:20, 0] = table[20:, 1] = 0
    found = SoloDifferences(together(table), [0, 1])
    assert found.between(0, 1) is None and found.groups == ("a", "a")
    one = SoloDifferences(together(made_up([10, 30], 1)), [0, 1]).between(0, 1)
    assert one is not None and (one.low, one.p) == (None, 1)


def test_claims_are_wrong_in_five_of_a_hundred_and_shared_dice_tell_more() -> None:
    claims, held = 0, []
    for seed in range(200):
        found = SoloDifferences(together(made_up([10, 10, 10, 11], 40, seed)), [0, 1, 2, 3])
        equals = combinations(map(set, found.groups[:3]), 2)
        claims += any(one.isdisjoint(other) for one, other in equals)
        less = found.between(0, 3)
        assert less is not None and less.low is not None and less.high is not None
        held.append(less.low <= 1 <= less.high)
        assert less.high - less.low < 1.5
    assert claims <= 20
    assert np.mean(held) >= 0.9


def test_the_standings_say_who_is_told_apart() -> None:
    table = standings(Analysis(results(made_up([12, 10, 10.05], 200))))
    keys = [column.key for column in table.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in table.rows]
    assert [row["letters"] for row in rows] == ["a", "a", "b"]
    assert rows[0]["fewer_than_next"] != rows[1]["fewer_than_next"] is not None
    assert rows[2]["fewer_than_next"] is None
    assert table.notes[0].startswith("Bots that share a letter")


def test_bots_that_misbehaved_are_not_compared() -> None:
    analysis = Analysis(results(made_up([9, 10, 12], 200), faulty=[0]))
    assert analysis.order == [1, 2, 0]
    assert analysis.groups == ("", "a", "b")
    few = Analysis(results(made_up([9, 10], 200), faulty=[0]))
    assert few.differences is None
    assert "letters" not in [column.key for column in standings(few).columns]


def test_results_from_before_have_no_groups() -> None:
    analysis = Analysis(replace(results(made_up([9, 10], 20)), solo_pairs=None))
    assert standings(analysis).notes == []
    assert standings_section(analysis).finding == "From bot0 to bot1, by turns per game"


def test_the_page_says_whom_the_first_one_equals() -> None:
    close = Analysis(results(made_up([10, 10.02, 13], 100)))
    assert answer(close)[0].startswith("It is not significantly different from bot")
    assert standings_section(close).finding == "The first two are not significantly different"
    clear = Analysis(results(made_up([10, 12], 100)))
    assert " turns fewer than bot1. 2 bots played 200 games." in answer(clear)[0]
    assert standings_section(clear).finding == "Both places are decided"


def test_equals_need_not_be_neighbours() -> None:
    table = made_up([40, 40.5, 40.6], 400)
    table[:, 2] += np.where(np.arange(400) % 2, 20, -20)
    analysis = Analysis(results(table))
    assert [analysis.groups[bot] for bot in analysis.order] == ["a", "b", "ab"]
    found = standings_section(analysis).finding
    assert found == "bot0 is not significantly different from bot2"


# Runs -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_tells_the_differences_of_its_games(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = arena(
        "run",
        "solo.yaml",
        "--no-page",
        yaml="players: 1\ngames: 150\nseed: 2\nbots: [odds, rule28, cautious]\n",
    )
    assert "turns fewer than next" in done.text and "\nDifferences\n" in done.text
    arena("export", "results/solo", "--games", "games.csv")
    turns: dict[str, dict[int, int]] = {}
    for row in csv.DictReader(Path("games.csv").read_text().splitlines()):
        turns.setdefault(row["bot_0"], {})[int(row["deal"])] = int(row["turns"])
    pairs = done.table("differences")
    assert len(pairs) == 3
    for pair in pairs:
        one, other = turns[pair["bot"]], turns[pair["against"]]
        apart = [other[deal] - one[deal] for deal in one]
        assert int(pair["deals"]) == len(apart) == 150
        assert float(pair["fewer"]) == pytest.approx(np.mean(apart))
    summary = json.loads(Path("results/solo/summary.json").read_text())
    Draft202012Validator(ca.schema("summary")).validate(summary)
    assert [one["fewer"] for one in summary["differences"]] == [
        float(pair["fewer"]) for pair in pairs
    ]
    assert [row["letters"] for row in summary["standings"]][-1] != "a"
    opened = ca.open("results/solo")
    assert isinstance(opened, ca.Results)
    assert [*opened.differences["fewer"]] == [one["fewer"] for one in summary["differences"]]
