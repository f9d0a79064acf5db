"""How fast a bot plays against itself, for `arena bench` and the benchmark."""

import time
from dataclasses import dataclass
from itertools import count

from cantstop_arena.botspecs import BotSpec
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.outcomes import Block
from cantstop_arena.plugins import Catalogue
from cantstop_arena.tournament.recipes import Recipe, seat_for


@dataclass(frozen=True)
class Speed:
    """Games a second on one core, and nanoseconds for each roll with the decisions it brings."""

    lane: str
    games_per_second: float
    nanoseconds: float


def measure(catalogue: Catalogue, spec: BotSpec, seconds: float) -> Speed:
    """Let a bot play itself, two seats, classic rules, for about so many seconds."""
    seats = tuple(seat_for(name, spec, spec.defaults) for name in (spec.name, f"{spec.name} again"))
    table = Recipe(CLASSIC, seats, 2, 1980, catalogue.folder)()
    table.warm_up()
    games = rolls = deals = 0
    size, start = 1, time.perf_counter()
    for _ in count():
        result = table.play(Block((0, 1), deals, size))
        deals += size
        games += sum(tally.games for tally in result.tallies)
        rolls += sum(sum(tally.counts["rolls"]) for tally in result.tallies)
        spent = time.perf_counter() - start
        if spent >= seconds:
            break
        # Ever larger blocks, but never more than what is left of the time.
        size = max(1, min(2 * size, int(deals * (seconds - spent) / spent)))
    lane = "compiled" if table.native[0] else "plain"
    return Speed(lane, games / spent, spent / rolls * 1e9)
