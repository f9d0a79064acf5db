"""`arena judge`: what a bot's decisions lose."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.rules import RuleSet

FOLDER = "judged"
DEALS, FEW_DEALS = 1000, 100  # by a table, and by nets, which think for a while


@click.command(short_help="Say what the decisions of bots lose.")
@click.argument("names", nargs=-1, required=True, metavar="BOT...")
@click.option("--against", metavar="BOT", help="The rival. Default: who judges.")
@click.option("--rules", "name", default="classic", show_default=True, help="By name, or N,K.")
@click.option("--change", "changes", multiple=True, metavar="KEY=VALUE", help="Of the rules.")
@click.option("--players", type=click.IntRange(1, 2), default=2, show_default=True)
@click.option(
    "--deals",
    type=click.IntRange(2, 10**5),
    help=f"Default: {DEALS} where a solved board judges, else {FEW_DEALS}.",
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True)
@click.option(
    "--tables",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where solved boards are kept; see arena solve.",
)
@click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    metavar="DIR",
    help="Where a tournament file goes by which games are replayed.",
)
@click.option(
    "--bots",
    "bots_folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("bots"),
    show_default=True,
    metavar="DIR",
    help="Folder whose files are bots.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page to this file, too.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def judge(
    names: tuple[str, ...],
    against: str | None,
    name: str,
    changes: tuple[str, ...],
    players: int,
    deals: int | None,
    seed: int,
    tables: Path | None,
    results: Path,
    bots_folder: Path,
    html: Path | None,
    as_json: bool,
) -> None:
    """Say what the decisions of each BOT lose.

    The judge is the table of a board that has been solved, else the grandmaster's nets.

    Losses are in points of winning probability (percent), alone in turns; all of a bot's decisions
    are looked at, in every seat. The ten worst are drawn, each with the command that replays it.
    """
    from cantstop_arena.bot_sources.catalogue import Catalogue
    from cantstop_arena.games.cantstop.judging.evaluators import best_evaluator
    from cantstop_arena.games.cantstop.solving.tables import tables_folder
    from cantstop_arena.tournament.files.entrants import find_bot
    from cantstop_arena.tournament.setup.table_specs import TableSpec, seat_for
    from cantstop_arena.views.cantstop.board_names import board_called
    from cantstop_arena.views.cantstop.judging.judge_errand import judged
    from cantstop_arena.views.cantstop.judging.judgement_text import (
        PERFECT,
        heading,
        judgements_json,
        table,
        told,
        worst,
    )

    catalogue = Catalogue(bots_folder)
    rules = board_called(name, changes, catalogue)
    folder = tables or tables_folder()
    judge = best_evaluator(rules, players, folder).name
    against = against or judge
    deals = deals or (DEALS if judge == PERFECT else FEW_DEALS)
    rival = find_bot(against, Path(), catalogue)
    found = {}
    for one in dict.fromkeys(names):
        click.echo(f"Judging {one} by {judge} ...", err=True)
        bot = find_bot(one, Path(), catalogue)
        seats = (seat_for(bot.name, bot, bot.defaults), seat_for(against, rival, rival.defaults))
        game = catalogue.game.name
        spec = TableSpec(game, rules, seats, players, seed, bots_folder)
        found[one] = judged(spec, deals, folder)
    bots = [*found, against][: None if players == 2 else -1]
    path = _write_tournament(results, rules, players, deals, seed, bots)
    mistakes = {one: worst(one, against, found[one], rules, path) for one in found}
    if html is not None:
        from cantstop_arena.runtime.whole_files import write_whole
        from cantstop_arena.views.cantstop.judging.judgement_page import judgements_page

        write_whole(html, judgements_page(found, against, rules, mistakes))
    if as_json:
        click.echo(judgements_json(found))
        return
    click.echo(heading(rules, judge, players, deals))
    click.echo(table(found, against))
    for one, shown in mistakes.items():
        for line in told(one, shown):
            click.echo(line)


def _write_tournament(
    results: Path, rules: "RuleSet", players: int, deals: int, seed: int, bots: list[str]
) -> Path:
    """Write down what was judged, as a tournament whose games can be replayed."""
    import hashlib

    from cantstop_arena.runtime.whole_files import write_whole
    from cantstop_arena.tournament.files.entrants import is_bot_name

    told = {key: value for key, value in rules.as_dict().items() if key != "name"}
    known = [bot if is_bot_name(bot) else str(Path(bot).absolute()) for bot in dict.fromkeys(bots)]
    lines = {
        "players": players,
        "games": deals * players,
        "seed": seed,
        "rules": {"base": "classic", "name": rules.name, **told},
        "bots": known,
    }
    text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in lines.items())
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    path = results / FOLDER / f"{digest}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
    return path
