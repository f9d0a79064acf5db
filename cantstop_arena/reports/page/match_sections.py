"""The sections of a match's page: the test or the score, the deals, the seats, how they play."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, log2, sqrt

import msgspec
from markupsafe import Markup

from cantstop_arena.deals.outcomes import win_units
from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.charts import Tick, chart, label_at, path, ribbon
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.pages.html_table import Cell, Head, HtmlRow, row_table
from cantstop_arena.pages.marks import block, dot, drawing, grid, interval, number, scale
from cantstop_arena.pages.number_text import percent, plain, signed, with_error
from cantstop_arena.pages.vertical_scale import scale_around
from cantstop_arena.ratings.estimate import Estimate, wilson
from cantstop_arena.ratings.sequential.sprt import TestState
from cantstop_arena.ratings.significance import student_quantile
from cantstop_arena.reports.match_report import MatchFinding, test_claims, verdict
from cantstop_arena.reports.page.convergence_section import PastAnalysis
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, estimate_text, interval_texts
from cantstop_arena.tables.styles import styles
from cantstop_arena.texts import capitalised, how_many, listed

_HEIGHT, _MARGIN = 260, 8
_ROW = 28
_AS_EXPECTED = 0.25  # of the expected games: within it a test is as long as expected
_POINTS = (("0", "loses both"), ("½", ""), ("1", "wins one of two"), ("1½", ""), ("2", "wins both"))
_SEATS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")

Looks = Sequence[tuple[int, TestState]]
"""The deals of each look of a test, and its state there."""


# The test ------------------------------------------------------------------------------------


def test_section(result: MatchFinding, looks: Looks) -> Section:
    """The section on the test of a match: the ratio by deals, its bounds, and its length."""
    figures = [Figure(_ratio_chart(result, looks), _RATIO_CAPTION)] if looks else []
    if result.expected:
        figures.append(Figure(_lengths(result, result.expected), _LENGTH_CAPTION))
    texts = [" ".join([*test_claims(result, plain), verdict(result)])]
    return Section("test", "Test", texts, figures, finding=_ending(result))


_RATIO_CAPTION = (
    "Log-likelihood ratio of H1 against H0 at each look. Above the upper line H1 is accepted, below"
    " the lower one H0; between them the match goes on."
)
_LENGTH_CAPTION = "Games that a test with these bounds takes on average, and those it took."


def _ending(result: MatchFinding) -> str:
    """How long the test took, by what is expected at the observed score."""
    if result.state and result.state.repeated:
        return "The test has no verdict"
    deals = how_many(result.deals, "deal")
    if result.accepted is None:
        return f"The test has not ended after {deals}"
    expected = result.expected
    if not expected:
        return f"The test ended after {deals}"
    share = result.deals * result.games_per_deal / max(1, expected["estimate"])
    if abs(share - 1) <= _AS_EXPECTED:
        return f"The test ended after {deals}, as expected at this score"
    when = "later" if share > 1 else "sooner"
    return f"The test ended after {deals}, {when} than expected at this score"


def _ratio_chart(result: MatchFinding, looks: Looks) -> Markup:
    test = result.test
    assert test is not None
    points = [(0, 0.0), *((deals, state.ratio) for deals, state in looks)]
    ends = [test.lower * 1.4, test.upper * 1.4]
    up = scale_around([*ends, *(ratio for _, ratio in points)], _HEIGHT, _MARGIN)
    across = axis_around([0, points[-1][0]], pad=0.6, max_ticks=7)
    spots = [(across.at(deals), up.y(ratio)) for deals, ratio in points]
    last_x, last_y = spots[-1]
    y1, y0 = up.y(test.upper), up.y(test.lower)
    claim = "H{} is accepted at {} or {}"
    end = f"LLR {plain(points[-1][1], 2)}"  # short, as names of the zones are beside it
    end_y = last_y - 10 if points[-1][1] >= 0 else min(last_y + 18, _HEIGHT - 4)
    marks = [
        element("rect", class_="zone-p", x=0, width="100%", y=0, height=number(y1)),
        element(
            "rect", class_="zone-n", x=0, width="100%", y=number(y0), height=number(_HEIGHT - y0)
        ),
        *(
            element("line", class_=f"bound h{which}", x1=0, x2="100%", y1=number(y), y2=number(y))
            for which, y in ((1, y1), (0, y0))
        ),
        label_at(0, y1 - 7, claim.format(1, plain(test.upper, 2), "above"), "note-of", 8),
        label_at(0, y0 + 16, claim.format(0, plain(test.lower, 2), "below"), "note-of", 8),
        path(spots, _HEIGHT, "walk"),
        *(_spot(x, y, 3) for x, y in spots[1:-1]),
        _spot(last_x, last_y, 5),
        label_at(last_x, end_y, end, "best", 9),
    ]
    ticks = [Tick(value, f"{value:,.0f}") for value in across.ticks(7)]
    label = f"Log-likelihood ratio by deals, {end} after {looks[-1][0]:,} deals"
    return chart(up, across, ticks, marks, label, "Log-likelihood ratio", "deals", zero=0)


def _spot(x: float, y: float, radius: float) -> Markup:
    return element("circle", class_="end", cx=f"{number(x)}%", cy=number(y), r=number(radius))


def _lengths(result: MatchFinding, expected: Mapping[str, int]) -> Markup:
    played = result.deals * result.games_per_deal
    bars = [
        ("played", played, "filled best"),
        ("expected at this score", expected["estimate"], "filled"),
        ("expected if H0 is true", expected["h0"], "bin outer"),
        ("expected if H1 is true", expected["h1"], "bin outer"),
    ]
    axis = axis_around([0, *(games for _, games, _ in bars)], pad=0.6, max_ticks=6)
    ticks = axis.ticks(5)
    heads = [
        Head("Test", "bot", sorts=False),
        Head("Games", "plot", sorts=False, axis=scale(axis, ticks)),
        Head("Games", sorts=False),
    ]
    rows = [
        HtmlRow(
            [
                Cell(name, "bot", heads_row=True),
                Cell(
                    drawing(24, *grid(axis, ticks, 24, 0), block(axis, 0, games, 6, 12, kind)),
                    "plot",
                ),
                Cell(f"{games:,}", value=games, label="Games"),
            ]
        )
        for name, games, kind in bars
    ]
    return row_table("rows lengths-of", "Length of the test", heads, rows)


# The score -----------------------------------------------------------------------------------


def score_section(
    analysis: Analysis, result: MatchFinding, past: Sequence[PastAnalysis]
) -> Section:
    """The section of a match without a test: how the interval of the score has narrowed."""
    moments = [*past, PastAnalysis(result.deals_played, analysis)]
    scores = [
        (moment.deals, score)
        for moment in moments
        if result.bots[0] in moment.analysis.results.bots
        for score in [_score_of(moment.analysis, result.bots[0])]
        if score.mean is not None and score.low is not None and score.high is not None
    ]
    even = 1 / result.players
    low, high = result.score.low, result.score.high
    if low is None and high is None:
        return Section("score", "Score", ["One deal has no interval: play more games."])
    is_open = (low or 0) <= even <= (1 if high is None else high)
    half, both = interval_texts(result.score, 1, 100, plain)
    takes = "takes in" if is_open else "leaves out"
    finding = f"The interval of the score, {both}, {takes} {percent(even, 0)}"
    if half:
        finding = f"The interval has narrowed to ± {half} points and {takes} {percent(even, 0)}"
    figures = [Figure(_narrowing(result, scores), _SCORE_CAPTION)] if len(scores) > 2 else []
    return Section("score", "Score", (), figures, finding=finding)


_SCORE_CAPTION = (
    "Score with its 95% interval after each doubling of the deals. The interval is for one look at"
    " the end, not for stopping when it leaves the line: use a test for that."
)


def _score_of(analysis: Analysis, bot: str) -> Estimate:
    return analysis.scores[analysis.results.bots.index(bot)]


def _times(value: float | None, multiplier: float) -> float | None:
    return None if value is None else multiplier * value


def _narrowing(result: MatchFinding, scores: Sequence[tuple[int, Estimate]]) -> Markup:
    even = 100 / result.players
    ends = [100 * end for _, score in scores for end in score if end is not None]
    up = scale_around([*ends, even], _HEIGHT, _MARGIN)
    across = Axis(log2(scores[0][0]), log2(scores[-1][0]), 1.5)
    points = [
        (across.at(log2(deals)), *(up.y(100 * (end or 0)) for end in score))
        for deals, score in scores
    ]
    last_x, last_y, _, high_y = points[-1]
    text = f"{percent(scores[-1][1].mean or 0)}"
    y = number(up.y(even))
    marks = [
        element("line", class_="bound even", x1=0, x2="100%", y1=y, y2=y),
        ribbon([(x, low, high) for x, _, low, high in points], _HEIGHT),
        path([(x, mean) for x, mean, _, _ in points], _HEIGHT, "walk"),
        *(_spot(x, mean, 3) for x, mean, _, _ in points[:-1]),
        _spot(last_x, last_y, 5),
        label_at(last_x, high_y - 10, text, "best", 4),
    ]
    ticks = [Tick(log2(deals), f"{deals:,}") for deals, _ in scores]
    label = f"Score of {result.bots[0]} with its interval by deals"
    title = f"Score of {result.bots[0]}"
    return chart(up, across, ticks, marks, label, title, "deals, doubled at each step", "%")


# The deals -----------------------------------------------------------------------------------


def deals_section(result: MatchFinding) -> Section:
    """The section of the deals of a match of two by points, beside those of equal bots."""
    counts, deals = result.counts, result.deals
    equal = [(this + that) / 2 for this, that in zip(counts, reversed(counts), strict=True)]
    visible = [index for index in range(len(counts)) if equal[index]]
    peak = max(100 * counts[index] / deals for index in visible)
    axis = Axis(0, 5 * ceil(peak / 5), 0.6)
    ticks = axis.ticks(6)
    heads = [
        Head("Points in a deal", "bot", sorts=False),
        Head("Share of deals", "plot", sorts=False, axis=scale(axis, ticks, "%")),
        Head("Deals", sorts=False),
        Head("Share", sorts=False),
        Head("If equal", sorts=False),
    ]
    rows = []
    for index in visible:
        share, level = 100 * counts[index] / deals, 100 * equal[index] / deals
        name, what = _POINTS[index]
        bars = [
            *grid(axis, ticks, 46, 0),
            block(axis, 0, share, 8, 14, "filled best"),
            block(axis, 0, level, 25, 10, "bin outer"),
        ]
        label = join_markup(name, " ", element("span", what, class_="versus"))
        rows.append(
            HtmlRow(
                [
                    Cell(label, "bot", heads_row=True),
                    Cell(drawing(46, *bars), "plot"),
                    Cell(f"{counts[index]:,}", label="Deals"),
                    Cell(f"{plain(share)}%", label="Share"),
                    Cell(f"{plain(level)}%", "num weak", label="If equal"),
                ]
            )
        )
    caption = (
        "Blue: this match. Grey: two bots of equal strength with as many split deals. Points that"
        " no deal had are left out."
    )
    won = counts[0] + counts[-1]
    finding = f"{percent(won / deals, 0)} of the deals are won twice by the same bot"
    text = (
        f"A deal is one set of dice or cards, played in both seatings, so luck that helps both"
        f" seatings alike cancels. {result.bots[0]} won {counts[-1]:,} deals twice and"
        f" {result.bots[1]} {counts[0]:,}; the others are split."
    )
    figure = Figure(row_table("rows deals", "Points of a deal", heads, rows), caption)
    return Section("deals", "Deals", [text], [figure], finding=finding)


# The seats -----------------------------------------------------------------------------------


class _SeatScore(msgspec.Struct, frozen=True):
    """The first bot's score in a seat, in percent, with its interval."""

    seat: int
    score: Estimate
    games: int


def seat_section(analysis: Analysis, result: MatchFinding) -> Section:
    """The section of the first bot's score in each seat, luck left in."""
    scores = list(_seat_scores(analysis, result.bots[0]))
    even = 100 / result.players
    axis = axis_around([even, *(end for each in scores for end in each.score)], max_ticks=6)
    ticks = axis.ticks(6)
    heads = [
        Head(result.bots[0], "bot", sorts=False),
        Head("Score", "plot", sorts=False, axis=scale(axis, ticks, "%")),
        Head("Score %", sorts=False),
        Head("Games", sorts=False),
    ]
    rows = []
    for each in scores:
        marks = [
            *grid(axis, ticks, _ROW),
            *grid(axis, [even], _ROW, even),
            interval(axis, each.score, _ROW / 2, "best" if each.seat == 0 else "hollow"),
        ]
        name = f"moving {_SEATS[each.seat]}"
        rows.append(
            HtmlRow(
                [
                    Cell(name, "bot", heads_row=True),
                    Cell(drawing(_ROW, *marks), "plot"),
                    Cell(with_error(each.score, 1), value=each.score.mean, label="Score %"),
                    Cell(f"{each.games:,}", value=each.games, label="Games"),
                ]
            )
        )
    figure = Figure(
        row_table("rows by-seat", "Score by seat", heads, rows),
        f"Bands: 95% intervals. {result.bots[1]} has the rest of each seat's games.",
    )
    return Section("seats", "Moving first", (), [figure], finding=_gap_text(result, scores))


def _seat_scores(analysis: Analysis, bot: str) -> Iterator[_SeatScore]:
    """The score of a bot in each seat; the games of a seat are of different deals."""
    index, units = analysis.results.bots.index(bot), win_units(analysis.results.players)
    for seat in range(analysis.results.players):
        tallies = [
            tally for seating, tally in analysis.results.tallies.items() if seating[seat] == index
        ]
        games = sum(tally.games for tally in tallies)
        if games:
            score = sum(tally.wins[seat] for tally in tallies) / units / games
            deviate = student_quantile(max(1, games - 1))
            low, high = wilson(score, games, deviate)
            yield _SeatScore(seat, Estimate(100 * score, 100 * low, 100 * high), games)


def _gap_text(result: MatchFinding, scores: Sequence[_SeatScore]) -> str:
    """What moving first is worth; with more than two seats, the best and the worst seat."""
    if len(scores) < 2:
        return "All games were played in one seat"
    if result.players > 2:
        best, worst = (choose(scores, key=_mean) for choose in (max, min))
        return (
            f"From {plain(_mean(worst))}% moving {_SEATS[worst.seat]}"
            f" to {plain(_mean(best))}% moving {_SEATS[best.seat]}"
        )
    gap = _mean(scores[0]) - _mean(scores[1])
    half = _half_of_gap(result, scores)
    ends = Estimate(gap, gap - half, gap + half)
    if not half:
        return "All deals ended alike, so nothing tells what moving first is worth"
    if abs(gap) <= half:
        gap_text = estimate_text(ends, 1, number_text=signed, unit=" points")
        return f"Whether moving first matters stays open: {gap_text}"
    which = "first" if gap > 0 else "second"
    return f"Moving {which} is worth {with_error(ends.unsigned, 1, unit=' points')}"


def _mean(each: _SeatScore) -> float:
    return each.score.mean or 0


def _half_of_gap(result: MatchFinding, scores: Sequence[_SeatScore]) -> float:
    """Half the 95% interval of the gap, in points: the two games of a deal share its luck.

    With the scores x and y of a deal, var(x - y) = 2 (var x + var y) - var(x + y), and the counts
    of deals have the last one.
    """
    deals = result.deals
    points = [2 * index / (len(result.counts) - 1) for index in range(len(result.counts))]
    mean = sum(point * count for point, count in zip(points, result.counts, strict=True)) / deals
    squares = zip(points, result.counts, strict=True)
    of_sum = sum(count * (point - mean) ** 2 for point, count in squares) / deals
    shares = [_mean(each) / 100 for each in scores]
    variance = max(0.0, 2 * sum(share * (1 - share) for share in shares) - of_sum)
    return 100 * student_quantile(max(1, deals - 1)) * sqrt(variance / scores[0].games)


# How they play -------------------------------------------------------------------------------


_MIN_DEALS = 30  # for a sentence on the largest differences
_FEW = "Too few deals to say how they differ"


def differences_section(analysis: Analysis, result: MatchFinding) -> Section:
    """The section of the styles of both bots side by side, a row for each rate of the game."""
    table = styles(analysis)
    by_bot = {row[0]: row for row in table.rows}
    pairs = list[tuple[Column, float, float]]()
    for index, column in enumerate(table.columns[1:], start=1):
        first, second = (by_bot[bot][index] for bot in result.bots)
        if isinstance(first, int | float) and isinstance(second, int | float):
            pairs.append((column, first, second))
    rows = [HtmlRow(_style_cells(result.bots, *pair)) for pair in pairs]
    heads = [
        Head("Measure", "bot", sorts=False),
        Head("From zero", "plot", sorts=False),
        *(Head(bot, "num own", sorts=False) for bot in result.bots),
        Head("Difference", sorts=False),
    ]
    caption = (
        f"Filled: {result.bots[0]}, open: {result.bots[1]}; each row has its own scale from zero."
        " The results have sums of all games only, so differences have no intervals;"
        " arena export writes each game."
    )
    figures = [Figure(row_table("rows styles-of", "How they play", heads, rows), caption)]
    return Section(
        "styles",
        "How they differ",
        (),
        figures if rows else (),
        finding=_largest(pairs) if result.deals_played >= _MIN_DEALS else _FEW,
    )


def _style_cells(bots: Sequence[str], column: Column, first: float, second: float) -> list[Cell]:
    top = max(abs(first), abs(second)) or 1
    axis = Axis(0, 1.05 * top, 1)
    spots = [f"{number(axis.at(value))}%" for value in (first, second)]
    middle = _ROW / 2
    marks = [
        element("line", class_="rule", x1="1%", x2="100%", y1=middle, y2=middle),
        element("line", class_="stem", x1=spots[0], x2=spots[1], y1=middle, y2=middle),
        dot(axis, second, middle, "hollow", 4),
        dot(axis, first, middle, "", 4),
    ]
    return [
        Cell(_measure(column), "bot", heads_row=True),
        Cell(drawing(_ROW, *marks), "plot"),
        *(
            Cell(_style_text(column, value), "num own", label=bot)
            for bot, value in zip(bots, (first, second), strict=True)
        ),
        Cell(_gap(column, first - second), label="Difference"),
    ]


def _measure(column: Column) -> str:
    return capitalised(column.heading.removesuffix(" %"))


def _style_text(column: Column, value: float) -> str:
    return percent(value) if column.percent else plain(value, 2)


def _gap(column: Column, gap: float) -> str:
    return f"{signed(100 * gap)} points" if column.percent else signed(gap, 2)


def _largest(pairs: Sequence[tuple[Column, float, float]]) -> str:
    """The measures in which the bots differ most, by the ratio of their values."""
    sized = [
        (abs(first - second) / max(abs(first), abs(second)), column)
        for column, first, second in pairs
        if first != second
    ]
    if not sized:
        return "They play alike"
    sized.sort(key=lambda item: -item[0])
    return f"They differ most in {listed([_measure(column).lower() for _, column in sized[:2]])}"
