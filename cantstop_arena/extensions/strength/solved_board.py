"""What `arena solve` says of a board beside its value, in the terminal, in JSON and on the page.

Where a first turn should end, and what the decisions of the built-in bots lose.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from typing import Any

from cantstop_arena.extensions.strength.exact.board_judge import DEALS
from cantstop_arena.extensions.strength.exact.regret import Judgement
from cantstop_arena.extensions.strength.exact.solved_tables import SolvedEvaluator, SolvedTable
from cantstop_arena.extensions.strength.judging.board_losses import losses_on_board
from cantstop_arena.extensions.strength.judging.judgement_report import regret_estimate
from cantstop_arena.extensions.strength.judging.verdicts import loss_scale, loss_unit
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.pages.number_text import plain
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.column import Column, Table, Value, estimate, number
from cantstop_arena.tables.formats import records
from cantstop_arena.texts import how_many, listed

MAX_STOPS = 40  # rows of the table

Climbs = Mapping[int, int]
"""The spaces that runners have climbed, by column."""


class SolvedBoard:
    """A solved board: its value, where a first turn should end, and what built-in bots lose.

    Both tables are computed when they are first read; the losses take some seconds.
    """

    def __init__(self, table: SolvedTable) -> None:
        self.table = table
        self.rules, self.players = table.rules, table.players
        self.value, self.headline = table.value, table.headline

    @property
    def checksum(self) -> str:
        """SHA-256 of all values."""
        return self.table.checksum

    @cached_property
    def evaluator(self) -> SolvedEvaluator:
        """The values of all positions, also within turns."""
        return SolvedEvaluator(self.table)

    @cached_property
    def first_stops(self) -> Sequence[tuple[Climbs, tuple[float, float]]]:
        """Where to stop in the first turn, as the function `first_stops` has them."""
        return first_stops(self.evaluator)

    @cached_property
    def judgements(self) -> Mapping[str, Judgement]:
        """What the decisions of the built-in bots lose, the best bot first."""
        return losses_on_board(self.evaluator)

    @property
    def stops(self) -> list[dict[str, Any]]:
        """Where a first turn ends: a row for each position, with the values of both decisions."""
        return records(self.stops_table())

    @property
    def losses(self) -> list[dict[str, Any]]:
        """What built-in bots lose: a row for each bot, the best first."""
        return records(self.losses_table())

    def stops_finding(self) -> str:
        """Where a first turn can stop first."""
        if not self.first_stops:
            return "A first turn never stops"
        return f"A first turn can stop after {_runners_text(self.first_stops[0][0])}"

    def stops_table(self) -> Table:
        """Where to stop in the first turn, the positions that are reached first on top."""
        players = self.players
        unit = "turns" if players == 1 else "%"
        columns = [
            Column("runners", "spaces in columns"),
            number("stopping", f"stopping, {unit}", 4),
            number("rolling", f"rolling on, {unit}", 4),
        ]
        rows: list[list[Value]] = [
            [_short_runners_text(climbs), *(_percentage(value, players) for value in values)]
            for climbs, values in self.first_stops[:MAX_STOPS]
        ]
        return Table("stops", "Where a first turn ends", columns, rows, self._stops_notes())

    def _stops_notes(self) -> list[str]:
        if not self.first_stops:
            return ["With the best play the first turn goes on until it busts or wins."]
        unit = "turns to the end" if self.players == 1 else "games won, in percent"
        note = (
            "Each row is a position at which stopping is best, although with any runner a space"
            f" lower rolling on would be. Values are {unit}."
        )
        more = len(self.first_stops) - MAX_STOPS
        return [note, f"{more:,} more are left out."] if more > 0 else [note]

    def losses_finding(self) -> str:
        """Which built-in bot loses least, and how much."""
        if not self.judgements:
            return "No built-in bot plays on this board"
        best, judgement = next(iter(self.judgements.items()))
        by, unit = loss_scale(judgement.seats), loss_unit(judgement.seats)
        lost = plain(by * judgement.lost().mean, 2)
        return f"Of the built-in bots {best} loses least: {lost} {unit}"

    def losses_table(self) -> Table:
        """What the decisions of built-in bots lose, the best first."""
        columns = [
            Column("bot", "bot"),
            estimate("lost", "loss a game", 2),
            number("best", "best decisions %", 1, percent=True),
        ]
        rows: list[list[Value]] = [
            [bot, mean_loss_of(each), each.share_best] for bot, each in self.judgements.items()
        ]
        note = (
            f"Each bot plays {how_many(DEALS, 'deal')} in every seat, and each of its decisions"
            f" loses the exact difference to the best one, in {loss_unit(self.players)} a"
            " game; mean with its 95% interval."
        )
        return Table("losses", "What built-in bots lose", columns, rows, [note])


def mean_loss_of(judgement: Judgement) -> Estimate:
    """The loss a game with its 95% interval, in the printed unit."""
    return regret_estimate(judgement.lost(), loss_scale(judgement.seats))


def _percentage(value: float, players: int) -> float:
    return -value if players == 1 else 100 * value


def _runners_text(climbs: Climbs) -> str:
    return listed([f"{spaces} in column {column}" for column, spaces in climbs.items()])


def _short_runners_text(climbs: Climbs) -> str:
    """The same for a table, which has to fit on a phone."""
    return ", ".join(f"{spaces} in {column}" for column, spaces in climbs.items())


def first_stops(evaluator: SolvedEvaluator) -> list[tuple[Climbs, tuple[float, float]]]:
    """Where to stop in the first turn, with the values of stopping and of rolling on.

    A position is left out if one with a runner a space lower is there to stop at, too. Those with
    the fewest spaces climbed come first.
    """
    stopping: dict[tuple[tuple[int, int], ...], tuple[float, float]] = {}
    for climbs in _turns(evaluator.rules):
        choice = evaluator.at_start(climbs)
        if choice.stopping >= choice.rolling:
            stopping[tuple(climbs.items())] = (choice.stopping, choice.rolling)
    first = [key for key in stopping if not any(lower in stopping for lower in _lower(key))]
    first.sort(key=lambda key: (sum(spaces for _, spaces in key), key))
    return [(dict(key), stopping[key]) for key in first]


def _lower(key: Sequence[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], ...]]:
    """The positions with one runner a space lower, or not yet placed."""
    for index, (column, spaces) in enumerate(key):
        left = ((column, spaces - 1),) if spaces > 1 else ()
        yield (*key[:index], *left, *key[index + 1 :])


def _turns(rules: RuleSet) -> Iterator[Climbs]:
    """What runners can have climbed in the first turn, without what wins the game."""
    for count in range(1, rules.runners + 1):
        for columns in combinations(rules.columns, count):
            for spaces in product(*(range(1, rules.lengths[each] + 1) for each in columns)):
                climbed = dict(zip(columns, spaces, strict=True))
                tops = sum(climbed[each] == rules.lengths[each] for each in columns)
                if tops < rules.columns_to_win:
                    yield climbed
