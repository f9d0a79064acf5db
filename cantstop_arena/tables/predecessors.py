"""What it means to sit right after each bot, where the game asks for it (`Counts.followed`)."""

from cantstop_arena.deals.predecessor_sums import Position, Quotients
from cantstop_arena.ratings.distributions import student_quantile
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Estimate, Table, estimate, number

_DECIMALS = 2


def predecessors(analysis: Analysis, errors: bool = True) -> Table:
    """A row for each bot that one may sit after: what that brings, and how much each bot counts."""
    counted, names, order = _counted(analysis), analysis.results.bots, analysis.order
    shown = [estimate, number][not errors]
    columns = [
        Column("after", "after"),
        estimate("more", f"{counted} more", _DECIMALS),
        *(shown(f"{counted} of {names[bot]}", names[bot], decimals=_DECIMALS) for bot in order),
    ]
    rows = [
        (names[bot], effect(analysis, bot), *(_after(analysis, one, bot, errors) for one in order))
        for bot in (order if analysis.results.predecessors else ())
    ]
    return Table("predecessors", "Sitting after", columns, rows, notes(analysis))


def following(analysis: Analysis) -> Table:
    """The same for programs: a row for each bot and each that it sits after."""
    names, order = analysis.results.bots, analysis.order
    columns = [Column("bot", "bot"), Column("after", "after")]
    pairs = [(one, other) for one in order for other in order if one != other]
    rows = [
        (names[one], names[other], _after(analysis, one, other))
        for one, other in (pairs if analysis.results.predecessors else ())
    ]
    counted = _counted(analysis)
    return Table(
        "predecessors", "Sitting after", [*columns, estimate(counted, counted, _DECIMALS)], rows
    )


def effects(analysis: Analysis) -> Table:
    """What it brings to sit right after each bot, for programs."""
    names, order = analysis.results.bots, analysis.order
    rows = [(names[bot], effect(analysis, bot)) for bot in order]
    columns = [Column("after", "after"), estimate("more", "more", _DECIMALS)]
    return Table("effects", "", columns, rows if analysis.results.predecessors else ())


def effect(analysis: Analysis, bot: int) -> Estimate:
    """How much more a game whoever sits right after a bot counts than with it elsewhere."""
    found = analysis.results.predecessors
    return _estimate(found.effects, (bot,)) if found else Estimate(None)


def _after(
    analysis: Analysis, bot: int, other: int, errors: bool = True
) -> Estimate | float | None:
    found = analysis.results.predecessors
    if found is None or bot == other:
        return None
    return _estimate(found.after, (bot, other)) if errors else found.after.mean((bot, other))


def _estimate(found: Quotients, place: Position) -> Estimate:
    mean, error = found.mean(place), found.error(place)
    if mean is None or error is None:
        return Estimate(mean)
    reach = student_quantile(int(found.deals[place]) - 1) * error
    return Estimate(mean, mean - reach, mean + reach)


def _counted(analysis: Analysis) -> str:
    return analysis.results.counts.followed


# In words --------------------------------------------------------------------------------------


def notes(analysis: Analysis) -> list[str]:
    """After whom it is best and worst to sit, and after the first in the standings."""
    if not analysis.results.predecessors:
        return []
    found = [(bot, effect(analysis, bot)) for bot in analysis.order]
    known = [(bot, told) for bot, told in found if told.low is not None]
    if not known:
        return [_LEGEND]
    best = max(known, key=lambda one: one[1].mean or 0)[0]
    worst = min(known, key=lambda one: one[1].mean or 0)[0]
    said = dict.fromkeys([best, worst, known[0][0]])
    return [*(_said(analysis, bot) for bot in said), _LEGEND]


_LEGEND = (
    "More: how much more a game those count who sit right after the bot than with it elsewhere at"
    " the table, among the same bots on the same deals. Then what each bot counts right after it."
    " Intervals cover 95%, deals being the units."
)


def _said(analysis: Analysis, bot: int) -> str:
    told, name = effect(analysis, bot), analysis.results.bots[bot]
    assert told.mean is not None and told.low is not None and told.high is not None
    by = f"{abs(told.mean):.{_DECIMALS}f} ± {(told.high - told.low) / 2:.{_DECIMALS}f}"
    first = ", the first in the standings," if bot == analysis.order[0] else ""
    counted = _counted(analysis)
    if told.low > 0:
        return f"To sit right after {name}{first} brings {by} {counted} a game."
    if told.high < 0:
        return f"To sit right after {name}{first} costs {by} {counted} a game."
    return (
        f"Whether to sit right after {name}{first} brings or costs {counted} stays open"
        f" ({told.mean:+.{_DECIMALS}f} ± {(told.high - told.low) / 2:.{_DECIMALS}f} a game)."
    )
