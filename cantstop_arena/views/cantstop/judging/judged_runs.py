"""The bots of a run, judged against those that they met, and what is kept of it in its folder."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from cantstop_arena.atomic_files import write_atomically
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import UsageError
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.tournaments.file.entrants import is_bot_name
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.ledger.read_ledger import read_ledger
from cantstop_arena.tournaments.stored_tournament import load_tournament
from cantstop_arena.tournaments.table_spec import TableSpec, table_spec_for
from cantstop_arena.tournaments.tournament import RESOLVED, Tournament
from cantstop_arena.views.cantstop.judging.judge_process import JudgePart
from cantstop_arena.views.cantstop.judging.judge_task import JudgeTask, judge_for
from cantstop_arena.views.cantstop.judging.judgement_data import as_data, from_data
from cantstop_arena.views.cantstop.judging.judgement_report import Judgements

JUDGED_FILE = "judged.json"  # in the folder of a run
_MAX_SEATS = 2


def is_run(name: str) -> bool:
    """Whether a name leads to a folder; one that could be a bot's does only where results are."""
    path = Path(name)
    return (path / LEDGER).is_file() or (path.is_dir() and not is_bot_name(name))


def run_in(folder: Path, deals: int | None, tables: Path | None, bots_folder: Path) -> JudgeTask:
    """The plan to judge the bots of the run in a folder, as they were when they played.

    Rivals have equal shares of a bot's deals, each of them others. Raises ArenaError.
    """
    catalogue = Catalogue(bots_folder, results=folder.parent)
    tournament = load_tournament(folder, catalogue)
    if tournament.game is not GAME:
        raise UsageError(f"nobody judges games of {tournament.game.title}")
    if tournament.players > _MAX_SEATS:
        raise UsageError(f"{folder}: nobody judges games of {tournament.players} players")
    _check_unchanged(tournament, folder)
    judge = judge_for(tournament.rules, tournament.players, tables)
    deals = judge.deals(deals)
    table = table_spec_for(tournament, catalogue)
    tasks = [*_tasks(table, _met(tournament, folder), deals)]
    return JudgeTask(judge, deals, table, tasks, "", folder / RESOLVED, lenient=True)


def _check_unchanged(tournament: Tournament, folder: Path) -> None:
    """Refuse bots of which no copy is kept, and which are not those that played any more."""
    now, before = (data["bots"] for data in (tournament.identity(), _identity(folder)))
    changed = [bot["name"] for bot in now if bot not in before]
    if changed:
        raise UsageError(
            f"{folder}: {' and '.join(changed)} changed since these results were played. Play them"
            " anew (arena run, --fresh), or judge bots by name: arena judge BOT"
        )


def _met(tournament: Tournament, folder: Path) -> Mapping[int, list[int]]:
    """Whom each bot met, by number, without those that are out."""
    out = read_ledger(folder, lambda totals: totals.out)
    bots = [bot for bot, entrant in enumerate(tournament.entrants) if entrant.name not in out]
    met: dict[int, list[int]] = {bot: [] for bot in bots}
    for group in tournament.groups():
        if met.keys() >= {*group}:
            for bot in group:
                met[bot] += [rival for rival in group if rival != bot]
    return met


def _tasks(table: TableSpec, met: Mapping[int, list[int]], deals: int) -> Iterator[JudgePart]:
    for bot, rivals in met.items():
        own = table.seats[bot]
        if table.players == 1:
            yield JudgePart(own.name, replace(table, seats=(own,)), range(deals))
        for index, rival in enumerate(rivals[:deals]):
            pair = replace(table, seats=(own, table.seats[rival]))
            yield JudgePart(own.name, pair, range(index, deals, len(rivals)))


# What is kept -----------------------------------------------------------------------------------


class StoredJudgements(NamedTuple):
    """What was found of the bots of a run."""

    judge: str
    rules: RuleSet
    deals: int
    judgements: Judgements


def keep(result: Judgements, planned: JudgeTask, folder: Path) -> None:
    """Write down what was found, beside the results that it is about."""
    data = {
        "results": _digest(_identity(folder)),
        "judge": planned.judge.name,
        "deals": planned.deals,
        "bots": {bot: as_data(judgement) for bot, judgement in result.items()},
    }
    write_atomically(folder / JUDGED_FILE, json.dumps(data) + "\n")


def stored_in(folder: Path) -> StoredJudgements | None:
    """What was found of the bots of the run in a folder; None where nothing was, or where other
    results lie there by now. Raises ValueError where what is kept is damaged."""
    path = folder / JUDGED_FILE
    if not path.is_file():
        return None
    identity = _identity(folder)
    try:
        data = json.loads(path.read_text("utf-8"))
        if data["results"] != _digest(identity):
            return None
        entries = dict(_stored_judgements(data["bots"], identity))
        rules = GAME.rules.from_dict(identity["rules"])
        return StoredJudgements(f"{data['judge']:.20}", rules, int(data["deals"]), entries)
    except (OSError, TypeError, KeyError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged") from error


def _stored_judgements(
    data: Mapping[str, Any], identity: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    names = [bot["name"] for bot in identity["bots"]]
    for name in names:
        if name in data:
            judgement = from_data(data[name], identity["players"])
            if not {mistake.rival for mistake in judgement.worst} <= {"", *names}:
                raise ValueError("a rival is unknown")
            yield name, judgement


def _identity(folder: Path) -> Mapping[str, Any]:
    return read_ledger(folder, lambda totals: totals.identity)


def _digest(identity: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
