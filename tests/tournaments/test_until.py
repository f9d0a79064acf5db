"""Tournaments that end when intervals are narrow, matches that end when a test has its answer."""

import json
import re
from collections.abc import Iterator
from itertools import combinations
from math import comb, factorial, log, sqrt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.dealt import score_of
from helpers.finished import Finished
from helpers.ledgers import tournament
from helpers.parameters import slow_but
from helpers.simulated import Truth
from helpers.simulated import results as simulated
from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.versions import HISTORY
from cantstop_arena.deals.outcomes import ELO_ERROR, WIN_UNITS, Until, win_units
from cantstop_arena.ratings.elo import Ratings, rate
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.sequential.confidence import deals_for, looks, multiplier
from cantstop_arena.ratings.sequential.sprt import Sprt
from cantstop_arena.ratings.sequential.stopping_rule import (
    elo_variance,
    rule_for,
    score_variance,
    widest,
)
from cantstop_arena.reports.match_report import MatchFinding, match_text
from cantstop_arena.reports.plan_report import CostQuestion, plan_of, plan_text
from cantstop_arena.tournaments import run
from cantstop_arena.tournaments.file import tournament_file
from cantstop_arena.tournaments.pool.worker import start_methods
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run_observer import Look, RunObserver
from cantstop_arena.tournaments.schedule import MatchEnding

PLAIN = '''"""Stops after three rolls."""
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return turn.rolls < 3
'''
NARROW = "name: narrow\nuntil: {width: 0.06}\nseed: 1\nbots: [rule28, random, plain]\n"
REPORTS = ("standings.csv", "crosstable.csv", "summary.json", "tournament.yaml")
LOOK = re.compile(r"^([\d,]+) games of each group: .*?([\d.]+) (?:wide )?for \S+\.$", re.MULTILINE)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a tournament and a bot, where we stand."""
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    Path("bots/plain.py").write_text(PLAIN)
    Path("narrow.yaml").write_text(NARROW)


@pytest.fixture
def narrow(here: None, finished: Finished) -> str:
    """The tournament, ended before; what was printed."""
    files = {"narrow.yaml": NARROW, "bots/plain.py": PLAIN}
    return finished.bring(files, "run", "narrow.yaml")


def bytes_of(folder: str, names: tuple[str, ...] = ()) -> dict[str, bytes]:
    paths = [Path(folder, name) for name in names] or sorted(Path(folder).rglob("*"))
    files = (path for path in paths if path.is_file() and path.name != HISTORY)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def told(path: str) -> Any:
    return json.loads(Path(path).read_text())


# --- until ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "most", "players"),
    slow_but((0,), [("width: 0.08", 0.08, 2), ("elo_error: 45", 45, 3)]),
)
def test_games_end_at_the_first_look_at_which_all_intervals_are_narrow(
    arena: Arena, rule: str, most: float, players: int
) -> None:
    output = arena(
        "run",
        "cup.yaml",
        yaml=f"until: {{{rule}}}\nplayers: {players}\nseed: 1\nbots: [rule28, random, cautious]\n",
    ).text
    seen = [(int(games.replace(",", "")), float(wide)) for games, wide in LOOK.findall(output)]
    assert len(seen) > 2
    assert [wide <= most for _, wide in seen] == [False] * (len(seen) - 1) + [True]
    ruled = tournament_file.read(Path("cup.yaml"), Catalogue(Path("bots"))).until
    assert ruled is not None
    lineups = {2: 2, 3: 1}[players]  # of each bot
    planned = list(looks(ruled.expected, 10**7, lineups=lineups))[: len(seen)]
    assert [games for games, _ in seen] == [deals * factorial(players) for deals in planned]
    summary = told("results/cup/summary.json")
    groups = {2: 3, 3: 1}[players]
    assert summary["games"] == groups * seen[-1][0]
    assert summary["until"]["reached"] is True
    assert (
        f"games: {seen[-1][0]}\nuntil: {{{rule}" in Path("results/cup/tournament.yaml").read_text()
    )


@pytest.mark.slow
def test_the_user_is_told_the_aim_the_looks_and_what_the_intervals_are(
    arena: Arena, narrow: str
) -> None:
    assert narrow.startswith(
        "narrow: plays until every bot has a score interval 0.06 wide or less."
    )
    assert narrow.count("plays until") == 1
    assert "The intervals are confidence sequences" in narrow
    assert "confidence sequences" in Path("results/narrow/standings.md").read_text()
    quiet = arena("run", "narrow.yaml", "--quiet").text
    assert not LOOK.search(quiet)
    assert quiet.lstrip().partition("\n\n")[2].startswith("Standings"), "after the headline"


@pytest.mark.slow
def test_any_number_of_workers_ends_at_the_same_deal_with_the_same_bytes(arena: Arena) -> None:
    for workers in ("1", "2"):
        arena("run", "narrow.yaml", "--workers", workers, "--results", workers)
    assert bytes_of("1/narrow") == bytes_of("2/narrow")


@pytest.mark.slow
@pytest.mark.usefixtures("narrow")
def test_a_tournament_that_was_ended_is_complete(arena: Arena) -> None:
    arena("run", "narrow.yaml")  # here, where the ledger was brought to
    before = bytes_of("results/narrow")
    again = arena("run", "narrow.yaml").text
    assert "3 of 3 pairings have games in the ledger" in again
    assert bytes_of("results/narrow") == before


@pytest.mark.slow
@pytest.mark.usefixtures("narrow")
def test_games_are_the_most_and_more_continue(arena: Arena) -> None:
    output = arena("run", "narrow.yaml", "--games", "300", "--results", "steps").text
    assert "which" in output and "has not" in output
    assert told("steps/narrow/summary.json")["until"]["reached"] is False
    assert told("steps/narrow/summary.json")["games"] == 3 * 300
    arena("run", "narrow.yaml", "--results", "steps")
    assert bytes_of("steps/narrow", REPORTS) == bytes_of("results/narrow", REPORTS)


@pytest.mark.slow
@pytest.mark.usefixtures("narrow")
def test_what_is_resolved_plays_the_same_again(arena: Arena) -> None:
    arena("run", "results/narrow/tournament.yaml", "--results", "again")
    assert bytes_of("again/narrow", REPORTS[:2]) == bytes_of("results/narrow", REPORTS[:2])


class Interrupting(RunObserver):
    """A watch that is interrupted when so many games have been played."""

    def __init__(self, games: int) -> None:
        self.games = games
        self.seen: list[int] = []

    def on_progress(self, games: int) -> None:
        """Stop, at last."""
        self.games -= games
        if self.games <= 0:
            raise InterruptedError

    def on_look(self, look: Look) -> None:
        """Keep where it was looked."""
        self.seen.append(look.games)


@pytest.mark.parametrize("games", [1, 700, 1500])
@pytest.mark.slow
def test_an_interruption_changes_nothing(games: int) -> None:
    catalogue = Catalogue(Path("bots"))
    tournament = tournament_file.read(Path("narrow.yaml"), catalogue)
    terms = PoolOptions(1, start_methods()[0], None)
    through = Interrupting(10**9)
    whole = run.run_tournament(tournament, catalogue, Path("whole"), terms, through)
    interrupted = Interrupting(games)
    with pytest.raises(InterruptedError):
        run.run_tournament(tournament, catalogue, Path("parts"), terms, interrupted)
    resumed = Interrupting(10**9)
    parts = run.run_tournament(tournament, catalogue, Path("parts"), terms, resumed)
    assert parts.tallies == whole.tallies
    assert resumed.seen == through.seen, "looks begin at the first"


def test_a_bot_that_won_everything_is_not_known_too_soon() -> None:
    """Its deals are all alike, and yet it could lose one in some hundred of them."""
    for deals in (100, 1000):
        found = score_of([2] * deals, deals)
        assert found.low is not None
        assert 1 - found.low == pytest.approx(9.2 / deals, rel=0.1)
        equal = score_of([1] * deals, deals)
        assert equal.high is not None
        assert equal.high - 0.5 == pytest.approx(4.6 / deals, rel=0.1)


def test_before_the_first_look_a_score_has_no_bounds() -> None:
    assert score_of([1, 2] * 49 + [1], 1000).low == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "shares",
    [
        (0.25, 0.5, 0.25),
        (0.005, 0.99, 0.005),
        (0, 0.005, 0.995),
        (0, 0, 1),
        (0.001, 0.05, 0.949),
        (0, 0.9995, 0.0005),
    ],
)
def test_no_score_is_missed_at_any_look_more_often_than_in_one_run_in_twenty(
    shares: tuple[float, ...],
) -> None:
    generator, runs = np.random.default_rng(1980), 400
    truth, missed = float(np.array(shares) @ [0, 0.5, 1]), 0
    for _ in range(runs):
        counts, played = np.zeros(3, np.int64), 0
        for deals in looks(1000, maximum=10_000):
            counts += generator.multinomial(deals - played, shares)
            played = deals
            found = score_of(np.repeat([0, 1, 2], counts).tolist(), 1000)
            assert found.low is not None and found.high is not None
            if not found.low <= truth <= found.high:
                missed += 1
                break
    assert missed <= 0.05 * runs


def test_the_elo_of_two_is_as_sure_as_their_score() -> None:
    """Nearly: seats regarded, an Elo difference is the logarithm of odds, each Elo half of it."""
    Path("two.yaml").write_text("name: two\ngames: 4000\nseed: 1\nbots: [rule28, cautious]\n")
    catalogue = Catalogue(Path("bots"))
    tournament = tournament_file.read(Path("two.yaml"), catalogue)
    terms = PoolOptions(1, start_methods()[0], None)
    results = run.run_tournament(tournament, catalogue, Path("two"), terms, Interrupting(10**9))
    (each,) = results.deals.populations
    deals, totals = int(each.deals[0]), each.totals[0]
    share = totals[0] / totals[:2].sum()
    between = each.products[0, 0, 0] / deals - (totals[0] / deals) ** 2
    error = sqrt(between / deals) / (2 * WIN_UNITS) * 200 / log(10) / share / (1 - share)
    rule = Until(ELO_ERROR, 1.0, 2000)
    bot, measured = widest(replace(results, until=rule), rule)
    assert bot in results.bots
    assert measured == pytest.approx(error * multiplier(2000, 2000), rel=0.03)


@pytest.mark.slow
def test_no_elo_is_missed_and_no_difference_found_at_any_look() -> None:
    """Equals on shared dice: in one run in twenty at most, whenever one looks."""
    generator, runs, missed = np.random.default_rng(1980), 40, 0
    rule = rule_for(ELO_ERROR, 40, 3, 2, orders=2)
    at = [deals for deals in looks(rule.expected, 10**6) if deals < 800]
    for _ in range(runs):
        played = Truth([0, 0, 0], [0.2, 0], shared=0.7).run(at[-1], generator)
        for deals in at:
            some = {group: masks[:deals] for group, masks in played.items()}
            rated = rate(simulated(3, 2, [some], until=rule))
            wrong = any(not (low or 0) <= 1500 <= (high or 9e9) for low, high in _ends(rated))
            if wrong or len(set(rated.groups)) > 1:
                missed += 1
                break
    assert missed <= 0.05 * runs


def _ends(rated: Ratings) -> Iterator[tuple[float | None, float | None]]:
    return zip(rated.low, rated.high, strict=True)


@pytest.mark.slow
def test_nobody_is_the_widest_where_nobody_has_played(arena: Arena) -> None:
    Path("two.yaml").write_text(
        "name: two\nuntil: {width: 0.1}\nmax_faults: 1\nseed: 1\nbots: [a, b]\n"
    )
    for name in "ab":
        Path(f"bots/{name}.py").write_text(PLAIN.replace("turn.rolls < 3", "1 / 0"))
    output = arena("run", "two.yaml", code=3).text
    assert "disqualified" in output
    assert not LOOK.search(output)
    assert "To be played until every bot has" in output
    assert "Played until" not in output
    ending = told("results/two/summary.json")["until"]
    assert (ending["reached"], ending["widest"]) == (False, {"bot": None, "width": None})


@pytest.mark.parametrize(("bots", "players"), [(2, 2), (3, 2), (6, 3), (5, 4)])
def test_the_deals_that_one_expects_are_those_of_equals(bots: int, players: int) -> None:
    """Independent games of equals, the information of all lineups inverted by hand."""
    orders = factorial(players)
    assert rule_for("width", 0.02, bots, players, orders).expected == deals_for(
        score_variance(players, orders), 0.01
    )
    information = np.zeros((bots, bots))
    for group in combinations(range(bots), players):
        inner = (np.eye(players) - 1 / players) / players * orders
        information[np.ix_(group, group)] += inner
    variance = np.linalg.pinv(information)[0, 0] * (400 / log(10)) ** 2
    lineups = comb(bots - 1, players - 1)
    assert elo_variance(bots, players, orders) == pytest.approx(lineups * variance)


# --- match ----------------------------------------------------------------------------------------


def test_a_match_ends_as_soon_as_a_hypothesis_is_accepted(arena: Arena) -> None:
    output = arena("match", "rule28", "cautious", "--sprt", "0", "50").text
    assert "H1 is accepted: rule28 is stronger than cautious." in output
    found = told("results/rule28-vs-cautious/match.json")
    assert found["sprt"]["accepted"] == "H1"
    assert found["sprt"]["llr"] > found["sprt"]["upper"] > 0
    assert found["games"] == 2 * sum(found["pentanomial"]) == 200
    assert found["elo_low"] > 0
    assert set(found["sprt"]["expected_games"]) == {"h0", "h1", "estimate"}


def test_the_looks_of_a_test_are_told_in_games_with_the_bound(arena: Arena) -> None:
    text = arena("match", "rule28", "cautious", "--sprt", "0", "50").text
    assert re.search(r"^200 games: LLR [\d.]+ of 2.94\.$", text, re.M)
    text = arena("match", "cautious", "rule28", "--sprt", "0", "50").text
    assert re.search(r"^200 games: LLR -[\d.]+ of -2.94\.$", text, re.M)


def test_the_other_way_round_the_other_hypothesis_is_accepted(arena: Arena) -> None:
    output = arena("match", "cautious", "rule28", "--sprt", "0", "50", "--quiet").text
    assert "H0 is accepted: cautious is less than 50 Elo stronger than rule28." in output
    assert "LLR -" in output
    assert output.startswith(
        "cautious is not 50 Elo stronger than rule28.\n\ncautious against rule28: 200 games"
    )


@pytest.mark.slow
def test_a_match_without_a_test_plays_all_its_games(arena: Arena) -> None:
    output = arena("match", "rule28", "bots/plain.py", "--games", "201").text
    assert "rule28-vs-plain: playing 1 pairing (202 games)." in output
    found = told("results/rule28-vs-plain/match.json")
    assert (found["games"], found["sprt"]) == (202, None)
    assert "confidence sequence" not in output
    again = arena("match", "rule28", "bots/plain.py", "--games", "201").text
    assert "rule28-vs-plain: the pairing is in the ledger; nothing to play." in again


def test_a_single_deal_is_one(arena: Arena) -> None:
    assert "2 games, 1 deal in" in arena("match", "rule28", "random", "--games", "2").text


@pytest.mark.slow
def test_the_counts_are_those_of_the_games(arena: Arena) -> None:
    arena("match", "rule28", "plain", "--games", "300", "--rules", "jump")
    folder = "results/rule28-vs-plain-jump"
    counts = told(f"{folder}/match.json")["pentanomial"]
    assert sum(counts) == 150
    arena("run", f"{folder}/tournament.yaml", "--quiet")
    standings = told(f"{folder}/summary.json")["standings"]
    shares = {row["bot"]: row["score"] for row in standings}
    points = sum(count * half / 2 for half, count in enumerate(counts))
    assert points / 300 == pytest.approx(shares["rule28"], abs=1e-9)


CLOSE = ("match", "glenn-aloi", "rule28", "--sprt", "70", "90", "--seed", "1")


@pytest.mark.slow
def test_a_match_is_the_same_for_any_number_of_workers_and_in_steps(arena: Arena) -> None:
    for workers in ("1", "2"):
        arena(*CLOSE, "--workers", workers, "--results", workers)
    folder = "glenn-aloi-vs-rule28"
    assert bytes_of(f"1/{folder}") == bytes_of(f"2/{folder}")
    assert told(f"1/{folder}/match.json")["games"] > 1000
    output = arena(*CLOSE, "--games", "500", "--results", "steps").text
    assert "Neither hypothesis is accepted" in output
    assert told(f"steps/{folder}/match.json")["games"] == 500
    arena(*CLOSE, "--results", "steps")
    names = ("match.json", "tournament.yaml")
    assert bytes_of(f"steps/{folder}", names) == bytes_of(f"1/{folder}", names)


@pytest.mark.slow
def test_a_test_looks_at_deals_in_their_order_whatever_has_been_played(arena: Arena) -> None:
    arena(*CLOSE, "--results", "tested")
    arena("match", "glenn-aloi", "rule28", "--games", "8000", "--results", "more", "--seed", "1")
    arena(*CLOSE, "--results", "more")
    folder = "glenn-aloi-vs-rule28"
    more, tested = (told(f"{results}/{folder}/match.json") for results in ("more", "tested"))
    assert more["pentanomial"] == tested["pentanomial"] and more["sprt"] == tested["sprt"]
    assert more["games"] == tested["games"], "the deals after the test's end are not among them"


def test_a_match_with_a_disqualified_bot_is_over_whatever_of_its_games_is_stored() -> None:
    """How many of them are depends on who was playing."""
    cover = SimpleNamespace(disqualified=lambda: {1: []})
    ending = MatchEnding(tournament(2, 2, 1000), Sprt(0, 5))
    session: Any = SimpleNamespace(cover=cover)
    assert ending.is_reached(session, 100, RunObserver())
    assert ending.state is None and not ending.counts.any()


def test_a_bot_may_play_itself(arena: Arena) -> None:
    output = arena("match", "rule28", "rule28", "--sprt", "0", "20").text
    assert "rule28 against rule28 again" in output
    assert "H0 is accepted: rule28 is less than 20 Elo stronger" in output
    assert "the length of the test cannot be estimated" in output


@pytest.mark.slow
def test_faults_of_a_match_are_told(arena: Arena) -> None:
    output = arena(
        "match",
        "rule28",
        "bad",
        "--games",
        "20",
        bots={"bad": PLAIN.replace("turn.rolls < 3", "1 / 0")},
    ).text
    assert "ZeroDivisionError" in output
    assert "arena replay results/rule28-vs-bad/tournament.yaml" in output
    output = arena("match", "rule28", "bad", "--sprt", "0", "5", code=3).text
    assert "bad is disqualified" in output
    assert "more games are needed" not in output, "no game with it would count"


@pytest.mark.slow
def test_a_match_has_the_seed_of_the_last_one_unless_fresh(arena: Arena) -> None:
    words = ("match", "rule28", "random", "--games", "20")
    stored = "Seed {}, from results/rule28-vs-random; --fresh draws another."
    for seed in ("1", "2", "1"):
        assert "--fresh" not in arena(*words, "--seed", seed).error
        again = arena(*words)
        assert stored.format(seed) in again.error
        assert "the pairing is in the ledger; nothing to play" in again.text
    assert "playing 1 pairing" in arena(*words, "--fresh").text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rule28"], "Missing argument 'B'"),
        (["rule28", "randon"], "unknown bot 'randon' (did you mean 'random'?)"),
        (["rule28", "bots/none.py"], "there is no file bots/none.py"),
        (["rule28", "random", "--sprt", "5", "0"], "the lower one first, not 5 0"),
        (["rule28", "random", "--sprt", "0", "0"], "the lower one first"),
        (["rule28", "random", "--sprt", "nan", "5"], "the lower one first"),
        (["rule28", "random", "--sprt", "0"], "'--sprt'"),
        (["rule28", "random", "--sprt", "0", "5", "--alpha", "0.5"], "'--alpha'"),
        (["rule28", "random", "--sprt", "0", "5", "--beta", "0"], "'--beta'"),
        (["rule28", "random", "--sprt", "0", "5", "--beta", "nan"], "nan is not a finite number"),
        (["rule28", "random", "--sprt", "0", "5", "--beta", "nan"], "nan is not a finite number"),
        (["rule28", "random", "--games", "0"], "'--games'"),
        (["rule28", "random", "--rules", "jmp"], "did you mean 'jump'?"),
    ],
)
def test_a_match_that_makes_no_sense_is_refused(
    arena: Arena, words: list[str], message: str
) -> None:
    assert message in arena("match", *words, code=2).error


@pytest.mark.parametrize(
    ("elo", "counts", "claim"),
    [
        ((0, 5), (0, 0, 0, 0, 9000), "H1 is accepted: a is stronger than b."),
        ((0, 5), (9000, 0, 0, 0, 0), "H0 is accepted: a is less than 5 Elo stronger than b."),
        ((-5, 0), (9000, 0, 0, 0, 0), "H0 is accepted: a is weaker than b."),
        ((-5, 0), (0, 0, 0, 0, 9000), "H1 is accepted: a is less than 5 Elo weaker than b."),
        ((-9, -5), (9000, 0, 0, 0, 0), "H0 is accepted: a is more than 5 Elo weaker than b."),
        ((3, 8), (0, 0, 0, 0, 9000), "H1 is accepted: a is more than 3 Elo stronger than b."),
    ],
)
def test_a_verdict_is_a_plain_sentence(
    elo: tuple[float, float], counts: tuple[int, ...], claim: str
) -> None:
    estimates = Estimate(0.5, 0.4, 0.6), Estimate(0.0, -5.0, 5.0)
    test = Sprt(*elo)
    found = MatchFinding(("a", "b"), 18_000, counts, test, test.state(counts), *estimates, 2, 2, {})
    text = match_text(found)
    rate = "False-positive" if claim.startswith("H1") else "False-negative"
    assert f"{claim} {rate} rate: at most 5%." in text
    assert "nan" not in text and "inf" not in text


# --- plan -----------------------------------------------------------------------------------------


def test_a_plan_tells_deals_games_and_time(arena: Arena) -> None:
    output = arena("plan", "--difference", "0.01", "--seconds", "0.2").text
    assert output.startswith("rule28 against glenn-aloi, classic rules; trial games: ")
    assert (
        "0.01 in score (such as 50.5% to 49.5%) with 80% power at 5% significance you need"
        in output
    )
    (deals, games) = (
        int(re.findall(rf"^{what} +([\d,]+)$", output, re.MULTILINE)[0].replace(",", ""))
        for what in ("deals", "games")
    )
    assert games == 2 * deals
    assert 20_000 < deals < 50_000
    assert re.search(r"^time here +[\d.,]+ (s|minutes)$", output, re.MULTILINE)


@pytest.mark.slow
def test_a_plan_for_elo_and_more_players(arena: Arena) -> None:
    words = ("--elo", "--difference", "5", "--power", "0.9", "--seconds", "0.1")
    output = arena("plan", "rule28", "plain", "random", "--players", "3", *words).text
    assert "rule28 against plain (with random), classic rules" in output
    assert "To detect a difference of 5 Elo with 90% power" in output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Missing option '--difference'"),
        (["--difference", "0"], "--difference of two scores must be from 1e-06 to 1, not 0"),
        (["--difference", "1e-300"], "must be from 1e-06 to 1, not 1e-300"),
        (["--difference", "5"], "to 1, not 5; add --elo for a difference in Elo"),
        (["--difference", "nan"], "not nan"),
        (["--difference", "5000", "--elo"], "--difference of Elo must be from 1e-06 to 1000"),
        (["--difference", "0.1", "--power", "0.03"], "--power 0.03 must be above --alpha 0.05"),
        (["--difference", "0.1", "--power", "1"], "'--power'"),
        (["--difference", "0.1", "--players", "1"], "'--players'"),
        (["--difference", "0.1", "rule28"], "2 players need 2 bots, not 1"),
        (["--difference", "0.1", "rule28", "randon"], "did you mean 'random'?"),
        (["--difference", "0.1", "--rules", "jmp"], "did you mean 'jump'?"),
        (["--difference", "0.1", "--seconds", "nan"], "nan is not a finite number"),
        (["--difference", "0.1", "--power", "nan"], "nan is not a finite number"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(
    arena: Arena, words: list[str], message: str
) -> None:
    assert message in arena("plan", *words, code=2).error


def test_as_many_deals_as_planned_find_the_difference_as_often_as_wanted() -> None:
    """Simulated deals of two games, the first bot ahead by 0.1 in score."""
    generator, runs = np.random.default_rng(1980), 400
    shares, parts = (0.2, 0.5, 0.3), np.array([0, 1, 2]) * WIN_UNITS
    pilot = parts[generator.choice(3, 20_000, p=shares)]
    won = np.stack([pilot, 2 * WIN_UNITS - pilot], axis=1)
    plan = plan_of(CostQuestion(0.1, False, 0.8, 0.05), won, games_per_deal=2)
    assert plan.deals is not None
    points = generator.choice(parts, (runs, plan.deals), p=shares) / WIN_UNITS - 1
    deviates = points.mean(axis=1) / points.std(axis=1, ddof=1) * sqrt(plan.deals)
    assert (np.abs(deviates) > 1.96).mean() == pytest.approx(0.8, abs=0.05)


def test_elo_costs_as_many_deals_as_the_score_that_goes_with_it() -> None:
    """Where both are equal, a point of Elo is ln 10 / 800 of a difference in score."""
    half = np.array([0, WIN_UNITS, WIN_UNITS, 2 * WIN_UNITS] * 25)
    won = np.stack([half, 2 * WIN_UNITS - half], axis=1)
    elo = plan_of(CostQuestion(5, True, 0.8, 0.05), won, games_per_deal=2).deals
    share = plan_of(CostQuestion(5 * log(10) / 800, False, 0.8, 0.05), won, games_per_deal=2).deals
    assert elo == share


def test_a_plan_for_many_seats_reckons_in_their_parts_of_a_won_game() -> None:
    """At seven seats a won game has more parts than at two."""
    won = np.array([[4, 2, 1], [2, 4, 1]]).repeat((30, 20), axis=0) @ np.eye(3, 7, dtype=np.int64)
    plan = plan_of(CostQuestion(0.1, False, 0.8, 0.05), won * win_units(7), games_per_deal=10)
    assert plan.observed and plan.observed[0] == pytest.approx(0.2 * (30 - 20) / 50)


def test_who_never_wins_has_no_elo_to_plan_for() -> None:
    won = np.array([[2 * WIN_UNITS, 0]] * 100)
    plan = plan_of(CostQuestion(5, True, 0.8, 0.05), won, games_per_deal=2)
    assert "won none of them" in plan_text(plan, ("a", "b"), "classic", 100.0, 2)


def test_a_pilot_in_which_nothing_varied_does_not_tell_what_a_difference_costs() -> None:
    """Two deals would do if nothing varied, which a hundred deals do not prove."""
    for won in ([2 * WIN_UNITS, 0], [WIN_UNITS, WIN_UNITS]):
        plan = plan_of(
            CostQuestion(0.01, False, 0.8, 0.05), np.array([won] * 100), games_per_deal=2
        )
        assert plan.deals is None
        text = plan_text(plan, ("a", "b"), "classic", 100.0, 2)
        assert "a difference of +" in text
        assert "All its deals had the same result" in text
        assert "±" not in text


def test_long_times_are_told_in_units_of_their_own() -> None:
    half = np.array([0, WIN_UNITS, WIN_UNITS, 2 * WIN_UNITS] * 25)
    won = np.stack([half, 2 * WIN_UNITS - half], axis=1)
    plan = plan_of(CostQuestion(0.01, False, 0.8, 0.05), won, games_per_deal=2)
    for speed, time in ((1e6, "s"), (100, "minutes"), (2, "hours"), (0.1, "days")):
        assert re.search(f"time here .* {time}\n", plan_text(plan, ("a", "b"), "x", speed, 2))
