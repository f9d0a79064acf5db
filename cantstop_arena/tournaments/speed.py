"""Speed trials: how fast bots play, and how much deals vary; for `bench`, `plan` and benchmarks."""

import time
from collections.abc import Sequence
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.describe import exception_report
from cantstop_arena.bots.known_bot import LoadedBot
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.control_variate import correction
from cantstop_arena.deals.outcomes import Block, Fault, merge_faults
from cantstop_arena.deals.payoff import STORED, VOID
from cantstop_arena.deals.sampling import Ints, wins_by_deal
from cantstop_arena.deals.seeds import random_seed
from cantstop_arena.errors import BotError, GameError
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes.isolated_call import (
    CallFailed,
    InvalidResult,
    IsolatedCall,
    Raised,
    run_isolated,
)
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.file.tournament_file import usual_players
from cantstop_arena.tournaments.ledger.row_codec import MEASURED
from cantstop_arena.tournaments.preparation import Backend, pack_spec, prepare_bots, unpack_spec
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.table_spec import TableSpec, bot_start, entrant_start
from cantstop_arena.tournaments.tournament import FaultPolicy

_NOBODY = RunObserver()


class Speed(msgspec.Struct, frozen=True):
    """Games per second on one core, and nanoseconds for each of the game's units of pace.

    A unit of pace is, for example, a roll with its decisions; None if the game has none.
    """

    backend: str
    games_per_second: float
    nanoseconds: float | None
    fault: str = ""  # how many games ended in a fault, and the first one


class SpeedTrial(msgspec.Struct, frozen=True):
    """The result of a speed trial: deals of one group.

    `won` are the wins of each bot in each deal, in win units, summed over all seatings. If luck
    was scored, `corrections` are what removing it adds to them.
    """

    backend: Backend
    seconds: float
    paces: int  # units of pace of the game
    won: Ints
    games_per_deal: int
    faults: int = 0  # games that ended in a fault
    first_fault: str = ""
    faulty_bot: int = 0  # the number of the bot that committed the first fault
    corrections: Ints | None = None
    paid: Ints | None = None  # like `won`, in parts of the payoff, if the game has any

    @property
    def games(self) -> int:
        """The number of games played."""
        return len(self.won) * self.games_per_deal

    @property
    def games_per_second(self) -> float:
        """Games per second on one core."""
        return self.games / self.seconds

    def fault_text(self, names: Sequence[str] = ()) -> str:
        """How many games ended in a fault, and the first one; empty if none did.

        With the `names` of the bots, the one that committed the first fault is named.
        """
        if not self.faults:
            return ""
        first = f"; the first, by {names[self.faulty_bot]}:" if names else ":"
        return f"{self.faults:,} of {self.games:,} games ended in a fault{first} {self.first_fault}"


class TrialPlayed(msgspec.Struct, tag=True, frozen=True):
    """A speed trial as a message: `won` is bytes, as are `corrections` and `paid`, or none."""

    backend: Backend
    seconds: float
    paces: int
    won: bytes
    corrections: bytes
    faults: int
    first_fault: str
    faulty_bot: int
    paid: bytes = b""


class TrialStopped(msgspec.Struct, tag=True, frozen=True):
    """The game itself has failed in a speed trial: the reason."""

    text: str


def measure(loader: Loader, spec: LoadedBot, rules: Any, players: int, seconds: float) -> Speed:
    """The speed of a bot that plays itself in this process for about so many seconds."""
    game = game_named(spec.game)
    seats = tuple(
        bot_start(f"{spec.name} {number}", spec, spec.defaults)
        for number in range(1, game.lineup_size(players) + 1)
    )
    table_spec = TableSpec(game.name, rules, seats, players, random_seed(), loader.folder)
    return _speed(_timed_trial(table_spec, seconds, 1))


def measure_isolated(
    catalogue: Catalogue, bot: Entrant, seconds: float, observer: RunObserver
) -> Speed:
    """The speed of a bot that plays itself in an isolated process. Raises BotError."""
    game = catalogue.game
    players = usual_players(game)
    bots = [bot] * game.lineup_size(players)
    trial = run_speed_trial(
        catalogue, bots, game.rules.default, seconds, players=players, observer=observer
    )
    return _speed(trial)


def _speed(trial: SpeedTrial) -> Speed:
    pace = trial.seconds / trial.paces * 1e9 if trial.paces else None
    return Speed(trial.backend, trial.games_per_second, pace, trial.fault_text())


def run_speed_trial(
    catalogue: Catalogue,
    bots: Sequence[Entrant],
    rules: Any,
    seconds: float,
    min_deals: int = 1,
    *,
    players: int,
    observer: RunObserver = _NOBODY,
    luck_measure: str = "",
    hidden: tuple[Path, ...] = (),
) -> SpeedTrial:
    """Let a lineup of bots play for about so many seconds, and at least `min_deals` deals.

    With a `luck_measure` luck is scored in these games, and the trial has its corrections. Isolated
    bots cannot read the `hidden` paths.
    They play in an isolated process, while `observer` gets ticks. Raises BotError when that
    fails, and GameError when the game itself fails.
    """
    seats = tuple(
        entrant_start(
            replace(bot, name=f"{bot.name} {number}"), catalogue, FaultPolicy(), hidden=hidden
        )
        for number, bot in enumerate(bots, 1)
    )
    spec = TableSpec(catalogue.game.name, rules, seats, players, random_seed(), catalogue.folder)
    spec = replace(spec, luck_measure=luck_measure)
    names = " and ".join(dict.fromkeys(bot.name for bot in bots))
    limit = _MAX_SETUP_SECONDS + 3 * seconds
    return run_trial(spec, names, seconds, min_deals, limit, observer)


def run_trial(
    spec: TableSpec,
    names: str,
    seconds: float,
    min_deals: int,
    limit: float,
    observer: RunObserver = _NOBODY,
) -> SpeedTrial:
    """Let the bots of a table play like `run_speed_trial`, within `limit` seconds.

    `names` are those of the bots for messages. Raises BotError and GameError.
    """
    prepare_bots(spec, observer.on_compile)
    arguments = {"spec": pack_spec(spec), "seconds": seconds, "min_deals": min_deals}
    try:
        call = IsolatedCall(f"{__name__}:time_trial", arguments, limit)
        result = run_isolated(call, observer.on_tick)
        orders = game_named(spec.game).orders(spec.players)
        return _trial_in(result, len(orders[0]), len(orders))
    except CallFailed as error:
        raise BotError(f"{names}: the games' process {error}") from error


def time_trial(spec: bytes, seconds: float, min_deals: int) -> TrialPlayed | TrialStopped | Raised:
    """A speed trial in this process; runs as an isolated call."""
    try:
        trial = _timed_trial(unpack_spec(spec), seconds, min_deals)
    except GameError as error:
        return TrialStopped(str(error))
    except BaseException as error:
        return Raised(exception_report(error))
    won = trial.won.tobytes()
    return TrialPlayed(
        trial.backend,
        trial.seconds,
        trial.paces,
        won,
        b"" if trial.corrections is None else trial.corrections.tobytes(),
        trial.faults,
        trial.first_fault,
        trial.faulty_bot,
        b"" if trial.paid is None else trial.paid.tobytes(),
    )


def _trial_in(
    result: TrialPlayed | TrialStopped | Raised, players: int, games_per_deal: int
) -> SpeedTrial:
    """The trial in the result of a call. Raises CallFailed if there is none, and GameError."""
    if isinstance(result, TrialStopped):
        raise GameError(in_a_line(result.text))
    if isinstance(result, Raised):
        raise CallFailed(f"failed: {result.reason}")
    deals, remainder = divmod(len(result.won), np.dtype(np.int64).itemsize * players)
    is_timed = 0 < result.seconds < inf and result.paces >= 0
    has_valid_fault = result.faults >= 0 and result.faulty_bot in range(players)
    is_complete = len(result.corrections) in (0, len(result.won))
    is_complete &= len(result.paid) <= len(result.won)
    is_complete &= len(result.paid) % (np.dtype(np.int64).itemsize * players) == 0
    if remainder or not (deals and is_timed and has_valid_fault and is_complete):
        raise InvalidResult
    won, corrections, paid = (
        np.frombuffer(numbers, np.int64).reshape(-1, players)
        for numbers in (result.won, result.corrections, result.paid)
    )
    fault = in_a_line(result.first_fault, _MAX_FAULT_LENGTH)
    return SpeedTrial(
        result.backend,
        result.seconds,
        result.paces,
        won,
        games_per_deal,
        result.faults,
        fault,
        result.faulty_bot,
        corrections if len(corrections) else None,
        paid if len(paid) else None,
    )


_GAMES_IN_ROW = 4  # of the first block in step
_WARM_UP = 1 << 40  # a deal that no trial comes to
_MAX_FAULT_LENGTH = 200  # characters
_MAX_SETUP_SECONDS = 300.0  # seconds that the pilot of very slow bots may take


def _timed_trial(spec: TableSpec, seconds: float, min_deals: int) -> SpeedTrial:
    table = spec.table()
    bots = len(table.orders[0])
    group = tuple(range(bots))
    pace = table.game.counts.pace
    table.warm_up()
    masks, measures, faults, paces, deals = [], list[bytes](), list[Fault](), 0, 0
    payoffs = list[bytes]()
    size = 1
    if in_step := table.plays_in_step(group):
        table.play(Block(group, _WARM_UP, 1))  # the first call of a net takes longer than others
        rows = max(table.seated_bots[bot].player.rows for bot in table.batched_among(group))
        size = _GAMES_IN_ROW * rows // len(table.orders) or 1  # fewer leave most rows empty
    start = time.perf_counter()
    for _ in count():
        result = table.play(Block(group, deals, size))
        deals += size
        masks.append(result.masks())
        measures.append(result.measures)
        payoffs.append(result.payoffs)
        faults = merge_faults([*faults, *result.faults])
        paces += sum(sum(tally.counts.get(pace, ())) for tally in result.tallies)
        spent = time.perf_counter() - start
        if spent >= seconds and deals >= min_deals:
            break
        # Blocks double in size, but take at most the remaining time.
        size = max(1, min(2 * size, int(deals * (seconds - spent) / spent)))
    backend: Backend = "batched" if in_step else "plain"
    if table.is_compiled(group):
        backend = "compiled"
    winners = np.concatenate(masks)
    won = wins_by_deal(winners, table.orders)[:, :bots]
    corrections = None
    if spec.luck_measure:
        stored = np.frombuffer(b"".join(measures), MEASURED).reshape(deals, -1)
        luck = stored[:, -2 * bots :]
        correct = correction(table.orders, [(group, 0, winners, luck)])
        corrections = correct(group, 0, luck)[:, :bots]
    paid = np.frombuffer(b"".join(payoffs), STORED).reshape(-1, 2 * bots)
    paid = paid[paid[:, 0] != VOID, :bots].astype(np.int64)
    trial = SpeedTrial(
        *(backend, spent, paces, won, len(table.orders)),
        corrections=corrections,
        paid=paid if len(paid) else None,
    )
    if not faults:
        return trial
    first = min(faults, key=lambda fault: fault.deal)
    count_of_all = sum(fault.count for fault in faults)
    return replace(trial, faults=count_of_all, first_fault=first.message, faulty_bot=first.bot)
