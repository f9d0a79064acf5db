"""The cost of an experiment: deals, games and time to find a difference between two bots."""

from collections.abc import Sequence
from math import log

import msgspec
from msgspec.structs import replace
from tabulate import tabulate

from cantstop_arena.deals.outcomes import win_units
from cantstop_arena.deals.sampling import Ints
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.mean_error import mean_error
from cantstop_arena.ratings.sequential.planning import deals_needed, error_at_even
from cantstop_arena.ratings.sequential.sprt import score_of
from cantstop_arena.tables.column import (
    Column,
    Table,
    Value,
    estimate,
    estimate_text,
    number,
    signed_text,
)
from cantstop_arena.texts import printable

_ELO = 400 / log(10)  # points for each unit of strength
_NO_VARIANCE = "All its deals had the same result: the cost of a difference cannot be estimated."
_UNITS = ((86_400, "days"), (3_600, "hours"), (60, "minutes"))


class CostQuestion(msgspec.Struct, frozen=True):
    """A difference between two bots, in score or in Elo, with the test's power and alpha.

    With a `unit` it is one of mean payoffs a game, which are numbers of 1/`parts`.
    """

    difference: float
    elo: bool
    power: float
    alpha: float
    unit: str = ""
    parts: int = 1

    @property
    def what(self) -> str:
        """What the difference is in."""
        return "Elo" if self.elo else f"{self.unit} a game" if self.unit else "score"


class CostPlan(msgspec.Struct, frozen=True):
    """The cost of a question: `deals`, estimated from the variance per deal of trial games.

    `observed` is the difference in the trial games and half the width of its 95% interval; None
    where Elo cannot be estimated, as one of the two won no game. `deals` is None then, and where
    all deals of the trial had the same result, as their variance is unknown. With luck removed,
    `deals` are fewer than the `plain_deals` as played.
    """

    question: CostQuestion
    players: int
    games_per_deal: int
    trial_deals: int
    observed: tuple[float, float] | None
    deals: int | None
    plain_deals: int | None = None


def plan_of(
    question: CostQuestion, won: Ints, games_per_deal: int, corrections: Ints | None = None
) -> CostPlan:
    """The cost of a question about the first two bots of a lineup.

    `won`, of shape (deals, players), is what each bot won in each deal of the trial games, in win
    units or in parts of the payoff; the `corrections` are what removing luck adds to that.
    """
    if corrections is None:
        return _plan(question, won, games_per_deal)
    plain = _plan(question, won, games_per_deal)
    return replace(_plan(question, won + corrections, games_per_deal), plain_deals=plain.deals)


def _plan(question: CostQuestion, won: Ints, games_per_deal: int) -> CostPlan:
    deals, players = won.shape
    game_units = question.parts if question.unit else win_units(players)
    first, second = won[:, 0] / game_units, won[:, 1] / game_units
    if question.elo:
        if min(first.sum(), second.sum()) <= 0:
            return CostPlan(question, players, games_per_deal, deals, None, None)
        # Luce's strengths of a single group are the logarithms of what its bots won; a deal moves
        # their difference by what it adds to each, as a share of what it won on average.
        estimate = _ELO * log(first.mean() / second.mean())
        moved = _ELO * (first / first.mean() - second / second.mean())
    else:
        moved = (first - second) / games_per_deal
        estimate = float(moved.mean())
    error = mean_error(estimate, moved, scale=float(abs(moved).max()))
    observed = estimate, error.half_width
    if not error.variance:
        return CostPlan(question, players, games_per_deal, deals, observed, None)
    variance = float(moved.var(ddof=1))
    needed = deals_needed(
        question.difference, variance, question.power, question.alpha, _at_even(question, players)
    )
    return CostPlan(question, players, games_per_deal, deals, observed, needed)


def _at_even(question: CostQuestion, players: int) -> float:
    """How much larger the error is where the interval just reaches no difference."""
    even = 1 / players
    if question.unit:
        return 1.0
    if not question.elo:
        return error_at_even(even, even + abs(question.difference) / 2)
    return error_at_even(even, score_of(abs(question.difference))) if players == 2 else 1.0


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
        ["deals", f"{plan.deals:,}{_without_luck_removed(plan)}"],
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
        (Column("unit", "in"), question.what),
        (number("power", decimals=2), question.power),
        (number("alpha", decimals=2), question.alpha),
        (number("trial_deals", "trial deals"), plan.trial_deals),
        (estimate("observed", "observed", 4), observed),
        (number("deals"), plan.deals),
        (number("plain_deals", "deals with luck", optional=True), plan.plain_deals),
        (number("games"), games),
        (number("seconds"), None if games is None else games / games_per_second / cores),
    ]
    columns, row = zip(*cells, strict=True)
    return Table("plan", "", columns, [row], [fault] if fault else [])


def _trial_text(plan: CostPlan) -> str:
    assert plan.observed is not None
    mean, error = plan.observed
    unit, decimals = ("Elo", 1) if plan.question.elo else (f"in {plan.question.what}", 4)
    if plan.question.unit:
        unit = plan.question.what
    observed = Estimate(mean, mean - error, mean + error)
    difference = estimate_text(observed, decimals, number_text=signed_text, unit=f" {unit}")
    return f"The trial games show a difference of {difference}."


def _without_luck_removed(plan: CostPlan) -> str:
    if plan.plain_deals is None:
        return ""
    return f" with luck removed, {plan.plain_deals:,} without"


def _question_text(question: CostQuestion, plan: CostPlan) -> str:
    size = abs(question.difference)
    if question.elo or question.unit:
        what = f"{size:g} {question.what}"
    else:
        what = f"{size:g} in score{_example(size, plan.players)}"
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
