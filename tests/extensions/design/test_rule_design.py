"""Designs: rules that meet targets."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.game_packages import examples, installed_game
from helpers.pages import checked

import cantstop_arena as ca
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.extensions.design.design_file import DesignTarget, read
from cantstop_arena.extensions.design.design_page import _side
from cantstop_arena.extensions.design.quantities import Quantity
from cantstop_arena.extensions.design.rule_design import (
    HOLDS,
    MISSES,
    OPEN,
    rank,
    verdict_of,
    violation,
)
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.reports.result_rows import rows_of

DESIGN = """\
game: kuhn-poker
bots: [honest, caller]
vary: {cards: 3..8}
targets: {first_seat: [40%, 60%], better_bot: [60%, 70%]}
"""
ALIKE = """
from dataclasses import dataclass

from cantstop_arena import hookimpl
from cantstop_arena.games import (
    Counts, Game, Question, Result, RuleBook, State, View, decision, whole
)


@dataclass(frozen=True)
class Rules:
    name: str = "standard"
    size: int = whole(2, 1, 5)


@decision
def take(view: View, moves) -> int:
    \"\"\"Return the index of a move.\"\"\"


class Heap(State):
    def setup(self):
        self.taken = 0

    def question(self):
        if self.taken < self.rules.size:
            return Question("take", self.taken % 2, [1])

    def answer(self, answers):
        self.taken += 1

    def result(self):
        return Result([(self.taken - 1) % 2])


class Alike(Game):
    name, title, players = "alike", "Alike", range(2, 3)
    rules, hooks, state = RuleBook(Rules()), (take,), Heap
    counts = Counts(("decisions",), length="decisions", unit="decision", alone="decisions")


@hookimpl
def register_games():
    return [Alike()]
"""
STEADY = 'game = "alike"\n\n\ndef take(view, moves):\n    return 0\n'
SIZES = "game: alike\nbots: [steady]\nvary: {size: 1..2}\ntargets: {length: [0.5, 2.5]}\n"
SHARE = DesignTarget("first_seat", 0.45, 0.55, is_share=True)


installed = examples("kuhn_poker")


def share(value: float, spread: float, deals: int = 400) -> Quantity:
    """A share of this value, whose influences have this deviation."""
    influences = np.tile([spread, -spread], deals // 2)
    return Quantity(value, influences, is_share=True)


@pytest.mark.parametrize(
    ("value", "spread", "verdict"),
    [
        (0.50, 0.10, HOLDS),
        (0.54, 0.10, HOLDS),
        (0.545, 0.10, OPEN),
        (0.555, 0.10, OPEN),
        (0.57, 0.10, MISSES),
        (0.40, 0.10, MISSES),
        (0.50, 0.00, HOLDS),  # alike in all deals: others are rare
    ],
)
def test_a_verdict_is_that_of_the_interval(value: float, spread: float, verdict: str) -> None:
    assert verdict_of({"first_seat": share(value, spread)}, [SHARE], 0.025) == verdict


def test_a_share_alike_in_few_deals_is_open() -> None:
    drawn = DesignTarget("drawn", 0.01, 0.2, is_share=True)
    assert verdict_of({"drawn": share(0.0, 0.0, deals=40)}, [drawn], 0.001) == OPEN
    assert verdict_of({"drawn": share(0.0, 0.0, deals=4000)}, [drawn], 0.001) == MISSES


def test_what_is_undefined_is_open_and_ranks_last() -> None:
    assert verdict_of({"first_seat": None}, [SHARE], 0.025) == OPEN
    far = rank({"first_seat": share(0.9, 0.1)}, [SHARE])
    assert far < rank({"first_seat": None}, [SHARE])


def test_rules_rank_by_distance_and_then_by_depth() -> None:
    middle, edge, outside = (rank({"first_seat": share(v, 0.1)}, [SHARE]) for v in (0.5, 0.54, 0.6))
    assert middle < edge < outside
    assert violation({"first_seat": Estimate(0.6)}, [SHARE]) == pytest.approx(0.5)


def test_a_quantity_has_a_student_interval() -> None:
    quantity = Quantity(3.0, np.array([-1.0, 1.0, -1.0, 1.0]))
    low, high = quantity.interval()
    assert (low + high) / 2 == pytest.approx(3)
    assert high - low == pytest.approx(2 * 3.182 * (4 / 3) ** 0.5 / 2, abs=0.001)
    assert Quantity(3.0, np.zeros(1)).estimate() == Estimate(3.0)


@pytest.mark.slow
def test_a_design_finds_the_rules_that_hold(arena: Arena) -> None:
    done = arena("design", "cards.yaml", yaml=DESIGN)
    first, _, rounds = done.text.split("\n", 2)
    assert first == "One rule set meets all targets: cards 3."
    assert rounds.startswith("Round 1: 40 deals of 6 rule sets, surely outside of a target: ")
    holds = [line.split()[:2] for line in done.text.splitlines() if line.startswith("holds")]
    assert holds == [["holds", "3"]]  # caller wins two of three with three cards
    with Path("results/cards/design.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert sorted(int(row["cards"]) for row in rows) == [3, 4, 5, 6, 7, 8]
    assert [row["cards"] for row in rows if row["verdict"] == "holds"] == ["3"]
    assert rows[0]["deals"] == "1500"
    assert float(rows[0]["better_bot_low"]) < 2 / 3 < float(rows[0]["better_bot_high"])
    assert not Path("results/cards/report.html").exists()  # tests run with --no-page


@pytest.mark.slow
def test_the_page_says_what_the_terminal_says(arena: Arena) -> None:
    done = arena("design", "cards.yaml", "--page", yaml=DESIGN)
    headline, *lines = done.text.splitlines()
    assert "Page: results/cards/report.html" in lines
    page = checked(Path("results/cards/report.html").read_text("utf-8"))
    assert f"{headline.removesuffix('.')} Targets: first_seat 40% to 60%" in page.text
    sentences = [line for line in lines if line.startswith(("Round ", "Targets: "))]
    assert len(sentences) == 4
    for sentence in sentences:
        assert sentence in page.text
    assert "better_bot 60% to 70%: cards 3 lies within" in page.text
    assert "arena design cards.yaml --seed 1" in page.text
    content = json.loads(Path("results/cards/design.json").read_text("utf-8"))
    assert f"{content['headline']}." == headline and len(content["tried"]) == 6
    (row,) = [row for folder in Path("results").iterdir() for row in rows_of(folder, [])]
    assert (row.kind, row.finding, row.address) == (
        "design",
        content["headline"],
        "/results/cards",
    )
    arena("design", "cards.yaml", "--no-page", "--seed", "2")
    assert not Path("results/cards/report.html").exists()  # it was of other games


@pytest.mark.slow
def test_deals_that_are_all_alike_decide_nothing(arena: Arena) -> None:
    with installed_game(Path.cwd(), "alike", ALIKE):
        done = arena("design", "sizes.yaml", yaml=SIZES, bots={"steady": STEADY})
        told = arena("profile", "steady", "--game", "alike", "--games", "2")
    assert [line.split()[:2] for line in done.text.splitlines() if line.startswith("open")]
    assert "\nholds" not in done.text
    assert done.text.startswith("No rule set surely meets all targets; ")
    assert "All 20 deals are the same games, as no chance is involved" in told.text


@pytest.mark.slow
def test_without_rules_that_meet_all_targets_the_nearest_are_named(arena: Arena) -> None:
    text = DESIGN.replace("[60%, 70%]", "[51%, 52%]")
    done = arena("design", "cards.yaml", yaml=text)
    assert done.text.startswith("No rules meet all targets; the nearest miss better_bot.\n")
    assert (
        next(line for line in done.text.splitlines() if line.startswith("nearest")).split()[1]
        == "3"
    )


@pytest.mark.slow
def test_ca_design_returns_the_rules(arena: Arena) -> None:
    Path("cards.yaml").write_text(DESIGN)
    found = ca.design("cards.yaml")
    assert found.rules == [{"cards": 3}]
    assert found.folder == Path("results/cards")
    again = ca.design("cards.yaml", workers=1)
    assert again.totals == found.totals
    assert repr(found) == "<cards: 1 of 6 hold>"


def test_the_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "cards.yaml"
    file.write_text(DESIGN.replace("3..8", "[3, 5.0, 20]").replace("40%, 60%", "0.4, 1"))
    design = read(file, Catalogue(tmp_path))
    assert [candidate.changes for candidate in design.candidates] == [{"cards": 3}, {"cards": 5}]
    assert design.refused == (1, "cards must be a whole number from 3 to 13, not 20")
    assert design.targets[0] == DesignTarget("first_seat", 0.4, 1.0, is_share=True)
    assert (design.name, design.seed, design.players) == ("cards", 1, 2)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cards:", "card:", "3:8: unknown parameter 'card' (did you mean 'cards'?)"),
        ("3..8", "8..3", "3:15: cards must be a list of values, or a range such as 1..4"),
        ("3..8", "[3, 3]", "3:15: cards has 3 twice"),
        ("3..8", "50..60", "3:1: no combination is a rule set: cards must be a whole number"),
        ("3..8", "1..5000", "3:1: these are more than 4,096 combinations"),
        (
            "first_seat",
            "fist_seat",
            "4:11: unknown target 'fist_seat' (did you mean 'first_seat'?)",
        ),
        ("[40%, 60%]", "[60%, 40%]", "4:23: first_seat must be its two ends, the lower one first"),
        ("[40%, 60%]", "[0, 60]", "4:23: first_seat must be its two ends"),
        ("[40%, 60%]", "50%", "4:23: first_seat must be its two ends"),
        ("[honest, caller]", "[honest]", "4:35: unknown target 'better_bot'"),
        ("vary:", "varied:", "1:1: vary is missing; write vary: {PARAMETER: 1..4}"),
        ("targets:", "aims:", "1:1: targets is missing"),
    ],
)
def test_problems_of_a_file_are_located(arena: Arena, old: str, new: str, message: str) -> None:
    done = arena("design", "cards.yaml", yaml=DESIGN.replace(old, new), code=2)
    assert f"cards.yaml:{message}" in done.error


@pytest.mark.parametrize(
    ("low", "high", "side"),
    [(0.41, 0.59, "within"), (0.39, 0.5, OPEN), (0.5, 0.61, OPEN), (0.7, 0.8, "outside")],
)
def test_only_a_whole_interval_lies_on_a_side_of_a_target(
    low: float, high: float, side: str
) -> None:
    assert _side(Estimate((low + high) / 2, low, high), 0.4, 0.6) == side
