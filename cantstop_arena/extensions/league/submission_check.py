"""The check of a submission: `arena bots check`, and games against the staff, all isolated.

It depends on the submission, the staff and the rules alone, so no participant's standing depends
on what others have handed in.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import closing

from msgspec.structs import asdict, replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.check.check_run import BotCheck
from cantstop_arena.check.findings import WRONG
from cantstop_arena.check.harness import WALL_TIME_FACTOR
from cantstop_arena.check.suite import CheckedRules
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import BotError
from cantstop_arena.extensions.league.league_file import League
from cantstop_arena.extensions.league.secrets import check_seed
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.speed import SpeedTrial, run_trial
from cantstop_arena.tournaments.table_spec import TableSpec, entrant_start

SUBMISSION = "submission"  # its name in the games of its check: messages reach public pages
_MIN_SECONDS = 1.0  # for the games, however long the check has taken before


def check_conditions(league: League, seed: Seed) -> str:
    """A digest of all that a verdict depends on besides the submission."""
    staff = [
        [entrant.name, entrant.bot.origin, entrant.bot.digest, dict(entrant.options)]
        for entrant in league.staff
    ]
    conditions = {
        "game": league.game.name,
        "rules": league.game.rules.as_dict(league.rules),
        "players": league.players,
        "decision_limit": league.policy.decision_limit,
        "isolate": league.isolate.key,
        "check": asdict(league.check),
        "seed": check_seed(seed),
        "staff": staff,
    }
    text = json.dumps(conditions, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def entrant_for(league: League, participant: str, bot: BotDescription) -> Entrant:
    """A participant's bot as it plays."""
    return Entrant(participant, bot, bot.defaults, league.isolate, own_name=participant)


def check_submission(
    league: League,
    catalogue: Catalogue,
    entrant: Entrant,
    seed: Seed,
    observer: RunObserver,
) -> str:
    """Why a submission does not pass; empty if it does. `catalogue` isolates its file."""
    clock = Clock(league.check.limit)
    too_long = f"the check took longer than {league.check.limit:g} s"
    assert entrant.bot.path is not None
    rules = CheckedRules(league.game.rules.as_dict(league.rules), league.players, league.check.mean)
    check = BotCheck(entrant.bot.path, catalogue, league.policy.decision_limit, rules)
    with closing(check.findings()) as findings:
        for finding in findings:
            if finding.mark == WRONG:
                return finding.text
            if clock.is_over():
                return too_long
            observer.on_tick()
    try:
        for rival, trial in _trials(league, catalogue, entrant, seed, clock, observer):
            if trial.faults and trial.faulty_bot == 0:
                games = f"{trial.faults:,} of {trial.games:,} games against {rival}"
                return f"{trial.first_fault} (in {games})"
    except BotError as error:
        return too_long if clock.is_over() else str(error)
    return too_long if clock.is_over() else ""


class Clock:
    """How much of a check's time is left.

    It is counted in processor time, so that a busy machine fails nobody; by the clock a check may
    take WALL_TIME_FACTOR times as long.
    """

    def __init__(self, limit: float) -> None:
        self._wall_end = time.monotonic() + WALL_TIME_FACTOR * limit
        self._processor_end = _processor_time() + limit

    def wall_seconds(self) -> float:
        """For how long the check may go on, by the time of day."""
        left = WALL_TIME_FACTOR * (self._processor_end - _processor_time())
        return min(left, self._wall_end - time.monotonic())

    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.wall_seconds() < 0


def _processor_time() -> float:
    """Of this process and its children that have ended."""
    return sum(os.times()[:4])


def _trials(
    league: League,
    catalogue: Catalogue,
    entrant: Entrant,
    seed: Seed,
    clock: Clock,
    observer: RunObserver,
) -> Iterator[tuple[str, SpeedTrial]]:
    """The games of an entrant with each bot of the staff, which fills the other seats."""
    if not (league.staff and league.check.games):
        return
    orders = len(league.game.orders(league.players))
    deals = -(-league.check.games // (orders * len(league.staff)))
    for rival in league.staff:
        bots = [
            replace(entrant, name=SUBMISSION),
            *[rival] * (league.game.lineup_size(league.players) - 1),
        ]
        seats = tuple(
            entrant_start(replace(bot, name=f"{bot.name} {number}"), catalogue, league.policy)
            for number, bot in enumerate(bots, 1)
        )
        spec = TableSpec(
            league.game.name,
            league.rules,
            seats,
            league.players,
            check_seed(seed),
            catalogue.folder,
        )
        names = f"{SUBMISSION} and {rival.name}"
        limit = max(_MIN_SECONDS, clock.wall_seconds())
        yield rival.name, run_trial(spec, names, 0.0, deals, limit, observer)
