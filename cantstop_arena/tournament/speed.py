"""How fast bots play, and how much deals vary: for `bench`, `plan` and the benchmark."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import factorial

import numpy as np

from cantstop_arena.botspecs import BotSpec
from cantstop_arena.games.cantstop.rules import CLASSIC, RuleSet
from cantstop_arena.outcomes import Block
from cantstop_arena.plugins import Catalogue
from cantstop_arena.sampling import Ints, shares
from cantstop_arena.seeds import drawn
from cantstop_arena.tournament.recipes import Recipe, seat_for


@dataclass(frozen=True)
class Speed:
    """Games a second on one core, and nanoseconds for each roll with the decisions it brings."""

    lane: str
    games_per_second: float
    nanoseconds: float


@dataclass(frozen=True)
class Pilot:
    """Deals of one group, played in this process.

    `won` is what each bot won in each deal, in parts of WHOLE, over all seatings.
    """

    lane: str
    seconds: float
    rolls: int
    won: Ints

    @property
    def games(self) -> int:
        """The games played."""
        return len(self.won) * factorial(self.won.shape[1])

    @property
    def games_per_second(self) -> float:
        """On one core."""
        return self.games / self.seconds


def measure(catalogue: Catalogue, spec: BotSpec, seconds: float) -> Speed:
    """Let a bot play itself, two seats, classic rules, for about so many seconds."""
    trial = pilot(catalogue, [spec, spec], CLASSIC, seconds)
    return Speed(trial.lane, trial.games_per_second, trial.seconds / trial.rolls * 1e9)


def pilot(
    catalogue: Catalogue, specs: Sequence[BotSpec], rules: RuleSet, seconds: float, least: int = 1
) -> Pilot:
    """Let bots, as many as seats, play for about so many seconds, and `least` deals in any case."""
    players = len(specs)
    names = (f"{spec.name} {number}" for number, spec in enumerate(specs, 1))
    seats = tuple(
        seat_for(name, spec, spec.defaults) for name, spec in zip(names, specs, strict=True)
    )
    table = Recipe(rules, seats, players, drawn(), catalogue.folder)()
    table.warm_up()
    winners, rolls, deals = [], 0, 0
    size, start = 1, time.perf_counter()
    for _ in count():
        result = table.play(Block(tuple(range(players)), deals, size))
        deals += size
        winners.append(result.winners)
        rolls += sum(sum(tally.counts["rolls"]) for tally in result.tallies)
        spent = time.perf_counter() - start
        if spent >= seconds and deals >= least:
            break
        # Ever larger blocks, but never more than what is left of the time.
        size = max(1, min(2 * size, int(deals * (seconds - spent) / spent)))
    lane = "compiled" if all(table.native) else "plain"
    masks = np.frombuffer(b"".join(winners), np.uint8).reshape(deals, -1)
    return Pilot(lane, spent, rolls, shares(masks, players)[:, :players])
