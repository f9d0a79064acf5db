"""How fast bots play, and how much deals vary: for `bench`, `plan` and the benchmark."""

import base64
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import factorial, inf
from typing import Any

import numpy as np

from cantstop_arena.botspecs import BotSpec, Description
from cantstop_arena.catalogue import Catalogue
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.rules import CLASSIC, RuleSet
from cantstop_arena.isolation.errands import Errand, Failed, run
from cantstop_arena.outcomes import Block
from cantstop_arena.plugins import Loader
from cantstop_arena.sampling import Ints, shares
from cantstop_arena.seeds import drawn
from cantstop_arena.tournament.recipes import Recipe, seat_for
from cantstop_arena.tournament.rehearsal import packed, rehearse, unpacked


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


def measure(loader: Loader, spec: BotSpec, seconds: float) -> Speed:
    """Let a bot play itself here, two seats, classic rules, for about so many seconds."""
    seats = tuple(seat_for(f"{spec.name} {number}", spec, spec.defaults) for number in (1, 2))
    return _speed(_flown(Recipe(CLASSIC, seats, 2, drawn(), loader.folder), seconds, 1))


def measured(catalogue: Catalogue, bot: Description, seconds: float) -> Speed:
    """The same, where a bot's code may run. Raises BotError."""
    return _speed(pilot(catalogue, [bot, bot], CLASSIC, seconds))


def _speed(trial: Pilot) -> Speed:
    return Speed(trial.lane, trial.games_per_second, trial.seconds / trial.rolls * 1e9)


def pilot(
    catalogue: Catalogue,
    bots: Sequence[Description],
    rules: RuleSet,
    seconds: float,
    least: int = 1,
) -> Pilot:
    """Let bots, as many as seats, play for about so many seconds, and `least` deals in any case.

    They do so in a process of their own. Raises BotError where they do not get there.
    """
    seats = tuple(
        seat_for(f"{bot.name} {number}", bot, bot.defaults) for number, bot in enumerate(bots, 1)
    )
    recipe = Recipe(rules, seats, len(seats), drawn(), catalogue.folder)
    rehearse(recipe, lambda _: None)
    words = {"recipe": packed(recipe), "seconds": seconds, "least": least}
    try:
        told = run(Errand(f"{__name__}:flown", words, _TO_FLY + 3 * seconds))
        return _landed(told, len(seats))
    except Failed as error:
        names = " and ".join(dict.fromkeys(bot.name for bot in bots))
        raise BotError(f"{names}: the games' process {error}") from error


def flown(recipe: str, seconds: float, least: int) -> Mapping[str, Any]:
    """A pilot here, as JSON: what an errand does."""
    trial = _flown(unpacked(recipe), seconds, least)
    won = base64.b64encode(trial.won.tobytes()).decode()
    return {"lane": trial.lane, "seconds": trial.seconds, "rolls": trial.rolls, "won": won}


def _landed(told: Any, players: int) -> Pilot:
    """The pilot that was told. Raises Failed where that makes no sense."""
    try:
        won = np.frombuffer(base64.b64decode(told["won"]), np.int64).reshape(-1, players)
        seconds, rolls = float(told["seconds"]), int(told["rolls"])
        lane = "compiled" if told["lane"] == "compiled" else "plain"
    except (TypeError, KeyError, ValueError) as error:
        raise Failed("tells nonsense") from error
    if not (0 < seconds < inf and rolls > 0 and len(won)):
        raise Failed("tells nonsense")
    return Pilot(lane, seconds, rolls, won)


_TO_FLY = 300.0  # seconds that the pilot of very slow bots may take


def _flown(recipe: Recipe, seconds: float, least: int) -> Pilot:
    players = recipe.players
    table = recipe()
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
