"""The page of `arena design`: which rules meet the targets, each target a figure with its range."""

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup
from msgspec.structs import replace

from cantstop_arena.extensions.design.design_file import DesignTarget
from cantstop_arena.extensions.design.design_tables import (
    changes_text,
    decimals_of,
    design_notes,
    rounds_lines,
    target_text,
    tried_table,
)
from cantstop_arena.extensions.design.profile_report import design_headline
from cantstop_arena.extensions.design.rule_design import (
    DROPPED,
    FINAL,
    HOLDS,
    MISSES,
    OPEN,
    DesignTotals,
    JudgedRules,
)
from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Document, Fact, Figure, Section
from cantstop_arena.pages.html_table import Cell, Head, HtmlRow, name_cell, row_table
from cantstop_arena.pages.marks import drawing, grid, interval, line, scale
from cantstop_arena.pages.number_text import number_with_error
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.reports.page.facts import origin, source
from cantstop_arena.reports.page.standings_section import ROW_HEIGHT
from cantstop_arena.texts import how_many, listed

_CAPTION = (
    "Dot: value; band: interval, corrected for all these rules and all targets. Vertical lines: the"
    " target."
)
_LOOKS: Mapping[str, str] = {HOLDS: "best", OPEN: "hollow", MISSES: "less", DROPPED: "less"}
_WITHIN, _OUTSIDE = "within", "outside"
_VERDICTS = (
    (HOLDS, "Hold", "every interval lies within its target"),
    (OPEN, "Open", "more deals would decide it"),
)


def document(design: DesignTotals, command: str, file: str, configuration: str) -> Document:
    """The page of a design; `command` plays it again, from a `file` with this configuration."""
    shown = [rules for rules in design.judged if rules.round == FINAL] or [*design.judged[:1]]
    seats = how_many(design.players, "seat")
    return Document(
        title=design.name,
        about=f"rules to targets: {design.title}, {design.rules} rules, {seats}",
        answer=[*design_notes(design)],
        sections=[
            *(_target_section(design, target, shown) for target in design.targets),
            _rules_section(design),
            _origin(design, command, file, configuration),
        ],
        headline=design_headline(design),
        facts=[*_facts(design)],
        source=source(design.name, str(design.seed), how_many(design.games, "game")),
    )


def _facts(design: DesignTotals) -> Iterator[Fact]:
    tried = len(design.judged)
    rounds = how_many(len(design.rounds), "round")
    yield Fact("Tried", f"{tried:,}", "", f"rule sets in {rounds}, all combinations")
    for verdict, label, note in _VERDICTS:
        yield Fact(label, f"{len(design.with_verdict(verdict)):,}", "", note)
    missing, dropped = (len(design.with_verdict(verdict)) for verdict in (MISSES, DROPPED))
    note = f"{missing:,} surely miss a target, {dropped:,} dropped as farther from them"
    yield Fact("Out", f"{missing + dropped:,}", "", note)


def _target_section(
    design: DesignTotals, target: DesignTarget, shown: Sequence[JudgedRules]
) -> Section:
    """The values of rules for one target, and its range."""
    scaling, decimals = 100 if target.is_share else 1, decimals_of(target)
    unit = "%" if target.is_share else ""
    low, high = scaling * target.low, scaling * target.high
    values = [(rules.values[target.key] or Estimate(None)).scaled(scaling) for rules in shown]
    axis = axis_around([low, high, *(end for value in values for end in value)])
    ticks = axis.ticks(5)
    name, heading = target_text(target), f"{target.key}, %" if target.is_share else target.key
    heads = [
        Head("Rules", "bot", sorts=False),
        Head("Interval", "plot", sorts=False, axis=scale(axis, ticks, unit)),
        Head("Value", sorts=False),
    ]
    body = [
        HtmlRow(
            [
                name_cell(changes_text(rules, design)),
                Cell(_plot(axis, ticks, (low, high), value, _LOOKS[rules.verdict]), "plot"),
                Cell(number_with_error(value, decimals), label=heading),
            ]
        )
        for rules, value in zip(shown, values, strict=True)
    ]
    figure = Figure(row_table("rows profile", name, heads, body), _CAPTION)
    finding = f"{name}: {_lying(design, shown, [_side(value, low, high) for value in values])}"
    return Section(target.key.replace("_", "-"), target.key, figures=[figure], finding=finding)


def _side(value: Estimate, low: float, high: float) -> str:
    """Where the whole interval of a value lies, if it is on one side of the target's ends."""
    if value.low is None or value.high is None:
        return OPEN
    if low <= value.low and value.high <= high:
        return _WITHIN
    return _OUTSIDE if value.high < low or value.low > high else OPEN


def _lying(design: DesignTotals, shown: Sequence[JudgedRules], sides: Sequence[str]) -> str:
    """How many rules lie within a target with their whole intervals; of one its name."""
    if len(shown) == 1:
        verb = "stays" if sides[0] == OPEN else "lies"
        return f"{changes_text(shown[0], design)} {verb} {sides[0]}"
    counts = ((sides.count(side), side) for side in (_WITHIN, OPEN, _OUTSIDE))
    parts = listed([f"{count:,} {side}" for count, side in counts if count])
    return f"of {len(shown):,} rule sets {parts}"


def _plot(
    axis: Axis, ticks: Sequence[float], ends: tuple[float, float], value: Estimate, look: str
) -> Markup:
    return drawing(
        ROW_HEIGHT,
        *grid(axis, ticks, ROW_HEIGHT),
        interval(axis, value, ROW_HEIGHT / 2, look),
        *(line(axis, end, ROW_HEIGHT, "mark") for end in ends),
    )


def _rules_section(design: DesignTotals) -> Section:
    """All rules that were tried, and what the rounds have left."""
    return Section(
        "tried",
        "All rules",
        paragraphs=[*rounds_lines(design)],
        tables=[tried_table(design)],
        open=True,
        finding=f"{how_many(len(design.judged), 'rule set')} tried",
    )


def _origin(design: DesignTotals, command: str, file: str, configuration: str) -> Section:
    """The command, and the file that it reads."""
    section = origin(command, file, configuration, [("seed", str(design.seed))])
    text = "The number of workers changes nothing. This command plays the same games again:"
    return replace(section, paragraphs=[text])
