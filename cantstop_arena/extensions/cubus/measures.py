"""The counts, rates and measures of Cubus, with their texts for tables and pages.

Counts of a game as a whole are stored with seat 0: see `per_seat`.
"""

from collections.abc import Sequence

from cantstop_arena.deals.counting import COUNT, SHARE, Counts, Highlight, Measure, Rate
from cantstop_arena.extensions.cubus.counts import GameCounts, SeatCounts
from cantstop_arena.game_api.state import DONE, Result

KNOCKS, TURNS = "knocks", "turns"
OF_A_GAME = tuple(name for name in GameCounts._fields if name not in (TURNS, *SeatCounts._fields))
CLOSE = 1000  # more than any margin, so that the closest game has the highest score

_MEASURES = (
    Measure(
        "turns",
        "turns per game",
        COUNT,
        "turns",
        "games",
        more="makes {game} {by} longer",
        less="makes {game} {by} shorter",
        noun="the turns",
        plural=True,
    ),
    Measure(
        "builds",
        "builds per game",
        COUNT,
        "all_builds",
        "games",
        more="brings {by} more builds",
        less="brings {by} fewer builds",
        noun="the builds",
        plural=True,
    ),
    Measure(
        "crates",
        "crates at the end",
        COUNT,
        "crates",
        "games",
        more="makes the pile {by} larger",
        less="makes the pile {by} smaller",
        noun="the crates at the end",
        plural=True,
    ),
    Measure(
        "pass_rate",
        "turns that are passed",
        SHARE,
        "passes",
        "turns",
        more="raises the share of passes by {by}",
        less="lowers the share of passes by {by}",
        noun="the share of passes",
    ),
    Measure(
        "knock_rate",
        "passes taken by knocking",
        SHARE,
        "knocks_right",
        "passes",
        more="raises the share of passes taken by knocking by {by}",
        less="lowers the share of passes taken by knocking by {by}",
        noun="the share of passes taken by knocking",
    ),
    Measure(
        "points_a_build",
        "points of a build on one's own turn",
        COUNT,
        "build_points",
        "builds",
        more="makes a build worth {by} more",
        less="makes a build worth {by} less",
        noun="the points of a build",
        plural=True,
    ),
    Measure(
        "open_points",
        "points of builds that lay open cards",
        COUNT,
        "open_points",
        "games",
        more="brings {by} more points by open cards",
        less="brings {by} fewer points by open cards",
        noun="the points by open cards",
        plural=True,
    ),
    Measure(
        "full_cubes",
        "games that end with the full cube",
        SHARE,
        "full_cubes",
        "games",
        more="raises the share of full cubes by {by}",
        less="lowers the share of full cubes by {by}",
        noun="the share of full cubes",
    ),
    Measure(
        "margin",
        "margin at the end, in points",
        COUNT,
        "margin",
        "games",
        more="widens the margin at the end by {by}",
        less="narrows the margin at the end by {by}",
        noun="the margin at the end",
    ),
)

COUNTED = Counts(
    names=(TURNS, *SeatCounts._fields, KNOCKS, "all_builds", *OF_A_GAME),
    rates={
        "points_per_turn": Rate("points", TURNS),
        "points_per_build": Rate("build_points", "builds"),
        "pass_rate": Rate("passes", TURNS, share=True),
        "points_per_right_knock": Rate("knock_points", "knocks_right"),
        "right_knocks": Rate("knocks_right", KNOCKS, share=True),
        "lost_per_pass": Rate("lost_points", "passes"),
        "by_open_cards": Rate("open_points", "points", share=True),
    },
    measures=_MEASURES,
    highlights=(
        Highlight("largest", "The largest build"),
        Highlight("closest", "The closest game"),
        Highlight("knocks", "The most knocks"),
        Highlight("longest", "The longest game"),
    ),
    length=TURNS,
    unit="turn",
    alone=TURNS,
    followed="points",
)


def per_seat(seats: Sequence[SeatCounts], game: GameCounts) -> dict[str, list[int]]:
    """Every count of a game, by name and seat; counts of the game are stored with seat 0."""
    players = len(seats)
    others = [0] * (players - 1)
    return {
        TURNS: [len(range(seat, game.turns, players)) for seat in range(players)],
        **{name: [int(getattr(counts, name)) for counts in seats] for name in SeatCounts._fields},
        KNOCKS: [int(counts.knocks_right + counts.knocks_wrong) for counts in seats],
        "all_builds": [int(game.builds), *others],
        **{name: [int(getattr(game, name)), *others] for name in OF_A_GAME},
    }


def highlight_scores(seats: Sequence[SeatCounts], game: GameCounts) -> dict[str, int]:
    """The scores of a game by kind of highlight; the game with the highest score is shown."""
    return {
        "largest": int(game.largest),
        "closest": CLOSE - int(game.margin),
        "knocks": sum(int(counts.knocks_right) for counts in seats),
        "longest": int(game.turns),
    }


def counted_result(
    seats: Sequence[SeatCounts], game: GameCounts, winners: Sequence[int], reason: str = DONE
) -> Result:
    """The result of a game from its counts."""
    return Result(
        winners=winners,
        points=[int(seat.points) for seat in seats],
        counts=per_seat(seats, game),
        highlights=highlight_scores(seats, game),
        reason=reason,
    )
