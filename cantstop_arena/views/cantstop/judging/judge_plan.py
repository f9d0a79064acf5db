"""The judging of named bots against one opponent, with a tournament file for replays."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from cantstop_arena.atomic_files import check_results_folder, write_result
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.tournaments.file.entrants import find_bot, is_bot_name
from cantstop_arena.tournaments.table_spec import SeatSpec, TableSpec, seat_for
from cantstop_arena.views.cantstop.commands.board_arguments import rules_from_argument
from cantstop_arena.views.cantstop.judging.judge_process import JudgePart
from cantstop_arena.views.cantstop.judging.judge_task import JudgeTask, judge_for

FOLDER = "judged"


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
) -> JudgeTask:
    """The task of judging bots by name; the default opponent is the judge.

    Its tournament file is written below `results`. Raises ArenaError.
    """
    catalogue = Catalogue(bots_folder)
    rules = rules_from_argument(name, changes, catalogue)
    judge = judge_for(rules, players)
    deals = judge.deals(deals)
    all_names = [*dict.fromkeys([*names, against or judge.name])]
    seats = {bot: _seat(bot, catalogue) for bot in all_names}
    game = catalogue.game.name
    table = TableSpec(game, rules, tuple(seats.values()), players, seed, bots_folder)
    rival = (seats[against or judge.name],) if players > 1 else ()
    tasks = [
        JudgePart(bot, replace(table, seats=(seats[bot], *rival)), range(deals))
        for bot in dict.fromkeys(names)
    ]
    bots = all_names if rival else [*dict.fromkeys(names)]
    file = _write_tournament(results, rules, players, deals, seed, bots)
    return JudgeTask(judge, deals, table, tasks, against or judge.name, file)


def _seat(name: str, catalogue: Catalogue) -> SeatSpec:
    bot = find_bot(name, Path(), catalogue)
    return seat_for(bot.name, bot, bot.defaults)


def _write_tournament(
    results: Path, rules: RuleSet, players: int, deals: int, seed: int, bots: Sequence[str]
) -> Path:
    """Write the judged games as a tournament file, with which they can be replayed."""
    parameters = {key: value for key, value in rules.as_dict().items() if key != "name"}
    lines = {
        "players": players,
        "games": deals * players,
        "seed": seed,
        "rules": {"base": "classic", "name": rules.name, **parameters},
        "bots": [bot if is_bot_name(bot) else str(Path(bot).absolute()) for bot in bots],
    }
    text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in lines.items())
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    check_results_folder(results / FOLDER)
    return write_result(results, f"{FOLDER}/{digest}.yaml", text)
