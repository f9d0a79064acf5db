"""The cost of an experiment: deals, games and time to find a difference between two bots."""

from collections.abc import Sequence
from math import log, sqrt

import msgspec
from tabulate import tabulate

from cantstop_arena.deals.sampling import Ints
from cantstop_arena.deals.winners import win_units
from cantstop_arena.ratings.distributions import student_quantile
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.sequential.planning import deals_needed
from cantstop_arena.tables.column import Column, Table, Value, estimate, number
from cantstop_arena.tables.escaping import printable

ROUNDING = 1e-12  # relative to the greatest square of a deal: a smaller variance is rounding error
_ELO = 400 / log(10)  # points for each unit of strength
_NO_VARIANCE = "All its deals had the same result: the cost of a difference cannot be estimated."
_UNITS = ((86_400, "days"), (3_600, "hours"), (60, "minutes"))


class CostQuestion(msgspec.Struct, frozen=True):
    """A difference between two bots, in score or in Elo, with the test's power and alpha."""

    difference: float
    elo: bool
    power: float
    alpha: float


class CostPlan(msgspec.Struct, frozen=True):
    """The cost of a question: `deals`, estimated from the variance per deal of a short pilot.

    `observed` is the difference in the pilot and half the width of its 95% interval; None where
    Elo cannot be estimated, as one of the two won no game. `deals` is None then, and where all
    deals of the pilot had the same result, as their variance is unknown.
    """

    question: CostQuestion
    players: int
    games_per_deal: int
    trial_deals: int
    observed: tuple[float, float] | None
    deals: int | None


def plan_of(question: CostQuestion, won: Ints, games_per_deal: int) -> CostPlan:
    """The cost of a question about the first two bots of a lineup.

    `won`, of shape (deals, players), is what each bot won in each deal of a pilot, in win units.
    """
    deals, players = won.shape
    first, second = won[:, 0] / win_units(players), won[:, 1] / win_units(players)
    if question.elo:
        if not (first.any() and second.any()):
            return CostPlan(question, players, games_per_deal, deals, None, None)
        # Luce's strengths of a single group are the logarithms of what its bots won; a deal moves
        # their difference by what it adds to each, as a share of what it won on average.
        estimate = _ELO * log(first.mean() / second.mean())
        moved = _ELO * (first / first.mean() - second / second.mean())
    else:
        moved = (first - second) / games_per_deal
        estimate = float(moved.mean())
    variance = float(moved.var(ddof=1))
    if variance <= ROUNDING * float((moved**2).max()):
        return CostPlan(question, players, games_per_deal, deals, (estimate, 0.0), None)
    error = student_quantile(deals - 1) * sqrt(variance / deals)
    needed = deals_needed(question.difference, variance, question.power, question.alpha)
    return CostPlan(question, players, games_per_deal, deals, (estimate, error), needed)


def plan_text(
    plan: CostPlan,
    bots: Sequence[str],
    rules: str,
    games_per_second: float,
    cores: int,
    fault: str = "",
) -> str:
    """A plan as text for the terminal; `games_per_second` is the speed of one core.

    `fault` is about the faults in the trial games, if there were any.
    """
    first, second, *others = map(printable, bots)
    with_others = f" (with {', '.join(others)})" if others else ""
    header = (
        f"{first} against {second}{with_others}, {rules} rules; trial games:"
        f" {plan.trial_deals:,} deals, {plan.trial_deals * plan.games_per_deal:,} games."
        + (f"\n{printable(fault)}" if fault else "")
    )
    if plan.observed is None:
        return (
            f"{header}\nOne of the two won none of them: the trial games do not determine the cost"
            " in Elo."
        )
    if plan.deals is None:
        return f"{header}\n{_trial_text(plan)}\n{_NO_VARIANCE}"
    games = plan.deals * plan.games_per_deal
    rows = [
        ["deals", f"{plan.deals:,}"],
        ["games", f"{games:,}"],
        ["time here", _duration(games / games_per_second / cores)],
    ]
    table = tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=["left", "right"])
    speed = f"{games_per_second:,.0f} games a second on a core, {cores} cores."
    return "\n\n".join(
        [f"{header}\n{_trial_text(plan)}", _question_text(plan.question, plan), table, speed]
    )


def plan_table(
    plan: CostPlan,
    bots: Sequence[str],
    rules: str,
    games_per_second: float,
    cores: int,
    fault: str = "",
) -> Table:
    """A plan as a table of one row; unknown values are empty."""
    question, observed = plan.question, Estimate(None)
    if plan.observed is not None:
        mean, error = plan.observed
        observed = Estimate(mean, mean - error, mean + error)
    games = None if plan.deals is None else plan.deals * plan.games_per_deal
    cells: list[tuple[Column, Value]] = [
        (Column("bot", "bot"), bots[0]),
        (Column("against", "against"), ", ".join(bots[1:])),
        (Column("rules", "rules"), rules),
        (number("difference", decimals=4), question.difference),
        (Column("unit", "in"), "Elo" if question.elo else "score"),
        (number("power", decimals=2), question.power),
        (number("alpha", decimals=2), question.alpha),
        (number("trial_deals", "trial deals"), plan.trial_deals),
        (estimate("observed", "observed", 4), observed),
        (number("deals"), plan.deals),
        (number("games"), games),
        (number("seconds"), None if games is None else games / games_per_second / cores),
    ]
    columns, row = zip(*cells, strict=True)
    return Table("plan", "", columns, [row], [fault] if fault else [])


def _trial_text(plan: CostPlan) -> str:
    assert plan.observed is not None
    estimate, error = plan.observed
    unit, decimals = ("Elo", 1) if plan.question.elo else ("in score", 4)
    reach = f" ± {error:.{decimals}f}" if error else ""
    return f"The trial games show a difference of {estimate:+.{decimals}f}{reach} {unit}."


def _question_text(question: CostQuestion, plan: CostPlan) -> str:
    size = abs(question.difference)
    what = f"{size:g} Elo" if question.elo else f"{size:g} in score{_example(size, plan.players)}"
    return (
        f"To detect a difference of {what} with {100 * question.power:g}% power at"
        f" {100 * question.alpha:g}% significance you need"
    )


def _example(size: float, players: int) -> str:
    high, low = (100 / players + sign * 50 * size for sign in (1, -1))
    return f" (such as {high:g}% to {low:g}%)" if low >= 0 else ""


def _duration(seconds: float) -> str:
    for unit, name in _UNITS:
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.0f} {name}"
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.2g} s"
