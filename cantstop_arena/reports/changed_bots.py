"""A line for each bot that has changed since an earlier run: its rank, its Elo, and its gain."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from cantstop_arena.errors import ArenaError
from cantstop_arena.reports.history_report import analysis_of, rated_versions
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import estimate, signed_text
from cantstop_arena.tables.formats import value_text
from cantstop_arena.texts import how_many, ordinal
from cantstop_arena.tournaments.changes import bot_changes
from cantstop_arena.tournaments.ledger.ledger_query import BotVersion, LedgerQuery
from cantstop_arena.tournaments.ledger.read_ledger import load_results_with_aims, look_into
from cantstop_arena.tournaments.version_history import version_history

_MAX_BOTS = 3  # each takes a fit of all versions
_ELO = estimate("elo", "Elo", 1)


def last_query(folder: Path) -> LedgerQuery | None:
    """What the last run in a folder asked for; None where there is none that can be read."""
    with suppress(ArenaError):
        return look_into(folder, lambda ledger: ledger.query())
    return None


def changed_bot_lines(before: LedgerQuery | None, folder: Path) -> Iterator[str]:
    """A line for each bot of the last run that is new, or has changed since the query `before`.

    Three at most, and one on how many more there are. Raises ArenaError.
    """
    now = last_query(folder)
    if before is None or now is None:
        return
    changes = bot_changes(before, now)
    bots = [bot for bot in now.bots if bot.name in changes.changed or bot.name in changes.new]
    if not bots:
        return
    analysis = Analysis(load_results_with_aims(folder))
    for bot in bots[:_MAX_BOTS]:
        former = None if analysis.is_solo else changes.changed.get(bot.name)
        gain = _gain(folder, bot.name, former, bot.version) if former else ""
        yield f"{bot.name}: {_standing(analysis, bot.name)}{gain}."
    if len(bots) > _MAX_BOTS:
        yield f"and {how_many(len(bots) - _MAX_BOTS, 'more bot')}."


def _standing(analysis: Analysis, bot: str) -> str:
    """The rank of a bot, and its Elo where it met others."""
    bots = analysis.results.bots
    if bot not in bots:
        return "disqualified"
    number = bots.index(bot)
    rank = next(rank for rank, other in analysis.ranking if other == number)
    if rank is None:
        return "no games"
    rank_text = f"{ordinal(rank)} of {len(bots)}"
    return (
        rank_text
        if analysis.is_solo
        else f"{rank_text}, Elo {value_text(_ELO, analysis.elo[number])}"
    )


def _gain(folder: Path, bot: str, former: BotVersion, present: BotVersion) -> str:
    """By how much the present version of a bot is ahead of the former one; empty if unknown."""
    history = version_history(folder, bot)
    by_id = {
        row.version.version.id: row for row in rated_versions(history, analysis_of(history, folder))
    }
    now, before = by_id.get(present.id), by_id.get(former.id)
    if now is None or before is None or now.elo.mean is None or before.elo.mean is None:
        return ""
    ahead = signed_text(now.elo.mean - before.elo.mean, 1)
    deals = "" if before.version.missing or now.version.missing else " on the same deals"
    return f", {ahead} against {bot}@{before.label}{deals}"
