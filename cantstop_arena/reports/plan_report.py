"""What a question costs: deals, games and time."""

from collections.abc import Sequence
from math import log, sqrt

import msgspec
from tabulate import tabulate

from cantstop_arena.deals.sampling import Ints
from cantstop_arena.deals.winners import win_units
from cantstop_arena.ratings.distributions import student_quantile
from cantstop_arena.ratings.sequential.planning import deals_needed
from cantstop_arena.tables.escaping import printable

ROUNDING = 1e-12  # of a deal's greatest square: a smaller variance is none
_ELO = 400 / log(10)  # points for each unit of strength
_UNTOLD = "All its deals came out the same, so that it does not tell what a difference costs."
_UNITS = ((86_400, "days"), (3_600, "hours"), (60, "minutes"))


class CostQuestion(msgspec.Struct, frozen=True):
    """A difference between two bots, of score or of Elo, and how sure its answer is to be."""

    difference: float
    elo: bool
    power: float
    alpha: float


class CostPlan(msgspec.Struct, frozen=True):
    """What a question costs: `deals`, from the variance per deal that a pilot has found.

    `found` is the difference in the pilot and half its 95% interval; None where Elo cannot be
    told, as one of the two won no game. `deals` is None then, and where all deals of the pilot came
    out the same, so that it does not tell how much they vary.
    """

    question: CostQuestion
    players: int
    games_per_deal: int
    trial_deals: int
    observed: tuple[float, float] | None
    deals: int | None


def plan_of(question: CostQuestion, won: Ints, games_per_deal: int) -> CostPlan:
    """What a question about the first two bots costs.

    `won` is what each bot of a group won in each deal of a pilot, in parts of WHOLE.
    """
    deals, players = won.shape
    mine, yours = won[:, 0] / win_units(players), won[:, 1] / win_units(players)
    if question.elo:
        if not (mine.any() and yours.any()):
            return CostPlan(question, players, games_per_deal, deals, None, None)
        # Luce's strengths of a single group are the logarithms of what its bots won; a deal moves
        # their difference by what it adds to each, as a share of what it won on average.
        estimate = _ELO * log(mine.mean() / yours.mean())
        moved = _ELO * (mine / mine.mean() - yours / yours.mean())
    else:
        moved = (mine - yours) / games_per_deal
        estimate = float(moved.mean())
    variance = float(moved.var(ddof=1))
    if variance <= ROUNDING * float((moved**2).max()):
        return CostPlan(question, players, games_per_deal, deals, (estimate, 0.0), None)
    error = student_quantile(deals - 1) * sqrt(variance / deals)
    needed = deals_needed(question.difference, variance, question.power, question.alpha)
    return CostPlan(question, players, games_per_deal, deals, (estimate, error), needed)


def plan_text(
    plan: CostPlan, bots: Sequence[str], rules: str, games_per_second: float, cores: int
) -> str:
    """A plan for the terminal; games a second are those of one core."""
    first, second, *others = map(printable, bots)
    with_others = f" (with {', '.join(others)})" if others else ""
    pilot = (
        f"{first} against {second}{with_others}, {rules} rules; a pilot of"
        f" {plan.trial_deals:,} deals, {plan.trial_deals * plan.games_per_deal:,} games."
    )
    if plan.observed is None:
        return f"{pilot}\nOne of the two won none of them: the pilot does not tell what Elo costs."
    if plan.deals is None:
        return f"{pilot}\n{_found(plan)}\n{_UNTOLD}"
    games = plan.deals * plan.games_per_deal
    rows = [
        ["deals", f"{plan.deals:,}"],
        ["games", f"{games:,}"],
        ["time here", _duration(games / games_per_second / cores)],
    ]
    table = tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=["left", "right"])
    speed = f"{games_per_second:,.0f} games a second on a core, {cores} cores."
    return "\n\n".join([f"{pilot}\n{_found(plan)}", _asked(plan.question, plan), table, speed])


def _found(plan: CostPlan) -> str:
    assert plan.observed is not None
    estimate, error = plan.observed
    unit, decimals = ("Elo", 1) if plan.question.elo else ("in score", 4)
    reach = f" ± {error:.{decimals}f}" if error else ""
    return f"The pilot found a difference of {estimate:+.{decimals}f}{reach} {unit}."


def _asked(question: CostQuestion, plan: CostPlan) -> str:
    size = abs(question.difference)
    what = f"{size:g} Elo" if question.elo else f"{size:g} in score{_example(size, plan.players)}"
    return (
        f"To find a difference of {what} with probability {100 * question.power:g}%, and one"
        f" where there is none in {100 * question.alpha:g}% of cases, takes"
    )


def _example(size: float, players: int) -> str:
    high, low = (100 / players + sign * 50 * size for sign in (1, -1))
    return f" (such as {high:g}% to {low:g}%)" if low >= 0 else ""


def _duration(seconds: float) -> str:
    for unit, name in _UNITS:
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.0f} {name}"
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.2g} s"
