"""What limits the standings, in sentences."""

from collections.abc import Sequence

from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.documents.until_words import until_note

NOT_REPRODUCIBLE = "not reproducible"
MOST_NAMES = 6
LEGEND = (
    "Bots that share a letter of their group are not significantly different; LOS vs next: the"
    " likelihood of superiority over the bot below. Intervals cover 95%."
)


def about_standings(analysis: Analysis) -> list[str]:
    """Games without a winner, bots that change, ratings without a maximum or a bridge."""
    said = []
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
    return said if analysis.alone else [*said, *_about_ratings(analysis)]


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
