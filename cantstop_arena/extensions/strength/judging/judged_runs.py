"""The judging of a run's bots against the opponents they met, and its stored results."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import asdict, replace

from cantstop_arena.atomic_files import write_result
from cantstop_arena.bots.bot_paths import is_bot_name
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.strength.exact.regret import Judgement, Mistake
from cantstop_arena.extensions.strength.extension import JUDGED
from cantstop_arena.extensions.strength.judging.judge_plan import JudgePart, JudgeTask, judge_for
from cantstop_arena.extensions.strength.judging.judge_process import Judgements, is_consistent
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.ledger.ledger_query import LedgerQuery
from cantstop_arena.tournaments.ledger.read_ledger import read_ledger
from cantstop_arena.tournaments.stored_tournament import load_tournament
from cantstop_arena.tournaments.table_spec import TableSpec, table_spec_for
from cantstop_arena.tournaments.tournament import RESOLVED, Tournament

_MAX_SEATS = 2


def is_run(name: str) -> bool:
    """Whether a name is a results folder; any folder whose name cannot be a bot's counts too."""
    path = Path(name)
    return (path / LEDGER).is_file() or (path.is_dir() and not is_bot_name(name))


def run_in(folder: Path, deals: int | None, bots_folder: Path) -> JudgeTask:
    """The task of judging the bots of the run in a folder, in the versions that played.

    A bot's deals are divided equally among its opponents. Raises ArenaError.
    """
    catalogue = Catalogue(bots_folder, results=folder.parent)
    tournament = load_tournament(folder, catalogue)
    if tournament.game is not GAME:
        raise UsageError(f"there is no judge for games of {tournament.game.title}")
    if tournament.players > _MAX_SEATS:
        raise UsageError(f"{folder}: there is no judge for games of {tournament.players} players")
    _check_unchanged(tournament, folder)
    judge = judge_for(tournament.rules, tournament.players)
    deals = judge.deals(deals)
    table = table_spec_for(tournament, catalogue)
    tasks = [*_tasks(table, _rivals_met(tournament, folder), deals)]
    return JudgeTask(judge, deals, table, tasks, "", folder / RESOLVED)


def _check_unchanged(tournament: Tournament, folder: Path) -> None:
    """Raise UsageError for bots that have changed since the run and have no stored copy."""
    before = {bot.name: bot.version.id for bot in _query(folder).bots}
    now = tournament.with_own_processes(_query(folder).own_processes).query
    changed = [bot.name for bot in now.bots if before.get(bot.name) != bot.version.id]
    if changed:
        raise UsageError(
            f"{folder}: {' and '.join(changed)} changed since these results were played. Play"
            " them again (arena run --fresh), or judge the bots by name: arena judge BOT"
        )


def _rivals_met(tournament: Tournament, folder: Path) -> Mapping[int, list[int]]:
    """The opponents that each bot met, by number, without disqualified bots."""
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


# Stored judgements ------------------------------------------------------------------------------


class StoredJudgements(NamedTuple):
    """The stored judgements of a run's bots."""

    judge: str
    rules: RuleSet
    deals: int
    judgements: Judgements


def keep(judgements: Judgements, planned: JudgeTask, folder: Path) -> None:
    """Store the judgements in the folder of the run."""
    bots = {bot: _as_data(judgement) for bot, judgement in judgements.items()}
    content = _JudgedFile(_digest(_query(folder)), planned.judge.name, planned.deals, bots)
    write_result(folder, JUDGED, json.dumps(asdict(content)) + "\n")


class _JudgedFile(msgspec.Struct):
    """The content of JUDGED; `results` is the digest of the query of what was judged."""

    results: str
    judge: str
    deals: int
    bots: Mapping[str, Mapping[str, Any]]


def stored_in(folder: Path) -> StoredJudgements | None:
    """The judgements stored in the folder of a run; None when there are none, or when they are for
    other results. Raises ValueError when the file is damaged."""
    path = folder / JUDGED
    if not path.is_file():
        return None
    query = _query(folder)
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=_JudgedFile)
        if stored.results != _digest(query):
            return None
        judgements = dict(_stored_judgements(stored.bots, query))
        rules = GAME.rules.from_dict(query.rule_set)
        return StoredJudgements(stored.judge[:20], rules, stored.deals, judgements)
    except (OSError, TypeError, KeyError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged") from error


def _stored_judgements(
    data: Mapping[str, Mapping[str, Any]], query: LedgerQuery
) -> Iterator[tuple[str, Judgement]]:
    names = query.names
    for name in names:
        if name in data:
            yield name, _from_data(data[name], query.players, {"", *names})


def _query(folder: Path) -> LedgerQuery:
    return read_ledger(folder, lambda totals: totals.query)


def _digest(query: LedgerQuery) -> str:
    return hashlib.sha256(query.with_deals(0).text.encode()).hexdigest()


# As JSON ----------------------------------------------------------------------------------------


def _as_data(judgement: Judgement) -> Mapping[str, Any]:
    """A judgement as values for JSON."""
    return {
        "losses": judgement.losses,
        "sizes": judgement.sizes,
        "missed": judgement.missed,
        "worst": [*map(_mistake_as_data, judgement.worst)],
        "decisions": judgement.decisions,
        "situations": [*map(asdict, judgement.situations)],
    }


def _mistake_as_data(mistake: Mistake) -> Mapping[str, Any]:
    markers = [_pairs(spaces) for spaces in mistake.markers]
    return {**mistake.as_dict(), "markers": markers, "runners": _pairs(mistake.runners)}


def _pairs(spaces: Mapping[int, int]) -> Sequence[tuple[int, int]]:
    """Spaces by column as pairs, as JSON has no integer keys."""
    return list(spaces.items())


def _from_data(data: Mapping[str, Any], players: int, rivals: Collection[str]) -> Judgement:
    """The judgement of parsed JSON. Raises ValueError, TypeError or KeyError when it is invalid."""
    worst = [*map(_with_spaces, data["worst"])]
    judgement = msgspec.convert({**data, "worst": worst, "seats": players}, Judgement)
    if not is_consistent(judgement, players, rivals):
        raise ValueError("its parts do not belong together")
    return judgement


def _with_spaces(mistake: Mapping[str, Any]) -> Mapping[str, Any]:
    """A mistake with spaces by column in place of pairs."""
    markers = [*map(dict, mistake["markers"])]
    return {**mistake, "markers": markers, "runners": dict(mistake["runners"])}
