"""Words for tournaments that are played until intervals are narrow."""

from math import isfinite

from cantstop_arena.deals.outcomes import ELO_ERROR, TEST, Results, Until
from cantstop_arena.ratings.precision import widest


def extent(measure: str, amount: float) -> str:
    """How far an interval reaches."""
    if measure == ELO_ERROR:
        return f"Elo ± {amount:.4g}" if isfinite(amount) else "Elo without bounds"
    return f"a score interval {amount:.4g} wide"


def extent_for(measure: str, amount: float, bot: str) -> str:
    """How far an interval reaches, and whose it is."""
    return f"{extent(measure, amount)} for {bot}"


def until_text(rule: Until) -> str:
    """What has to be so for the games to end."""
    return f"every bot has {extent(rule.measure, rule.most)} or less"


def until_note(results: Results, rule: Until) -> str:
    """What the rule has to do with the intervals, and whether it was met."""
    if rule.measure == TEST:
        return (
            "A sequential test ended the match. The intervals are confidence sequences: right 95"
            " times in 100 whenever it ended."
        )
    bot, measured = widest(results, rule)
    if not bot:
        return f"To be played until {until_text(rule)}, but no game counts."
    met = (
        ""
        if measured <= rule.most
        else f", which {bot} with {extent(rule.measure, measured)} has not"
    )
    return (
        f"Played until {until_text(rule)}{met}. The intervals are confidence sequences: right"
        " 95 times in 100 although the games ended when they were narrow enough."
    )
