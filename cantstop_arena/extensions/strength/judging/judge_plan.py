"""What is judged: bots, opponents and deals; for named bots with a tournament file for replays."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from cantstop_arena.atomic_files import check_results_folder, write_result
from cantstop_arena.bots.bot_paths import is_bot_name
from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import BotError
from cantstop_arena.extensions.strength.exact.evaluator import best_evaluator
from cantstop_arena.extensions.strength.exact.tables_folder import tables_folder
from cantstop_arena.extensions.strength.judge_command import BY_NETS, BY_TABLE
from cantstop_arena.games.cantstop.rules import RULES, RuleSet
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference
from cantstop_arena.tournaments.file.entrants import Entrant, with_distinct_names
from cantstop_arena.tournaments.table_spec import TableSpec, entrant_start
from cantstop_arena.tournaments.tournament import FaultPolicy
from cantstop_arena.views.rules_argument import rules_from_argument

FOLDER = "judged"
PERFECT = "optimal"  # the name of the judge that uses a solved board


class JudgePlan(msgspec.Struct, frozen=True):
    """The judge, by its `name`."""

    name: str

    def deals(self, requested: int | None) -> int:
        """The number of deals for each bot: the requested one, or the judge's default."""
        return requested or (BY_TABLE if self.name == PERFECT else BY_NETS)


def judge_for(rules: RuleSet, players: int) -> JudgePlan:
    """The judge for these rules. Raises BotError when there is none."""
    return JudgePlan(best_evaluator(rules, players, tables_folder()).name)


class JudgePart(NamedTuple):
    """A part of the judging: the first bot of a table against the second, or alone, on some deals.

    `bot` is its name in the results.
    """

    bot: str
    spec: TableSpec
    deals: range


class JudgeTask(msgspec.Struct, frozen=True):
    """The bots to judge, on `deals` deals each.

    `bots` is a table with all bots, for their preparation. `rival` is the common opponent, empty
    when the bots play each other; `file` is the tournament file of their games.
    """

    judge: JudgePlan
    deals: int
    bots: TableSpec
    tasks: Sequence[JudgePart]
    rival: str
    file: Path


def requested_bots(
    names: Sequence[str],
    against: str | None,
    name: str,
    changes: tuple[str, ...],
    players: int,
    deals: int | None,
    seed: int,
    results: Path,
    bots_folder: Path,
    isolate: Isolation = Isolation.NONE,
) -> JudgeTask:
    """The task of judging bots by name; the default opponent is the judge.

    Its tournament file is written below `results`. Raises ArenaError.
    """
    catalogue = Catalogue(bots_folder, isolation=isolate)
    rules = rules_from_argument(name, changes, catalogue)
    judge = judge_for(rules, players)
    deals = judge.deals(deals)
    references = [*names, against or judge.name]
    entrants = with_distinct_names([_entrant(name, catalogue) for name in references])
    by_name = {entrant.name: entrant for entrant in entrants}
    limits = FaultPolicy()
    seats = {name: entrant_start(bot, catalogue, limits) for name, bot in by_name.items()}
    table = TableSpec(catalogue.game.name, rules, tuple(seats.values()), players, seed, bots_folder)
    rival_name = entrants[-1].name
    rival = (seats[rival_name],) if players > 1 else ()
    judged = dict.fromkeys(entrant.name for entrant in entrants[:-1])
    tasks = [
        JudgePart(bot, replace(table, seats=(seats[bot], *rival)), range(deals)) for bot in judged
    ]
    in_file = [by_name[bot] for bot in (by_name if rival else judged)]
    file = _write_tournament(results, rules, players, deals, seed, in_file)
    return JudgeTask(judge, deals, table, tasks, rival_name, file)


def _entrant(reference: str, catalogue: Catalogue) -> Entrant:
    """The entrant of a reference. Raises BotError, also for a program."""
    entrant = entrant_from_reference(reference, catalogue)
    if entrant.command:
        raise BotError(f"{entrant.name} is a program; arena judge plays bots in Python only")
    return entrant


def _write_tournament(
    results: Path, rules: RuleSet, players: int, deals: int, seed: int, bots: Sequence[Entrant]
) -> Path:
    """Write the judged games as a tournament file, with which they can be replayed."""
    parameters = {key: value for key, value in RULES.as_dict(rules).items() if key != "name"}
    lines = {
        "players": players,
        "games": deals * players,
        "seed": seed,
        "rules": {"base": "classic", "name": rules.name, **parameters},
        "bots": [_entry(bot) for bot in bots],
    }
    text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in lines.items())
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    check_results_folder(results / FOLDER)
    return write_result(results, f"{FOLDER}/{digest}.yaml", text)


def _entry(entrant: Entrant) -> str | dict[str, Any]:
    """The entry of an entrant in the tournament file; just a name or a path where that is all."""
    entry = entrant.as_file(Path("/"))
    reference = str(entry["bot"])
    if not is_bot_name(reference):
        reference = entry["bot"] = str(Path("/", reference))
    is_plain = entrant.name == entrant.bot.name and entrant.options == entrant.bot.defaults
    return reference if is_plain else entry
