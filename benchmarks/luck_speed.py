"""What measuring luck costs, and what it is worth: `make bench`.

For pairs of bots of two seats, on the classic board: microseconds of processor time a game, with no
luck measured, by the stake and by winning chances; how many times the games as narrow intervals of
the score would take with luck left in; and that by the time, games for the processor time of one.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.control_variate import correction
from cantstop_arena.deals.outcomes import BY_STAKE, BY_VALUE, Block
from cantstop_arena.deals.sampling import wins_by_deal
from cantstop_arena.games.registry import game_named
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference
from cantstop_arena.tournaments.ledger.row_codec import MEASURED
from cantstop_arena.tournaments.table_spec import TableSpec, entrant_start
from cantstop_arena.tournaments.tournament import FaultPolicy

PLAIN = """
from cantstop_arena.games.cantstop.bots.{name} import {bot}
player = {bot}()
def choose_move(turn, moves):
    return player.choose_move(turn, moves)
def roll_again(turn):
    return player.roll_again(turn)
"""
FILES = {"plain_rule28": ("rule28", "rule28"), "plain_odds": ("odds", "odds")}
PAIRS = (
    ("rule28", "rule28:prefer=outer", 8000),
    ("rule28", "glenn-aloi", 8000),
    ("glenn-aloi", "tuned", 8000),
    ("cautious", "rule28", 8000),
    ("champion", "tuned", 4000),
    ("plain_rule28", "plain_odds", 1500),
    ("grandmaster", "champion", 300),
)
GROUP, ROUNDS = (0, 1), 3


def measured(folder: Path, bots: tuple[str, str], measure: str, deals: int) -> tuple[float, float]:
    """Seconds of processor time of a game, and how many times the games luck removal is worth."""
    catalogue, policy = Catalogue(folder, game_named("cantstop")), FaultPolicy()
    seats = tuple(
        entrant_start(entrant_from_reference(bot, catalogue), catalogue, policy) for bot in bots
    )
    rules = catalogue.game.rules.default
    spec = TableSpec("cantstop", rules, seats, 2, 28, folder, luck_measure=measure)
    table = spec.table()
    table.warm_up()
    table.play(Block(GROUP, 0, 5))
    start = time.process_time()
    result = table.play(Block(GROUP, 0, deals))
    spent = time.process_time() - start
    if not measure:
        return spent / deals / len(table.orders), 1.0
    winners = result.masks()
    luck = np.frombuffer(result.measures, MEASURED).reshape(deals, -1)[:, -4:]
    wins = wins_by_deal(winners, table.orders)
    corrected = wins + correction(table.orders, [(GROUP, 0, winners, luck)])(GROUP, 0, luck)
    return spent / deals / len(table.orders), float(wins[:, 0].var() / corrected[:, 0].var())


def rows(folder: Path) -> Iterator[list[str]]:
    """A row for each pair."""
    for first, second, deals in PAIRS:
        found = {
            measure: [measured(folder, (first, second), measure, deals) for _ in range(ROUNDS)]
            for measure in ("", BY_STAKE, BY_VALUE)
        }
        seconds = {measure: min(spent for spent, _ in runs) for measure, runs in found.items()}
        row = [f"{first}, {second}", f"{1e6 * seconds['']:,.1f}"]
        for measure in (BY_STAKE, BY_VALUE):
            worth = found[measure][0][1]
            gain = worth * seconds[""] / seconds[measure]
            row += [f"{1e6 * seconds[measure]:,.1f}", f"{worth:.2f}", f"{gain:.2f}"]
        yield row


def main() -> None:
    """Print the table of docs/explanation/speed.md."""
    heading = ["bots", "no luck, µs"]
    for measure in (BY_STAKE, BY_VALUE):
        heading += [f"{measure}, µs", "games", "games by time"]
    print(f"| {' | '.join(heading)} |\n{'|---' * len(heading)}|")
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file, (module, bot) in FILES.items():
            (folder / f"{file}.py").write_text(PLAIN.format(name=module, bot=bot))
        for row in rows(folder):
            print(f"| {' | '.join(row)} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
