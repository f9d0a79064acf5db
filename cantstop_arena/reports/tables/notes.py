"""What limits the standings, in sentences."""

from collections.abc import Sequence

from cantstop_arena.reports.analysis import Analysis
from cantstop_arena.reports.ending import until_note

NOT_REPRODUCIBLE = "not reproducible"
MOST_NAMES = 6
LEGEND = (
    "Bots that share a letter cannot be told apart; above next: the likelihood of being better than"
    " the bot below. Intervals cover 95 %."
)


def about_standings(analysis: Analysis) -> list[str]:
    """Games without a winner, bots that change, ratings without a maximum or a bridge."""
    said = []
    if missing := about_missing_games(analysis):
        said.append(missing)
    if without := analysis.unfinished:
        share = "" if analysis.alone else "; their seats share the win"
        said.append(f"{without} of {analysis.games} games were not finished{share}.")
    if rule := analysis.results.until:
        said.append(until_note(analysis.results, rule))
    if unsteady := analysis.results.irreproducible:
        said.append(
            f"{listed(unsteady)}: {NOT_REPRODUCIBLE}. The answers were others when a game was"
            " played twice, so that results change from run to run."
        )
    if analysis.results.challenger in analysis.results.bots:
        said += _about_gauntlet(analysis, analysis.results.bots.index(analysis.results.challenger))
    return said if analysis.alone else [*said, *_about_ratings(analysis)]


def about_missing_games(analysis: Analysis) -> str:
    """What to say of a run that was interrupted or goes on; empty of one that is over."""
    missing = analysis.results.unplayed
    if not missing:
        return ""
    told = f"{missing:,} of {analysis.games + missing:,} games are missing."
    return f"The run is not over or was interrupted: {told}"


def _about_gauntlet(analysis: Analysis, bot: int) -> list[str]:
    """The place of a challenger, and how sure that is."""
    name, bots = analysis.results.bots[bot], len(analysis.order)
    said = [f"Only games of {name} were played; the scores of the others are against it."]
    rank = next(rank for rank, other in analysis.places if other == bot)
    if rank is not None:
        best, worst = analysis.ratings.ranks[bot]
        range_told = f"; with its errors {best} to {worst}" if best < worst else ""
        said.insert(0, f"{name} is in place {rank} of {bots}{range_told}.")
    return said


def _about_ratings(analysis: Analysis) -> list[str]:
    said, everyone = [], len(analysis.results.bots)
    for label, bots in analysis.ratings.labels.items():
        names = listed([analysis.results.bots[bot] for bot in bots])
        said.append(label.sentence if len(bots) == everyone else f"{names}: {label.sentence}")
    return said


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, not too many of them."""
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def all_of(names: Sequence[str]) -> str:
    """Names as the subject of a sentence, not too many of them: "a, b and c"."""
    if len(names) > MOST_NAMES:
        return listed(names)
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
