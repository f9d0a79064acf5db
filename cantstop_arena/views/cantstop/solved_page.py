"""The page of `arena solve`: the value of a board, and where a first turn should end."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from cantstop_arena.games.cantstop.exact.board import size_of
from cantstop_arena.games.cantstop.exact.regret import Judgement
from cantstop_arena.games.cantstop.exact.solved_tables import SolvedEvaluator, SolvedTable
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.pages.document import Document, Fact, Listing, Section, as_html
from cantstop_arena.pages.number_text import plain, signed
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.column import Column, Table, Value, estimate, number
from cantstop_arena.texts import how_many, listed
from cantstop_arena.views.cantstop.judging.board_losses import DEALS, losses_on_board
from cantstop_arena.views.cantstop.judging.judgement_report import half_width
from cantstop_arena.views.cantstop.judging.verdicts import loss_scale, loss_unit

MAX_STOPS = 40  # rows of the table
_LOSSES = "What built-in bots lose"

Climbs = Mapping[int, int]
"""The spaces that runners have climbed, by column."""


def solved_page(table: SolvedTable, command: str) -> str:
    """The page of a solved board as HTML; `command` solves it again."""
    evaluator = SolvedEvaluator(table)
    lengths = listed([str(length) for length in table.rules.column_lengths])
    text = "A solved board is stored, and loaded from its file. This command prints its value:"
    document = Document(
        title=table.rules.name,
        about=f"a solved board, {how_many(table.players, 'player')}",
        answer=[
            f"Dice with {table.rules.sides} sides, columns of {lengths} spaces;"
            f" {how_many(table.rules.columns_to_win, 'column')} to win."
        ],
        sections=[
            _stops_section(evaluator),
            _losses_section(losses_on_board(evaluator)),
            Section(
                "origin",
                "Reproducing these results",
                [text],
                listings=[Listing("The command", command)],
                finding="One command solves the same board",
                folded=True,
            ),
        ],
        headline=table.headline,
        facts=list(_facts(table)),
    )
    return as_html(document)


def _facts(table: SolvedTable) -> Iterator[Fact]:
    positions = size_of(table.rules, table.players).positions
    if table.players == 1:
        yield Fact("Turns", plain(table.value, 6), "", "to the end, with the best play")
    else:
        yield Fact("The first player wins", f"{plain(100 * table.value, 4)}%", "", "of the games")
        ahead = f"{signed(200 * table.value - 100, 4)}"
        yield Fact("First-player advantage", ahead, "points", "more wins than the second player")
    yield Fact("Positions", f"{positions:,}", "", "each with its exact value")


def _stops_section(evaluator: SolvedEvaluator) -> Section:
    """Where to stop in the first turn, the positions that are reached first on top."""
    stops = first_stops(evaluator)
    unit = "turns to the end" if evaluator.players == 1 else "wins, %"
    columns = [
        Column("runners", "spaces climbed, by column"),
        number("stopping", f"stopping: {unit}", 4),
        number("rolling", f"rolling on: {unit}", 4),
    ]
    rows: list[list[Value]] = [
        [_runners_text(climbs), *(_percentage(value, evaluator.players) for value in values)]
        for climbs, values in stops[:MAX_STOPS]
    ]
    table = Table("stops", "Where a first turn ends", columns, rows)
    if not stops:
        text = ["With the best play the first turn goes on until it busts or wins."]
        return Section("stops", "The first turn", text, finding="A first turn never stops")
    climbs = stops[0][0]
    more = len(stops) - len(rows)
    notes = [
        "Each row is a position at which stopping is best, although with any runner a space lower"
        " rolling on would be."
    ]
    notes += [f"{more:,} more are left out."] if more else []
    finding = f"A first turn can stop after {_runners_text(climbs)}"
    return Section("stops", "The first turn", notes, tables=[table], open=True, finding=finding)


def _losses_section(judgements: Mapping[str, Judgement]) -> Section:
    """What the decisions of built-in bots lose, the best first."""
    if not judgements:
        return Section("losses", _LOSSES, finding="No built-in bot plays on this board")
    best, judgement = next(iter(judgements.items()))
    by, unit = loss_scale(judgement.seats), loss_unit(judgement.seats)
    columns = [
        Column("bot", "bot"),
        estimate("lost", "loss a game", 2),
        number("best", "best decisions %", 1, percent=True),
    ]
    rows: list[list[Value]] = [
        [bot, _mean_loss(each), each.share_best] for bot, each in judgements.items()
    ]
    text = (
        f"Each bot plays {how_many(DEALS, 'deal')} in every seat, and each of its decisions loses"
        f" the exact difference to the best one, in {unit} a game; mean with its 95% interval."
    )
    table = Table("losses", _LOSSES, columns, rows)
    finding = (
        f"Of the built-in bots {best} loses least: {plain(by * judgement.lost().mean, 2)} {unit}"
    )
    return Section("losses", _LOSSES, [text], tables=[table], open=True, finding=finding)


def _mean_loss(judgement: Judgement) -> Estimate:
    """The loss a game with its 95% interval, in the printed unit."""
    by, lost = loss_scale(judgement.seats), judgement.lost()
    half = half_width(lost)
    return Estimate(by * lost.mean, by * (lost.mean - half), by * (lost.mean + half))


def _percentage(value: float, players: int) -> float:
    return -value if players == 1 else 100 * value


def _runners_text(climbs: Climbs) -> str:
    return listed([f"{spaces} in column {column}" for column, spaces in climbs.items()])


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
