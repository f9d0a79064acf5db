"""What it means to sit right after each bot, where the game asks for it (`Counts.followed`)."""

from cantstop_arena.deals.predecessor_sums import Position, Quotients
from cantstop_arena.ratings.distributions import student_quantile
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Estimate, Table, estimate, number

_DECIMALS = 2


def predecessors(analysis: Analysis, errors: bool = True) -> Table:
    """A row for each bot that one may sit after: what that brings, and how much each bot counts."""
    counted, names, order = _counted(analysis), analysis.results.bots, analysis.order
    function = [estimate, number][not errors]
    columns = [
        Column("after", "after"),
        estimate("more", f"{counted} more", _DECIMALS),
        *(function(f"{counted} of {names[bot]}", names[bot], decimals=_DECIMALS) for bot in order),
    ]
    rows = [
        (
            names[bot],
            effect(analysis, bot),
            *(_after(analysis, item, bot, errors) for item in order),
        )
        for bot in (order if analysis.results.predecessors else ())
    ]
    return Table("predecessors", "Sitting after", columns, rows, notes(analysis))


def following(analysis: Analysis) -> Table:
    """The same for programs: a row for each bot and each that it sits after."""
    names, order = analysis.results.bots, analysis.order
    columns = [Column("bot", "bot"), Column("after", "after")]
    pairs = [(item, other) for item in order for other in order if item != other]
    rows = [
        (names[item], names[other], _after(analysis, item, other))
        for item, other in (pairs if analysis.results.predecessors else ())
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
    result = analysis.results.predecessors
    return _estimate(result.effects, (bot,)) if result else Estimate(None)


def _after(
    analysis: Analysis, bot: int, other: int, errors: bool = True
) -> Estimate | float | None:
    result = analysis.results.predecessors
    if result is None or bot == other:
        return None
    return _estimate(result.after, (bot, other)) if errors else result.after.mean((bot, other))


def _estimate(result: Quotients, position: Position) -> Estimate:
    mean, error = result.mean(position), result.error(position)
    if mean is None or error is None:
        return Estimate(mean)
    reach = student_quantile(int(result.deals[position]) - 1) * error
    return Estimate(mean, mean - reach, mean + reach)


def _counted(analysis: Analysis) -> str:
    return analysis.results.counts.followed


# In words --------------------------------------------------------------------------------------


def notes(analysis: Analysis) -> list[str]:
    """After whom it is best and worst to sit, and after the first in the standings."""
    if not analysis.results.predecessors:
        return []
    matches = [(bot, effect(analysis, bot)) for bot in analysis.order]
    names = [(bot, data) for bot, data in matches if data.low is not None]
    if not names:
        return [_LEGEND]
    best = max(names, key=lambda item: item[1].mean or 0)[0]
    worst = min(names, key=lambda item: item[1].mean or 0)[0]
    fields = dict.fromkeys([best, worst, names[0][0]])
    return [*(_note(analysis, bot) for bot in fields), _LEGEND]


_LEGEND = (
    "More: how much more a game those count who sit right after the bot than with it elsewhere at"
    " the table, among the same bots on the same deals. Then what each bot counts right after it."
    " Intervals cover 95%, deals being the units."
)


def _note(analysis: Analysis, bot: int) -> str:
    data, name = effect(analysis, bot), analysis.results.bots[bot]
    assert data.mean is not None and data.low is not None and data.high is not None
    by = f"{abs(data.mean):.{_DECIMALS}f} ± {(data.high - data.low) / 2:.{_DECIMALS}f}"
    first = ", the first in the standings," if bot == analysis.order[0] else ""
    counted = _counted(analysis)
    if data.low > 0:
        return f"To sit right after {name}{first} brings {by} {counted} a game."
    if data.high < 0:
        return f"To sit right after {name}{first} costs {by} {counted} a game."
    return (
        f"Whether to sit right after {name}{first} brings or costs {counted} stays open"
        f" ({data.mean:+.{_DECIMALS}f} ± {(data.high - data.low) / 2:.{_DECIMALS}f} a game)."
    )
