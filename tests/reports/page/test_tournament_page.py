"""The page to look at: well-formed, harmless, complete without a network, and usable by everybody.

What needs a browser is skipped where there is none.
"""

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.pages import HOSTILE, SERIOUS, Page, checked
from helpers.simulated import Truth
from msgspec.structs import replace

from cantstop_arena.deals.counting import Rate
from cantstop_arena.deals.outcomes import FaultReport, TournamentTotals
from cantstop_arena.errors import PageError
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.pages.document import as_html
from cantstop_arena.pages.number_text import percent, share_ends
from cantstop_arena.reports.headline import answer, headline
from cantstop_arena.reports.page.convergence_section import PastAnalysis
from cantstop_arena.reports.page.facts import facts
from cantstop_arena.reports.page.standings_section import standings_section
from cantstop_arena.reports.page.tournament_page import document
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.texts import middle_shortened
from cantstop_arena.tournaments.ledger.convergence import history

CANT_STOP: dict[str, Any] = {"game": GAME.name, "counts": GAME.counts}


def counts(results: TournamentTotals) -> TournamentTotals:
    """Counts as games have them, made up."""
    tallies = {}
    for number, (seating, tally) in enumerate(results.tallies.items()):
        turns = tuple(tally.games * (10 + seat) + number for seat in range(len(seating)))
        tallies[seating] = replace(
            tally,
            counts={
                "turns": turns,
                "busts": tuple(count // 3 for count in turns),
                "columns": tuple(count // 5 for count in turns),
                "spaces": tuple(3 * count for count in turns),
            },
            lengths={20: (tally.games, 0)} if tally.games else {},
            squares={
                name: 2 * sum(turns) ** 2 // max(1, tally.games)
                for name in ("turns", "busts", "columns", "spaces")
            },
        )
    rates = {
        "bust_rate": Rate("busts", "turns", share=True),
        "spaces_per_turn": Rate("spaces", "turns"),
    }
    counted = replace(GAME.counts, rates=rates)
    return replace(results, game=GAME.name, tallies=tallies, counts=counted)


def simulated(bots: int, players: int, deals: int = 20) -> Analysis:
    strengths = [0.1 * number for number in range(bots)]
    truth = Truth(strengths, [0.0] * players)
    return Analysis(counts(truth.played(deals, np.random.default_rng(1))))


def changed(analysis: Analysis, **changes: Any) -> Analysis:
    return Analysis(replace(analysis.results, **changes))


def page_of(analysis: Analysis, past: Sequence[PastAnalysis] = ()) -> Page:
    return checked(as_html(document(analysis, past, (), (), "name: <b>made up</b>\n")))


# What the pages say -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bots", "players", "deals"),
    [(5, 2, 20), (2, 2, 20), (4, 4, 3), (6, 6, 1), (3, 1, 20), (1, 1, 20), (1, 2, 20)],
)
def test_tournaments_of_all_kinds_have_good_pages(bots: int, players: int, deals: int) -> None:
    page = page_of(simulated(bots, players, deals))
    assert f"bot{bots - 1}" in page.text


def test_without_games_the_page_says_so() -> None:
    page = page_of(simulated(3, 2, 0))
    assert "Nothing has been played yet" in page.text
    assert all("class" not in svg or "band" not in svg["class"] for svg in page.all("rect"))


@pytest.mark.slow
def test_a_page_of_forty_bots_is_small() -> None:
    analysis = simulated(40, 2)
    past = [PastAnalysis(5, simulated(40, 2, 5)), PastAnalysis(10, simulated(40, 2, 10))]
    assert analysis.ratings and analysis.residuals
    page = page_of(analysis, past)
    assert len(page.all("td")) > 40 * 40 and "bot39" in page.text


def test_names_and_messages_are_harmless() -> None:
    charge = FaultReport(HOSTILE[0], "exception", "<b>&", HOSTILE[:2], 3, 2, "arena replay <x>")
    page = page_of(changed(simulated(4, 2), bots=HOSTILE, name=HOSTILE[1], faults=(charge,)))
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }} {% raw %}" in page.text
    assert "two\\nlines\\x1b[31m\\udcff" in page.text
    assert "name: <b>made up</b>" in page.text


LONG = ("🎲" * 30, "🎲" * 29 + "b", "W" * 60, "שלום " * 11)


@pytest.mark.parametrize("players", [1, 2])
def test_long_names_are_told_whole(players: int) -> None:
    page = page_of(changed(simulated(4, players), bots=LONG))
    assert {*LONG} <= {*page.words}
    cut = {name for name in page.words if "\u2026" in name}
    assert len(cut) <= len(LONG), "only the crosstable shortens names, in the middle"
    assert cut <= {middle_shortened(name, 24) for name in LONG}


@pytest.mark.slow
def test_more_groups_than_letters_are_kept_apart() -> None:
    """Groups a and a1 are two."""
    truth = Truth([0.5 * number for number in range(30)], [0.0, 0.0])
    steps = Analysis(truth.played(200, np.random.default_rng(1)))
    assert len({letter for bot in range(30) for letter in steps.letters_of(bot)}) > 26
    assert headline(steps).startswith("bot29 wins, ")
    assert standings_section(steps).finding == "All 30 places are decided"


def test_the_winner_is_told_and_how_sure_that_is() -> None:
    strong = Analysis(Truth([3.0, 0.0], [0.0, 0.0]).played(200, np.random.default_rng(1)))
    assert headline(strong).startswith("bot0 wins, ") and headline(strong).endswith(" Elo ahead")
    [told] = answer(strong)
    assert told.startswith("It beats bot1 in 9") and told.endswith(". 2 bots played 400 games.")
    close = Analysis(Truth([0.3, 0], [0, 0]).played(20, np.random.default_rng(2)))
    assert "but not beyond doubt" in headline(close)
    assert answer(close)[0].startswith("It is not significantly different from bot1. It ")


def test_the_facts_are_those_of_the_ratings() -> None:
    analysis = simulated(4, 2, 200)
    told = {fact.label: (fact.value, fact.error) for fact in facts(analysis)}
    assert [*told] == ["Rating", "Lead", "LOS", "First-player advantage"]
    best, second = analysis.order[:2]
    found = analysis.ratings.difference(best, second)
    assert found and found.ahead.high is not None
    half = found.ahead.high - found.ahead.points
    assert told["Lead"] == (f"+{found.ahead.points:.1f}", f"± {half:.1f} Elo")
    assert told["Rating"][0] == f"{analysis.elo[best].mean:,.1f}"
    assert facts(simulated(3, 1)) == []


def test_nobody_is_ahead_of_equals() -> None:
    equal = Truth([0.0, 0.0, -3.0], [0.0, 0.0], unfinished=1.0)
    analysis = Analysis(equal.played(20, np.random.default_rng(1), **CANT_STOP))
    assert headline(analysis) == "bot0, bot1 and bot2 are level"
    told, why = answer(analysis)
    assert told == "They have Elo 1,500.0 ± 12.0. 3 bots played 120 games."
    assert why == "No game was won: all of them ended at the limit of turns."


def test_an_anchor_is_no_estimate() -> None:
    strong = Truth([3.0, 0.0], [0.0, 0.0]).played(200, np.random.default_rng(1))
    [told] = answer(Analysis(replace(strong, anchor={"bot0": 2000.0})))
    assert told.startswith("bot0 is an anchor, with Elo 2,000.0. It beats ")


def test_a_gauntlet_answers_for_its_challenger() -> None:
    truth = Truth([1.0, 0.0, -1.0], [0.0, 0.0])
    played = truth.played(400, np.random.default_rng(1))
    asked = Analysis(replace(played, challenger="bot1", subject="bot1"))
    assert headline(asked) == "bot1 ranks 2nd of 3"
    assert [fact.label for fact in facts(asked)] == ["Rating", "First-player advantage"]
    assert facts(asked)[0].value == f"{asked.elo[1].mean:,.1f}"
    assert "bot0" not in answer(asked)[0]


def test_a_match_is_seen_from_its_first_bot() -> None:
    truth = Truth([1.0, 0.0], [0.0, 0.0])
    played = truth.played(400, np.random.default_rng(1))
    won, lost = (Analysis(replace(played, subject=bot)) for bot in ("bot0", "bot1"))
    for analysis, bot, rival in ((won, 0, 1), (lost, 1, 0)):
        score = percent(analysis.scores[bot].mean or 0)
        assert headline(analysis) == f"bot{bot} scores {score} against bot{rival}"
    close = truth.played(2, np.random.default_rng(3))
    told = headline(Analysis(replace(close, subject="bot1")))
    assert told.endswith("; it stays open who is stronger")


def test_a_rank_is_open_where_half_of_all_ranks_are() -> None:
    close = Truth([0.0] * 8, [0.0, 0.0]).played(20, np.random.default_rng(1))
    told = headline(Analysis(replace(close, challenger="bot1", subject="bot1")))
    assert re.fullmatch(r"The rank of bot1 stays open: \w+ to \w+ of 8", told)


def test_those_who_have_not_played_are_not_ahead() -> None:
    some = Truth([0.0, 0.5, 0.0], [0.0, 0.0], lineups=[(0, 1)])
    analysis = Analysis(some.played(200, np.random.default_rng(1), anchor={"bot2": 9000.0}))
    assert headline(analysis).startswith("bot1 wins")
    assert answer(analysis)[0].endswith(" 2 bots played 400 games.")
    assert "bot2" not in answer(analysis)[0]


def test_one_bot_alone_is_compared_with_nobody() -> None:
    told = headline(simulated(1, 1))
    assert told.startswith("bot0 needs ") and told.endswith(" turns for a game alone")


def test_what_casts_doubt_on_the_answer_is_told_with_it() -> None:
    truth = Truth([0.0, 0.5], [0.0, 0.0], unfinished=0.9)
    some = truth.played(200, np.random.default_rng(1), **CANT_STOP)
    _, told = answer(Analysis(some))
    won = sum(tally.games - tally.unfinished for tally in some.tallies.values())
    assert told == f"Only {won} of the games were won before the limit of turns."
    assert forfeited(simulated(2, 2), 3)[1] == "Of the games 6 were ended by faults of bots."
    assert forfeited(simulated(2, 2), 20)[1] == "Every game was ended by a fault of a bot."


def forfeited(analysis: Analysis, forfeits: int) -> list[str]:
    """The answer where so many games of every seating were ended by faults."""
    tallies = analysis.results.tallies.items()
    lost = {bots: replace(tally, forfeits=forfeits) for bots, tally in tallies}
    return answer(changed(analysis, tallies=lost))


def test_where_every_game_was_forfeited_there_are_no_empty_tables() -> None:
    analysis = Analysis(Truth([0, 1], [0, 0]).played(20, np.random.default_rng(1), **CANT_STOP))
    tallies = {
        bots: replace(tally, forfeits=tally.games)
        for bots, tally in analysis.results.tallies.items()
    }
    page = page_of(changed(analysis, tallies=tallies))
    assert "No game was played to its end" in page.text
    for title in ("All values: Length of games", "Styles of play"):
        assert title not in page.text


def test_the_disqualified_are_named_with_the_answer() -> None:
    out = "cheat was disqualified for faults, and all games with them left out."
    assert answer(changed(simulated(2, 2), disqualified=("cheat",)))[1] == out
    nobody = changed(simulated(2, 2, 0), disqualified=("cheat",))
    assert headline(nobody) == "No games are left: no ranking"
    assert answer(nobody) == ["All games were games with bots that were disqualified.", out]


def test_the_disqualified_have_a_block_under_the_standings() -> None:
    fault = FaultReport("<cheat>", "illegal", "no such move", ("<cheat>", "bot0"), 4, 5, "arena x")
    analysis = changed(simulated(2, 2), disqualified=("<cheat>",), faults=(fault,))
    section = standings_section(analysis)
    ranked, out = section.figures
    assert "cheat" not in ranked.html
    assert "&lt;cheat&gt;" in out.html
    assert "illegal: no such move" in out.html
    assert not any("cheat" in note for note in ranked.notes), "it is said in the block"
    assert "Disqualified" in page_of(analysis).text
    nobody = standings_section(changed(simulated(2, 2, 0), disqualified=("cheat",)))
    assert "cheat" in nobody.figures[-1].html


def test_a_page_says_nothing_twice() -> None:
    assert page_of(simulated(3, 2)).text.count("Moving first is worth") <= 1


def test_one_of_a_thing_is_no_plural() -> None:
    assert " 1 bot played 1 game." in page_of(simulated(1, 1, 1)).text


# From the command line ----------------------------------------------------------------------


CUP = """
name: cup
games: 64
seed: 1
bots: [random, rule28, {bot: random, as: "<script>alert(1)</script>", roll_again: 0.8}]
"""
RULES = "compare: [classic, jump]\nplayers: [2, 3]\ngames: 24\nseed: 1\nbots: [random, rule28]\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CANTSTOP_ARENA_PAGE", "1")
    return tmp_path


def cup(arena: Arena, *words: str, text: str = CUP, folder: str = "results") -> Path:
    Path("cup.yaml").write_text(text)
    arena("run", "cup.yaml", "--quiet", "--results", folder, *words)
    return Path(folder, "cup", "report.html")


def test_every_run_writes_the_page_and_report_writes_it_again(arena: Arena) -> None:
    page = cup(arena)
    first = page.read_bytes()
    checked(first.decode())
    page.unlink()
    assert arena("report", "results/cup").output == "Written: results/cup/report.html.\n"
    assert page.read_bytes() == first


@pytest.mark.slow
def test_the_page_is_the_same_for_any_number_of_workers(arena: Arena) -> None:
    one, two = cup(arena, "--workers", "1"), cup(arena, "--workers", "2", folder="other")
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.slow
def test_anchors_and_rules_to_end_by_are_in_a_page_written_again(arena: Arena) -> None:
    text = f"{CUP}anchor: {{rule28: 2000}}\nuntil: {{width: 0.9}}\n"
    page = cup(arena, text=text)
    first = page.read_bytes()
    assert b"2,000.0" in first and b"confidence sequences" in first
    arena("report", "results/cup")
    assert page.read_bytes() == first


@pytest.mark.slow
def test_the_command_on_the_page_makes_the_same_page(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = cup(arena)
    monkeypatch.chdir(page.parent)
    assert "arena run tournament.yaml --results again" in Page(Path(page.name).read_text()).text
    arena("run", "tournament.yaml", "--results", "again")
    assert Path("again/cup/report.html").read_bytes() == Path("report.html").read_bytes()


@pytest.mark.slow
def test_earlier_moments_are_those_of_shorter_tournaments(arena: Arena) -> None:
    cup(arena)
    moments = {moment.deals: moment.results for moment in history(Path("results/cup"), {})}
    assert list(moments) == [8, 16]
    for deals, past in moments.items():
        Path("results").rename(f"before{deals}")
        cup(arena, "--games", str(2 * deals))
        told = json.loads(Path("results/cup/summary.json").read_text())["standings"]
        elo = {row["bot"]: (row["elo"], row["elo_low"], row["elo_high"]) for row in told}
        for name, estimate in zip(past.bots, Analysis(past).elo, strict=True):
            assert elo[name] == pytest.approx(estimate, abs=0.006)
        shutil.rmtree("results")
        Path(f"before{deals}").rename("results")


@pytest.mark.slow
def test_a_comparison_has_a_page_that_can_be_written_again(arena: Arena) -> None:
    arena("compare", "rules.yaml", "--quiet", yaml=RULES)
    page = Path("results/rules/report.html")
    first = page.read_bytes()
    told = checked(first.decode()).text
    sentences = json.loads(Path("results/rules/comparison.json").read_text())["answers"]
    assert len(sentences) == 2
    assert all(answer["sentence"] in told for answer in sentences)
    arena("report", "results/rules")
    assert page.read_bytes() == first


@pytest.mark.slow
def test_the_command_of_a_comparison_makes_the_same_files(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena("compare", "rules.yaml", "--quiet", yaml=RULES)
    monkeypatch.chdir("results/rules")
    arena("compare", "comparison.yaml", "--results", "again")
    for name in ("comparison.json", "comparison.yaml", "report.html"):
        assert Path("again/rules", name).read_bytes() == Path(name).read_bytes()


def test_reporting_on_no_results_says_what_is_wrong(arena: Arena) -> None:
    result = arena("report", "nowhere", code=2)
    assert "There is no folder nowhere" in result.output


@pytest.mark.slow
def test_a_run_goes_on_without_what_draws(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> Path:
        raise PageError("There is no jinja2")

    monkeypatch.setattr("cantstop_arena.reports.tournament_files.write_page", missing)
    assert arena("run", "cup.yaml", "--quiet", yaml=CUP).output.count("There is no jinja2") == 1
    assert Path("results/cup/summary.json").exists()


@pytest.mark.slow
def test_no_page_is_written_or_left_where_none_is_wanted(arena: Arena) -> None:
    assert cup(arena).exists()
    assert not cup(arena, "--no-page").exists()
    Path("rules.yaml").write_text(RULES)
    page = Path("results/rules/report.html")
    arena("compare", "rules.yaml", "--quiet")
    assert page.exists()
    arena("compare", "rules.yaml", "--quiet", "--no-page")
    assert not page.exists()


# In a browser -------------------------------------------------------------------------------


@pytest.fixture
def shown(opened: Callable[..., Any]) -> Callable[..., Any]:
    """A function that opens the page of an analysis."""

    def show(analysis: Analysis, **context: Any) -> Any:
        return opened(as_html(document(analysis, (), (), (), "")), **context)

    return show


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("dark", 360),
        *(
            pytest.param(*other, marks=pytest.mark.slow)
            for other in (("dark", 1200), ("light", 360), ("light", 1200))
        ),
    ],
)
def test_the_page_fits_the_screen_and_everybody_can_use_it(
    shown: Any, scheme: str, width: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    viewport = {"width": width, "height": 800}
    page = shown(
        changed(simulated(4, 2), bots=(*HOSTILE[:3], "z")),
        viewport=viewport,
        color_scheme=scheme,
        bypass_csp=True,  # for axe's own script
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in SERIOUS] == []


@pytest.mark.slow
@pytest.mark.parametrize("bots", [6, 20, 40])
def test_nothing_is_cut_off_or_needs_sideways_scrolling(shown: Any, bots: int) -> None:
    for width in (320, 768, 1280):
        page = shown(simulated(bots, 2), viewport={"width": width, "height": 800})
        page.evaluate("document.querySelectorAll('.folded').forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(OVERLAPS) == []


OVERLAPS = """() => [...document.querySelectorAll("svg")].flatMap((svg) => {
  const boxes = [...svg.querySelectorAll("text")].map((text) =>
    [text.textContent, text.getBoundingClientRect()]).filter(([, box]) => box.width);
  return boxes.flatMap(([one, a], place) => boxes.slice(place + 1).flatMap(([other, b]) =>
    (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4
      ? [`${one} / ${other}`] : [])));
})"""


@pytest.mark.slow
def test_a_long_name_leaves_the_numbers_in_sight(shown: Any) -> None:
    for width in (320, 1200):
        page = shown(changed(simulated(4, 2), bots=LONG), viewport={"width": width, "height": 800})
        elo = page.locator("#standings tbody tr:first-child td.elo").bounding_box()
        assert elo["x"] + elo["width"] <= width


@pytest.mark.slow
def test_the_crosstable_tells_its_numbers_under_the_mouse_and_the_keys(shown: Any) -> None:
    analysis = simulated(3, 2, 200)
    page = shown(analysis)
    told = page.locator(".readout")
    page.locator("#crosstable tbody td").nth(2).hover()
    assert told.text_content().startswith(sentence(analysis, 0, 2))
    page.locator("#crosstable tbody td").nth(3).click()
    assert told.text_content().startswith(sentence(analysis, 1, 0))
    page.locator("#crosstable .cells").focus()
    page.keyboard.press("ArrowDown")
    assert told.text_content().startswith(sentence(analysis, 2, 0))


def sentence(analysis: Analysis, row: int, column: int) -> str:
    one, other = analysis.order[row], analysis.order[column]
    cell = analysis.against[one][other]
    assert cell and cell.mean is not None and cell.low is not None and cell.high is not None
    names = f"{analysis.results.bots[one]} against {analysis.results.bots[other]}"
    return f"{names}: {percent(cell.mean)} ({share_ends(cell)}); predicted "


@pytest.mark.slow
def test_many_bots_have_a_crosstable_in_one_drawing(shown: Any) -> None:
    page = shown(simulated(61, 2, 2))
    area = page.locator("#crosstable svg.cells")
    side = area.bounding_box()["width"] / 61
    area.hover(position={"x": 5.5 * side, "y": 0.5 * side})
    names = [page.locator("#standings tbody th").nth(place).inner_text() for place in (0, 5)]
    assert page.locator(".readout").text_content().startswith(f"{names[0]} against {names[1]}: ")


@pytest.mark.slow
def test_columns_are_sorted_and_the_theme_is_switched(shown: Any) -> None:
    page = shown(simulated(4, 2), color_scheme="light")
    order = page.locator("#standings tbody th.bot").all_inner_texts()
    page.locator("#standings").get_by_role("button", name="Elo").click()
    page.locator("#standings").get_by_role("button", name="Elo").click()
    assert page.locator("#standings tbody th.bot").all_inner_texts() == order[::-1]
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_role("button", name="Switch to the dark theme").click()
    assert page.evaluate(paper) != light
    page.get_by_role("button", name="Switch to the light theme").click()
    assert page.evaluate(paper) == light


@pytest.mark.slow
def test_colours_and_paper_change_what_is_seen(shown: Any) -> None:
    page = shown(simulated(3, 2), color_scheme="light")
    seen = [page.screenshot(full_page=True)]
    page.emulate_media(color_scheme="dark")
    seen.append(page.screenshot(full_page=True))
    page.emulate_media(media="print", color_scheme="light")
    seen.append(page.screenshot(full_page=True))
    assert len(set(seen)) == 3
    assert page.locator("#lengths table").first.is_visible()  # sections are unfolded on paper


@pytest.mark.slow
def test_the_keyboard_unfolds_sections_and_the_contents_do(shown: Any) -> None:
    page = shown(simulated(3, 2))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#styles summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#styles table").is_visible()
    page.locator(".contents a[href='#lengths']").click()
    page.locator("#lengths table").first.wait_for(state="visible")


def test_without_scripts_everything_can_be_read(shown: Any) -> None:
    page = shown(simulated(3, 2), java_script_enabled=False)
    assert page.locator(".theme").count() == 0
    assert not page.get_by_text("Point at a cell").is_visible()
    page.locator("#styles summary").first.click()
    assert page.locator("#styles table").is_visible()
