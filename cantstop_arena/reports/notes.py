"""What limits the standings, in sentences."""

from collections.abc import Sequence

from cantstop_arena.reports.analysis import Analysis

NOT_REPRODUCIBLE = "not reproducible"
MOST_NAMES = 6


def about_standings(analysis: Analysis) -> list[str]:
    """Games without a winner, bots that change, ratings without a maximum or a bridge."""
    said = []
    if without := analysis.unfinished:
        share = "" if analysis.alone else "; their seats share the win"
        said.append(f"{without} of {analysis.games} games were not finished{share}.")
    if unsteady := analysis.results.irreproducible:
        said.append(
            f"{_listed(unsteady)}: {NOT_REPRODUCIBLE}. The answers were others when a game was"
            " played twice, so that results change from run to run."
        )
    return said if analysis.alone else [*said, *_about_ratings(analysis)]


def _about_ratings(analysis: Analysis) -> list[str]:
    said, ratings = [], analysis.ratings
    if ratings.regularised:
        names = _listed([analysis.results.bots[bot] for bot in ratings.at_bound])
        said.append(
            f"The games bound the Elo of {names} on one side only: a virtual game, shared by all"
            " its bots, was added to each group of that field."
        )
    if (fields := len(set(ratings.fields))) > 1:
        said.append(f"The bots form {fields} fields that never met; compare Elo within one only.")
    return said


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence, not too many of them."""
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
