"""The numbers at the top of a tournament page: rating, lead, LOS, first-player advantage."""

from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from platform import python_version

from markupsafe import Markup

from cantstop_arena import __version__
from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Fact, Listing, Section
from cantstop_arena.pages.elements import element
from cantstop_arena.pages.marks import dot, drawing, interval, line
from cantstop_arena.pages.number_text import error_of, likelihood, percent, plain, signed
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.reports.headline import duel, lead, playing, top
from cantstop_arena.tables.analysis import Analysis, of_points
from cantstop_arena.tables.column import Column, Table

_HEIGHT, _BASE, MIDDLE = 36, 19.5, 11
_LABEL_WIDTH = 20  # percent of a small axis that a label takes
_LETTER = 3.6  # and a letter on a phone


def facts(analysis: Analysis) -> list[Fact]:
    """The facts of a tournament in which bots meet: rating, lead, LOS, first-player advantage.

    Facts that cannot be estimated are left out.
    """
    if analysis.is_solo or not analysis.games:
        return []
    if len(analysis.fields) > 1:
        return [*_first_player(analysis)]
    return [*_rating(analysis), *_lead(analysis), *_first_player(analysis)]


def _rating(analysis: Analysis) -> Iterator[Fact]:
    bot = top(analysis)[0]
    elo, score = analysis.elo[bot], analysis.scores[bot]
    if elo.mean is None or score.mean is None:
        return
    note = f"{analysis.results.bots[bot]} scores {percent(score.mean)} against the field"
    yield Fact("Rating", plain(elo.mean), f"{error_of(elo, 1)} Elo", note, _field(analysis))


def _lead(analysis: Analysis) -> Iterator[Fact]:
    points, pair = lead(analysis), duel(analysis)
    if points is None or pair is None:
        return
    ahead, second = of_points(points), analysis.results.bots[pair[1]]
    error, plot = f"{error_of(ahead, 1)} Elo", _on_axis(analysis, ahead)
    side = "ahead of" if points.points >= 0 else "behind"
    yield Fact("Lead", signed(points.points), error, f"{side} {second}", plot)
    superiority = analysis.superiority(*pair)
    if superiority is not None:
        certain = f"likelihood of superiority over {second}, in this field"
        yield Fact("LOS", likelihood(superiority), "", certain)


def _first_player(analysis: Analysis) -> Iterator[Fact]:
    first = analysis.ratings.first_seat
    share = analysis.seats[0][0].mean
    if first is None or first.low is None or share is None:
        return
    estimate, players = of_points(first), analysis.results.players
    even = "" if players == 2 else f", even is {percent(1 / players)}"
    note = f"{percent(share)} of the wins to the first seat{even}"
    number, plot = signed(first.points), _on_axis(analysis, estimate)
    yield Fact("First-player advantage", number, f"{error_of(estimate, 1)} Elo", note, plot)


# Drawings -----------------------------------------------------------------------------------


def _field(analysis: Analysis) -> Markup:
    """All ratings as dots on an axis, highlighted that of the bot in question."""
    bots, highlighted = playing(analysis), top(analysis)[0]
    axis = axis_around([analysis.elo[bot].mean for bot in bots])
    dots = [
        dot(axis, analysis.elo[bot].mean or 0, MIDDLE, "" if bot == highlighted else "grey", 3)
        for bot in reversed(bots)
    ]
    return _mini(axis, dots, [(axis.low, plain(axis.low, 0))])


def _on_axis(analysis: Analysis, estimate: Estimate) -> Markup:
    """A difference on the axis of all differences of the page, which contains 0."""
    points = [point for point in (lead(analysis), analysis.ratings.first_seat) if point]
    axis = axis_around([0, *(end for point in points for end in of_points(point))], pad=1)
    marks = [line(axis, 0, _BASE, "zero"), interval(axis, estimate, MIDDLE, "best")]
    return _mini(axis, marks, [(0, "0")])


def _mini(axis: Axis, marks: Sequence[Markup], ticks: Sequence[tuple[float, str]]) -> Markup:
    base = element("line", class_="rule", x1=0, x2="100%", y1=_BASE, y2=_BASE)
    labels = [
        element(
            "text",
            text,
            class_="tick",
            x=f"{axis.at(value) if value > axis.low else 0}%",
            y=_HEIGHT - 3,
            text_anchor=None if value > axis.low else "start",
        )
        for value, text in ticks
    ]
    end = element(
        "text",
        f"{plain(axis.high, 0)} Elo",
        class_="tick",
        x="100%",
        y=_HEIGHT - 3,
        text_anchor="end",
    )
    return drawing(_HEIGHT, base, *marks, *labels, end, kind="mini")


def marked_axis(
    axis: Axis, marks: Sequence[Markup], values: Sequence[tuple[float, str]], unit: str
) -> Markup:
    """Marks above an axis on which some values are named; where these are near, in one text.

    The ends of the axis are named where that leaves room.
    """
    base = element("line", class_="rule", x1=0, x2="100%", y1=_BASE, y2=_BASE)
    lines = [line(axis, value, _BASE, "mark") for value, _ in values]
    named: list[tuple[float, str]] = []
    for value, text in sorted(values):
        if named and axis.at(value) - named[-1][0] < _LABEL_WIDTH:
            spot, before = named.pop()
            named.append((spot, f"{before} · {text}"))
        else:
            named.append((axis.at(value), text))
    taken = [*named]
    for end in (axis.low, axis.high):
        spot, decimals = axis.at(end), 0 if float(end).is_integer() else 1
        text = f"{plain(end, decimals)}{unit}"
        if all(
            abs(spot - other) > max(2 * _LABEL_WIDTH, _LETTER * (len(text) + len(name) / 2))
            for other, name in taken
        ):
            named.append((spot, text))
    labels = [
        element(
            "text",
            text,
            class_="tick",
            x=f"{'0' if spot < 15 else '100' if spot > 85 else spot}%",
            y=_HEIGHT - 3,
            text_anchor="start" if spot < 15 else "end" if spot > 85 else None,
        )
        for spot, text in named
    ]
    return drawing(_HEIGHT, base, *lines, *marks, *labels, kind="mini")


PACKAGES = ("numba", "numpy", "Jinja2")


def origin(command: str, file: str, text: str, about: list[tuple[str, str]]) -> Section:
    """The section on reproducing results; `text` is the content of the configuration `file`."""
    return Section(
        key="origin",
        title="Reproducing these results",
        finding="One command plays the same games again",
        paragraphs=[
            "Games depend on the configuration and its seed alone, not on the number of workers."
            " In the folder of these results this command plays them again, into a folder of"
            " their own:"
        ],
        tables=[_facts(about)],
        listings=[
            Listing("The command", command),
            Listing(f"The configuration: {file}", text, folded=True),
        ],
        open=True,
        folded=True,
    )


def source(name: str, seed: str, games: str) -> str:
    """The citation of a figure. It has no date, so that equal results give equal bytes."""
    return f"{name} · seed {seed} · {games} · arena {__version__}"


def _facts(about: list[tuple[str, str]]) -> Table:
    rows = [*about, ("cantstop-arena", __version__), ("Python", python_version())]
    rows += [(name, _version(name)) for name in PACKAGES]
    return Table(
        "facts", "Seed and versions", [Column("what", "what"), Column("value", "value")], rows
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # importable, but not installed as a package
        return "unknown"
