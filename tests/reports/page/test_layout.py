"""Pages in a browser: no text on another, nothing wider than its column, no interval cut off.

Most combinations are slow tests; a few of each page are not.
"""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.layout import defects
from helpers.parameters import long_but, slow_but
from helpers.simulated import Truth
from msgspec.structs import replace
from test_tournament_page import counts

from cantstop_arena.pages.document import Document, as_html
from cantstop_arena.ratings.sequential import sprt
from cantstop_arena.reports.match_report import finding
from cantstop_arena.reports.page import (
    gauntlet_page,
    match_page,
    standings_section,
    tournament_page,
)
from cantstop_arena.reports.page.match_sections import Looks
from cantstop_arena.reports.write_page import tuning_page
from cantstop_arena.tables.analysis import Analysis

BOTS = (2, 6, 20, 60)
LONG = "a-name-of-a-bot-that-has-forty-letters"  # and two digits
STEADY = """
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return turn.rolls < {rolls}
"""
RESULTS = {  # how far apart the bots are, and the deals
    "undecided": (0.0, 20),
    "decided": (0.5, 200),
    "one deal": (0.1, 1),
    "long names": (0.1, 20),
}


def played(bots: int, results: str, challenger: int | None = None, players: int = 2) -> Analysis:
    """A tournament of so many bots, or the gauntlet of one of them."""
    apart, deals = RESULTS[results]
    truth = Truth([apart * number for number in range(bots)], [0.1] + [0.0] * (players - 1))
    totals = counts(truth.played(deals, np.random.default_rng(1)))
    if results == "long names":
        totals = replace(totals, bots=tuple(f"{LONG}{number:02d}" for number in range(bots)))
    if challenger is not None:
        bot = totals.bots[challenger]
        totals = replace(totals, challenger=bot, subject=bot)
    return Analysis(totals)


def tournament(bots: int, results: str) -> str:
    return as_html(tournament_page.document(played(bots, results), (), (), (), "name: x\n"))


def gauntlet(bots: int, results: str) -> str:
    middle = bots // 2
    analysis = played(bots, results, middle)
    return as_html(gauntlet_page.document(analysis, middle, (), (), "name: x\n"))


def match(test: bool, results: str, first_wins: bool = False) -> str:
    """The page of a match, of which a test may have decided."""
    analysis = played(2, results)
    first, second = reversed(analysis.results.bots) if first_wins else analysis.results.bots
    analysis = Analysis(replace(analysis.results, subject=first))
    deals = analysis.games // 2
    points = analysis.scores[int(first_wins)].mean or 0
    won = round(deals * points)
    pentanomial = [deals - won - deals // 5, 0, 2 * (deals // 5), 0, won - deals // 5]
    pentanomial = [max(0, count) for count in pentanomial] if deals > 1 else [0, 0, 1, 0, 0]
    decider, state = None, None
    looks: Looks = []
    if test:
        decider = sprt.Sprt(0, 5)
        accepted = int(first_wins) if results == "decided" else None
        ratio = {0: -3.1, 1: 3.1, None: 0.4}[accepted]
        state = sprt.TestState(ratio, 0.4, 0.05, accepted)
        looks = [(deals // 3 or 1, sprt.TestState(-0.5, 0.4, 0.05, None)), (deals, state)]
    result = finding((first, second), analysis, pentanomial, decider, state, 2, 2)
    return as_html(
        match_page.document(analysis, result, (), looks, (), (), "name: x\n", [("a", "built-in 1")])
    )


KINDS: dict[str, Callable[[int, str], str]] = {
    "tournament": tournament,
    "gauntlet": gauntlet,
    "match": lambda bots, results: match(False, results),
    "test": lambda bots, results: match(True, results),
    "test won": lambda bots, results: match(True, results, first_wins=True),
}
ALL = [
    (kind, bots, results)
    for kind in KINDS
    for bots in (BOTS if kind in ("tournament", "gauntlet") else (2,))
    for results in RESULTS
]


@pytest.mark.slow
@pytest.mark.parametrize("dark", long_but([0], [False, True]), ids=["light", "dark"])
@pytest.mark.parametrize(("kind", "bots", "results"), ALL)
def test_pages_of_all_sizes_have_no_defect(
    check_page: Callable[..., None], kind: str, bots: int, results: str, dark: bool
) -> None:
    check_page(KINDS[kind](bots, results), dark)


def test_a_match_of_one_deal_has_no_likelihood_of_superiority() -> None:
    assert "likelihood of superiority" in match(False, "undecided")
    page = match(False, "one deal")
    assert "likelihood of superiority" not in page and "The Elo has no error" not in page


def test_deals_that_end_alike_say_nothing_of_moving_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RESULTS, "alike", (50.0, 4))
    page = match(False, "alike")
    assert "All deals ended alike" in page and "0.0 ± 0.0" not in page


def test_a_heading_names_few_bots() -> None:
    """The third is apart from the first, though others below it are not."""
    letters = ["a", "a", "b", *"aaaaa"]
    results = SimpleNamespace(bots=tuple("klmnopqr"))
    analysis: Any = SimpleNamespace(letters_of=lambda bot: [letters[bot]], results=results)
    heading = standings_section._groups(analysis, range(8))
    assert heading == "k is not significantly different from 6 others"


@pytest.mark.slow
@pytest.mark.parametrize("kind", slow_but([0], KINDS))
def test_long_names_fit_on_a_phone(check_page: Callable[..., None], kind: str) -> None:
    check_page(KINDS[kind](6, "long names"), widths=(390,))


@pytest.mark.slow
@pytest.mark.parametrize("letters", slow_but([0], [58, 62, 80, 89, 92, 118]))
def test_headings_of_all_lengths_have_three_lines(
    check_page: Callable[..., None], letters: int
) -> None:
    sentence = "classic, columns_to_win 4 lengthens the game by 29 to 36%, jump shortens it by 8 to"
    headline = f"{sentence} 16%, and leave by 5%, most with four players"[:letters].rstrip()
    page = Document("cup", "rules", ["An answer."], [], headline)
    check_page(as_html(page), widths=(800, 390))


@pytest.mark.parametrize(
    ("damage", "defect"),
    slow_but(
        [0],
        [
            ("querySelector('h1').style.marginTop = '-24px'", "overlap"),
            ("querySelector('.tw').style.width = '3000px'", "column"),
            ("querySelector('h1').style.width = '9rem'", "h1"),
            ("querySelector('.band').setAttribute('width', '300%')", "interval"),
        ],
    ),
)
def test_the_check_finds_defects(opened: Callable[..., Any], damage: str, defect: str) -> None:
    page = opened(match(False, "undecided"), viewport={"width": 1280, "height": 900})
    assert defects(page) == []
    page.evaluate(f"document.{damage}")
    assert defect in {text.partition(":")[0] for text in defects(page)}


@pytest.mark.slow
def test_the_page_of_a_comparison_has_no_defect(
    arena: Arena, check_page: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANTSTOP_ARENA_PAGE", "1")
    rules = ", ".join(
        f"{{base: classic, name: variant-{n}, columns_to_win: {n}}}" for n in (1, 2, 4)
    )
    names = f"[rule28, {{bot: random, as: {LONG}01}}]"
    text = (
        f"compare: [classic, jump, {rules}]\nplayers: [2, 3]\ngames: 24\nseed: 1\nbots: {names}\n"
    )
    done = arena("compare", "rules.yaml", "--quiet", yaml=text)
    check_page(done.page)
    check_page(done.page, dark=True, widths=(1280, 390))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "rule28 threshold=24..32",
        "rule28 threshold=24..32 prefer",
        "tuned numbers --against glenn-aloi",
    ],
)
def test_the_page_of_a_tuning_has_no_defect(
    arena: Arena, check_page: Callable[..., None], words: str
) -> None:
    content = json.loads(arena(f"tune {words} --games 1200 --json --quiet --no-page").text)
    html = tuning_page(content)
    check_page(html)
    check_page(html, dark=True, widths=(1280, 390))


@pytest.mark.slow
def test_the_page_of_a_match_with_its_games_has_no_defect(
    arena: Arena, check_page: Callable[..., None]
) -> None:
    html = arena("match rule28 glenn-aloi --games 40 --seed 1 --quiet --page").page
    check_page(html)
    check_page(html, dark=True, widths=(1280, 390))


@pytest.mark.slow
def test_the_page_of_versions_has_no_defect(
    arena: Arena, check_page: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANTSTOP_ARENA_PAGE", "1")
    bot = Path("bots/patient.py")
    bot.parent.mkdir()
    for rolls in (2, 3, 4):
        bot.write_text(STEADY.format(rolls=rolls))
        arena("run", "cup.yaml", "--quiet", yaml="bots: [patient, rule28]\ngames: 60\nseed: 1\n")
    arena("history", "patient", "--in", "results/cup")
    html = Path("results/cup/history-patient.html").read_text("utf-8")
    check_page(html)
    check_page(html, dark=True, widths=(1280, 390))
