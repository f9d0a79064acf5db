"""The first-player advantage: each seat's share of the wins, and each bot's score by seat."""

from collections.abc import Iterator, Sequence

from cantstop_arena.deals.outcomes import win_units
from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element
from cantstop_arena.pages.html_table import (
    Cell,
    Head,
    HtmlRow,
    PageColumn,
    html_table,
    name_cell,
    row_table,
)
from cantstop_arena.pages.marks import dot, drawing, grid, interval, number, scale
from cantstop_arena.pages.number_text import (
    number_with_error,
    plain,
    signed,
    with_error,
)
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.analysis import Analysis, of_points
from cantstop_arena.tables.seats import Seat, effect, predecessors, seats

_HEIGHT = 28
_TURNS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth")


def seats_section(analysis: Analysis) -> Section:
    """The section of the seats, for games of several players."""
    figures = [_by_seat(analysis), *_by_bot(analysis)]
    return Section("seats", "First-player advantage", figures=figures, finding=_finding(analysis))


def _finding(analysis: Analysis) -> str:
    first = analysis.ratings.first_seat
    if first is None or first.low is None or first.high is None:
        return "First-player advantage: not estimable from these games"
    estimate = of_points(first)
    elo = with_error(estimate.unsigned, 1)
    others = "" if analysis.results.players == 2 else ", against the mean of the other seats"
    if first.low <= 0 <= first.high:
        return f"First-player advantage: inconclusive, {with_error(estimate, 1)} Elo{others}"
    return f"Moving first {'is worth' if first.points > 0 else 'costs'} {elo} Elo{others}"


# Seats --------------------------------------------------------------------------------------


def _by_seat(analysis: Analysis) -> Figure:
    even = 100 / analysis.results.players
    ends = [100 * end for share, _ in analysis.seats for end in share if end is not None]
    axis = axis_around([*ends, even])
    ticks = axis.ticks(6)
    plot_head = Head("Share of the wins", "plot", sorts=False, axis=scale(axis, ticks, "%"))
    own = [
        PageColumn(0, Head("Seat", "bot"), _seat_name),
        PageColumn(1, plot_head, lambda seat: _seat_plot(axis, ticks, even, seat)),
    ]
    caption = (
        f"Dot and band: share of the wins and its 95% interval; even: {plain(even)}%. Elo: against"
        " the mean of all seats, bots being equal."
    )
    return Figure(html_table(seats(analysis), own, "rows by-seat"), caption)


def _seat_name(seat: Seat) -> Cell:
    return name_cell(_TURNS[seat.seat - 1] if seat.seat <= len(_TURNS) else f"Seat {seat.seat}")


def _seat_plot(axis: Axis, ticks: Sequence[float], even: float, seat: Seat) -> Cell:
    marks = [*grid(axis, ticks, _HEIGHT), *grid(axis, [even], _HEIGHT, zero=even)]
    kind = "best" if seat.seat == 1 else "hollow"
    return Cell(drawing(_HEIGHT, *marks, interval(axis, seat.percent, _HEIGHT / 2, kind)), "plot")


# Bots ---------------------------------------------------------------------------------------


def _by_bot(analysis: Analysis) -> Iterator[Figure]:
    scores = list(_scores(analysis))
    if not scores:
        return
    axis = Axis(0, 100, 1.5)
    ticks = axis.ticks(5)
    later = "second" if analysis.results.players == 2 else "later"
    heads = [
        Head("Bot", "bot"),
        Head(f"Score moving first and {later}", "plot", sorts=False, axis=scale(axis, ticks, "%")),
        Head("First %"),
        Head(f"{later.capitalize()} %"),
        Head("Gap"),
    ]
    rows = [HtmlRow(_bot_cells(axis, ticks, later, *score)) for score in scores]
    caption = (
        f"Score in percent moving first (filled) and {later} (open); gap in percentage points."
    )
    yield Figure(row_table("rows by-seat", "Score by seat", heads, rows), caption)


def _scores(analysis: Analysis) -> Iterator[tuple[str, float, float]]:
    """Each bot's name and its scores, in percent, in the first seat and in the others."""
    parts, size = win_units(analysis.results.players), len(analysis.results.bots)
    won, games = ([[0, 0] for _ in range(size)] for _ in range(2))
    for seating, tally in analysis.results.tallies.items():
        for seat, bot in enumerate(seating):
            won[bot][seat > 0] += tally.wins[seat]
            games[bot][seat > 0] += tally.games
    for bot in analysis.order:
        if all(games[bot]):
            first, later = (100 * won[bot][at] / parts / games[bot][at] for at in (0, 1))
            yield analysis.results.bots[bot], first, later


def _bot_cells(
    axis: Axis, ticks: Sequence[float], later: str, name: str, first: float, other: float
) -> list[Cell]:
    middle = _HEIGHT / 2
    spots = [f"{number(axis.at(share))}%" for share in (first, other)]
    stem = element("line", class_="stem", x1=spots[0], x2=spots[1], y1=middle, y2=middle)
    dots = [dot(axis, other, middle, "hollow"), dot(axis, first, middle)]
    return [
        name_cell(name),
        Cell(drawing(_HEIGHT, *grid(axis, ticks, _HEIGHT, zero=50), stem, *dots), "plot"),
        Cell(plain(first), value=first, label="First %"),
        Cell(plain(other), value=other, label=f"{later.capitalize()} %"),
        Cell(signed(first - other), value=first - other, label="Gap"),
    ]


def predecessors_section(analysis: Analysis) -> Section:
    """The section of the effect of sitting right after each bot."""
    table = predecessors(analysis)
    finding, *paragraphs = table.notes or ("Not estimable from these games",)
    return Section(
        "predecessors",
        table.title,
        paragraphs,
        figures=_effects(analysis),
        tables=[table],
        finding=finding.rstrip("."),
        folded=True,
    )


def _effects(analysis: Analysis) -> list[Figure]:
    effects = [(analysis.results.bots[bot], effect(analysis, bot)) for bot in analysis.order]
    ends = [end for _, estimate in effects for end in estimate if end is not None]
    if not ends:
        return []
    axis = axis_around([*ends, 0])
    ticks, counted = axis.ticks(6), analysis.results.counts.followed
    heads = [
        Head("Right after", "bot"),
        Head(f"More {counted} a game", "plot", sorts=False, axis=scale(axis, ticks)),
        Head(counted.capitalize()),
    ]
    estimates = ((name, estimate) for name, estimate in effects if estimate.mean is not None)
    rows = [HtmlRow(_cells(axis, ticks, name, estimate)) for name, estimate in estimates]
    caption = (
        f"Dot and band: more {counted} a game than with the bot elsewhere, and its 95% interval."
    )
    return [Figure(row_table("rows", "Sitting after", heads, rows), caption)]


def _cells(axis: Axis, ticks: Sequence[float], name: str, estimate: Estimate) -> list[Cell]:
    marks = [*grid(axis, ticks, _HEIGHT), *grid(axis, [0], _HEIGHT, zero=0)]
    return [
        name_cell(name),
        Cell(drawing(_HEIGHT, *marks, interval(axis, estimate, _HEIGHT / 2)), "plot"),
        Cell(number_with_error(estimate, 2), value=estimate.mean, label="Effect"),
    ]
