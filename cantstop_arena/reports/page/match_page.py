"""The page of a match: the verdict of its test or the score, and what it rests on."""

import shlex
from collections.abc import Iterator, Sequence

from markupsafe import Markup
from msgspec.structs import replace

from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.pages.axes import axis_around
from cantstop_arena.pages.document import Document, Fact, Listing, Section
from cantstop_arena.pages.marks import interval
from cantstop_arena.pages.number_text import error_of, likelihood, percent, plain, signed
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.reports.match_report import MatchFinding, match_headline
from cantstop_arena.reports.page import games_section
from cantstop_arena.reports.page.convergence_section import PastAnalysis
from cantstop_arena.reports.page.facts import MIDDLE, marked_axis, origin, source
from cantstop_arena.reports.page.faults_section import faults_section
from cantstop_arena.reports.page.games_section import Recorded
from cantstop_arena.reports.page.match_sections import (
    Looks,
    deals_section,
    differences_section,
    score_section,
    seat_section,
    test_section,
)
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.notes import SINGLE_RATING, about_standings
from cantstop_arena.texts import how_many, middle_shortened
from cantstop_arena.tournaments.tournament import RESOLVED

_MAX_NAME = 30  # letters of a name in the heading
_ERROR = 0.05  # alpha and beta, if no others are given


def document(
    analysis: Analysis,
    result: MatchFinding,
    past: Sequence[PastAnalysis],
    looks: Looks,
    recorded: Sequence[Recorded],
    stored_sections: Sequence[Section],
    configuration: str,
    versions: Sequence[tuple[str, str]],
) -> Document:
    """The page of a match.

    `past` are the analyses after fewer deals, `looks` is that of the test, `recorded` the games to
    play back, and `stored_sections` those that commands of the game have stored. `configuration`
    is the file with all defaults, `versions` has what identifies each bot.
    """
    results = analysis.results
    seed = "several" if results.seed is None else str(results.seed)
    game = game_named(results.game)
    sections = [
        *_played_sections(analysis, result, past, looks, recorded),
        *stored_sections,
        faults_section(analysis),
        _origin(analysis, result, seed, configuration, versions),
    ]
    return Document(
        title=results.name,
        about=f"{game.title}, {results.rules.get('name', '')} rules, {results.players} players",
        answer=_answer(analysis, result),
        sections=sections,
        headline=match_headline(_with_short_names(result)),
        facts=list(_facts(analysis, result)) if result.deals else [],
        source=source(results.name, seed, how_many(analysis.games, "game")),
    )


def _with_short_names(result: MatchFinding) -> MatchFinding:
    """The finding with names that leave room in a heading; tables have all of them."""
    first, second = (middle_shortened(name, _MAX_NAME) for name in result.bots)
    return replace(result, bots=(first, second))


def _answer(analysis: Analysis, result: MatchFinding) -> list[str]:
    if not result.deals:
        return [*result.disqualified.values()] or ["Nothing has been played yet."]
    orders = "both seatings" if result.players == 2 else f"{result.games_per_deal} orders"
    deals = how_many(result.deals_played, "deal")
    played = f"{how_many(result.games, 'game')}: {deals} in {orders}."
    if result.test:
        scored = f"{result.bots[0]} scores {percent(result.score.mean or 0)}."
        return [f"{scored} {played}", *_notes(analysis, result)]
    return [played, *_notes(analysis, result)]


def _notes(analysis: Analysis, result: MatchFinding) -> list[str]:
    """What limits the numbers; the model's fit says nothing of two bots.

    The page of a single deal has no Elo, and so nothing about it.
    """
    if len(analysis.results.bots) > 2:
        return []
    needless = {label.text for label in analysis.ratings.labels if result.deals_played == 1}
    return [
        note
        for note in about_standings(analysis)
        if SINGLE_RATING not in note and note not in needless
    ]


def _played_sections(
    analysis: Analysis,
    result: MatchFinding,
    past: Sequence[PastAnalysis],
    looks: Looks,
    recorded: Sequence[Recorded],
) -> Iterator[Section]:
    if not result.deals:
        return
    if result.test and result.state:
        yield test_section(result, looks)
    else:
        yield score_section(analysis, result, past)
    if result.players == 2 and result.deals > 1:
        yield deals_section(result)
    if result.deals_played > 1:
        yield seat_section(analysis, result)
    has_rates = analysis.results.counts.rates and analysis.forfeits < analysis.games
    if has_rates and result.players == 2 and result.deals_played > 1:
        yield differences_section(analysis, result)
    if recorded:
        yield games_section.section(game_named(analysis.results.game), recorded)


# Facts ---------------------------------------------------------------------------------------


def _facts(analysis: Analysis, result: MatchFinding) -> Iterator[Fact]:
    if result.by_payoff and result.ahead:
        yield from _payoff_facts(result)
    elif result.elo.mean is not None and not result.elo.low is result.elo.high is None:
        yield _elo_fact(result)
    if result.score.mean is not None:
        yield _score_fact(result)
    if result.test and result.state:
        yield _test_fact(result)
        yield _games_fact(result)
        return
    pair = [analysis.results.bots.index(bot) for bot in result.bots]
    superiority = analysis.superiority(*pair) if result.players == 2 else None
    if superiority is not None and result.deals_played > 1:
        note = f"likelihood of superiority over {result.bots[1]}"
        yield Fact("LOS", likelihood(superiority), "", note)
    yield _games_fact(result)


def _elo_fact(result: MatchFinding) -> Fact:
    """The lead in Elo, on an axis with 0 and the hypotheses."""
    marks = [(0.0, "0")]
    if result.test and not result.test.unit:
        test = result.test
        marks = [
            (test.elo0, f"H0 {signed(test.elo0, 0)}"),
            (test.elo1, f"H1 {signed(test.elo1, 0)}"),
        ]
        marks = [*marks, *([(0.0, "0")] if 0 not in (test.elo0, test.elo1) else [])]
    side = "ahead of" if (result.elo.mean or 0) >= 0 else "behind"
    note = f"{side} {_rival(result)}{_any_look(result)}"
    error = error_of(result.elo, 1)
    plot = _on_axis(result.elo, marks, " Elo")
    return Fact("Lead", signed(result.elo.mean or 0), f"{error} Elo".lstrip(), note, plot)


def _rival(result: MatchFinding) -> str:
    name = result.bots[1]
    return name if result.players == 2 else f"{name} in the other {result.players - 1} seats"


def _any_look(result: MatchFinding) -> str:
    return ", valid at any stopping time" if result.test else ""


def _score_fact(result: MatchFinding) -> Fact:
    score = result.score.scaled(100)
    even = 100 / result.players
    error = error_of(result.score, 1, 100)
    note = f"of the points; an even score is {plain(even, 0 if even.is_integer() else 1)}%"
    plot = None
    if score.low is not None or score.high is not None:
        plot = _on_axis(score, [(even, f"{plain(even, 0)}%")], "%")
    return Fact("Score", percent(result.score.mean or 0), error, note, plot)


def _on_axis(estimate: Estimate, marks: Sequence[tuple[float, str]], unit: str) -> Markup:
    ends = [end for end in estimate if end is not None]
    axis = axis_around([*ends, *(value for value, _ in marks)], pad=4, max_ticks=6)
    inside = any(
        (estimate.low is None or estimate.low <= value)
        and (estimate.high is None or value <= estimate.high)
        for value, _ in marks
    )
    kind = "hollow" if inside and len(marks) == 1 else "best"
    return marked_axis(axis, [interval(axis, estimate, MIDDLE, kind)], marks, unit)


def _payoff_facts(result: MatchFinding) -> Iterator[Fact]:
    ahead = result.ahead
    assert ahead is not None
    if ahead.mean is not None:
        error = error_of(ahead, 3)
        note = f"{result.unit} a game more than {_rival(result)}"
        marks = [(0.0, "0")]
        if result.test:
            ends = (result.test.elo0, result.test.elo1)
            marks = [(value, f"H{which} {value:g}") for which, value in enumerate(ends)]
        has_interval = ahead.low is not None or ahead.high is not None
        plot = _on_axis(ahead, marks, "") if has_interval else None
        yield Fact("Ahead", signed(ahead.mean, 3), error, note, plot)


def _test_fact(result: MatchFinding) -> Fact:
    test, state = result.test, result.state
    assert test is not None and state is not None
    accepted = result.accepted
    rate = 100 * (test.beta if accepted == 0 else test.alpha)
    wrong = "false-negative" if accepted == 0 else "false-positive"
    bounds = f"± {plain(test.upper, 2)}"
    if abs(test.upper + test.lower) > 1e-9:
        bounds = f"{plain(test.lower, 2)} and {plain(test.upper, 2)}"
    note = f"bounds {bounds}; {wrong} rate at most {rate:g}%"
    value = "open" if accepted is None else f"H{accepted} accepted"
    return Fact("Test", value, f"LLR {plain(state.ratio, 2)}", note)


def _games_fact(result: MatchFinding) -> Fact:
    deals = how_many(result.deals_played, "deal")
    note = f"{deals}, each played in {how_many(result.games_per_deal, 'seating')}"
    if result.test and (expected := result.expected):
        note = f"{expected['estimate']:,} expected at this score"
    return Fact("Games", f"{result.games:,}", "", note)


# Reproducing ---------------------------------------------------------------------------------


def _origin(
    analysis: Analysis,
    result: MatchFinding,
    seed: str,
    configuration: str,
    versions: Sequence[tuple[str, str]],
) -> Section:
    command = _command(analysis, result, seed)
    section = origin(command, RESOLVED, configuration, [("seed", seed), *versions])
    if not (more := _continuation(result)):
        return section
    listings = [*section.listings[:1], Listing("To decide it", more), *section.listings[1:]]
    return replace(section, listings=listings)


def _command_line(result: MatchFinding) -> list[str]:
    return ["arena", "match", *result.bots]


def _command(analysis: Analysis, result: MatchFinding, seed: str) -> str:
    """The command that plays the match again."""
    results, test = analysis.results, result.test
    command_line = _command_line(result)
    if test:
        command_line += ["--sprt", f"{test.elo0:g}", f"{test.elo1:g}"]
        command_line += ["--alpha", f"{test.alpha:g}"] if test.alpha != _ERROR else []
        command_line += ["--beta", f"{test.beta:g}"] if test.beta != _ERROR else []
    else:
        command_line += ["--games", str(result.games_asked_for or result.games)]
    command_line += ["--game", results.game] if results.game != DEFAULT else []
    rules = str(results.rules.get("name", ""))
    game = game_named(results.game)
    command_line += ["--rules", rules] if rules and rules != game.rules.default.name else []
    command_line += ["--players", str(result.players)] if result.players > 2 else []
    command_line += ["--luck-removed"] if result.luck_removed else []
    return shlex.join([*command_line, "--seed", seed, "--results", "again"])


def _continuation(result: MatchFinding) -> str:
    """The command that goes on where nothing is decided; empty elsewhere."""
    if not result.deals or (result.state and result.state.repeated):
        return ""
    if result.test:
        if result.accepted is not None:
            return ""
        test = result.test
        command_line = [
            "--sprt",
            f"{test.elo0:g}",
            f"{test.elo1:g}",
            "--games",
            str(4 * result.games),
        ]
        return shlex.join([*_command_line(result), *command_line])
    low, high = result.score.low, result.score.high
    is_open = (low or 0) <= 1 / result.players <= (1 if high is None else high)
    return shlex.join([*_command_line(result), "--sprt", "0", "5"]) if is_open else ""
