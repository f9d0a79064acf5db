"""The measures by which rule sets of Can't Stop are compared, with the phrases for differences."""

from cantstop_arena.deals.counting import COUNT, SHARE, Counts, Highlight, Measure, Rate
from cantstop_arena.deals.outcomes import WIN_UNITS
from cantstop_arena.games.cantstop.counts import COUNTS, RATES

_MEASURES = (
    Measure(
        "turns",
        "turns per game",
        COUNT,
        "turns",
        "games",
        rivals=False,
        more="makes {game} {by} longer",
        less="makes {game} {by} shorter",
        noun="the turns",
        plural=True,
    ),
    Measure(
        "rolls",
        "rolls per game",
        COUNT,
        "rolls",
        "games",
        rivals=False,
        more="takes {by} more rolls",
        less="takes {by} fewer rolls",
        noun="the rolls",
        plural=True,
        follows="turns",
    ),
    Measure(
        "decisions",
        "decisions per game",
        COUNT,
        "decisions",
        "games",
        rivals=False,
        more="needs {by} more decisions",
        less="needs {by} fewer decisions",
        noun="the decisions",
        plural=True,
        follows="turns",
    ),
    Measure(
        "bust_rate",
        "bust rate",
        SHARE,
        "busts",
        "turns",
        rivals=False,
        more="raises the bust rate by {by}",
        less="lowers the bust rate by {by}",
        noun="the bust rate",
    ),
    Measure(
        "lead_changes",
        "lead changes per game",
        COUNT,
        "leads",
        "games",
        more="brings {by} more lead changes",
        less="brings {by} fewer lead changes",
        noun="the lead changes",
        plural=True,
    ),
    Measure(
        "half_time",
        "won by the leader at half-time",
        SHARE,
        "half_wins",
        "half_leads",
        WIN_UNITS,
        more="gives the leader at half-time {by}",
        less="costs the leader at half-time {by}",
        noun="the half-time leader's share",
    ),
    Measure(
        "margin",
        "margin at the end, in columns",
        COUNT,
        "margin",
        "finished",
        more="widens the margin at the end by {by}",
        less="narrows the margin at the end by {by}",
        noun="the margin at the end",
    ),
)

COUNTED = Counts(
    names=COUNTS,
    rates={
        name: Rate(numerator, denominator, name == "bust_rate")
        for name, (numerator, denominator) in RATES.items()
    },
    measures=_MEASURES,
    highlights=(
        Highlight("longest", "The longest game"),
        Highlight("closest", "The closest game"),
        Highlight("comeback", "The greatest comeback"),
    ),
    pace="rolls",
    parts={"half_wins": WIN_UNITS},
    limit="the limit of turns",
)
