"""Tuning of a bot's options, in Python."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

from cantstop_arena.api.bot_arguments import AnyBot, bots_in, catalogue_of, entrant_of
from cantstop_arena.api.folders import cleaned_name
from cantstop_arena.api.keywords import TuneKeys, keywords, run_options
from cantstop_arena.atomic_files import check_results_folder, write_result
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.deals.payoff import WINS_ONLY
from cantstop_arena.errors import BotError
from cantstop_arena.games.registry import DEFAULT
from cantstop_arena.processes.shutdown import observed_by
from cantstop_arena.ratings.sequential.sprt import Sprt
from cantstop_arena.reports.tournament_files import PAGE
from cantstop_arena.reports.tuning_report import (
    SearchSpace,
    TunedGame,
    tuning_content,
    tuning_headline,
    tuning_json,
    tuning_table,
    tuning_text,
    write_tuning,
)
from cantstop_arena.tables.all_tables import WRITERS
from cantstop_arena.tournaments.file.bot_references import command_in, suggesting_game
from cantstop_arena.tournaments.file.entrants import find_bot
from cantstop_arena.tournaments.run import create_run_folder
from cantstop_arena.tuning.search_space import search_space_of
from cantstop_arena.tuning.tuner import Tuner, TuningResult
from cantstop_arena.tuning.variant_trials import variant_trials_for
from cantstop_arena.views.progress_lines import observer_for

ELO = 10  # by which the tuned bot must be stronger
GAMES = 20_000


@dataclass(frozen=True)
class TuningResults:
    """The tuned options; `result` has the trials and the test of them."""

    result: TuningResult
    search_space: SearchSpace
    tuned: TunedGame
    folder: Path

    @property
    def bot(self) -> str:
        """The bot, as it was named."""
        return self.tuned.bot

    @property
    def against(self) -> Sequence[str]:
        """The names of its opponents."""
        return self.tuned.against

    @property
    def options(self) -> Mapping[str, Any]:
        """The tuned options."""
        return self.result.options

    @property
    def headline(self) -> str:
        """The answer, in a sentence without its full stop."""
        return tuning_headline(self.result)

    @property
    def text(self) -> str:
        """The result as text, as `arena tune` prints it."""
        return tuning_text(self.result, self.search_space, self.bot, self._opponents, ELO)

    @cached_property
    def content(self) -> dict[str, Any]:
        """All results as plain values: the content of `tuning.json`."""
        return tuning_content(self.result, self.search_space, self.tuned, ELO)

    @property
    def json(self) -> str:
        """The result as JSON."""
        return tuning_json(self.content)

    def as_format(self, form: str) -> str:
        """The result in one of the formats of tables: text, markdown, csv, json, latex."""
        if form in ("text", "json"):
            return f"{self.text}\n" if form == "text" else self.json
        return WRITERS[form]([tuning_table(self.result, self.search_space, self.bot)])

    @property
    def page(self) -> str:
        """A page with all trials and the fitted curve."""
        from cantstop_arena.reports.write_page import tuning_page

        return tuning_page(self.content)

    def write_page(self) -> Path:
        """Write `report.html` into the folder. Raises PageError when a package is missing."""
        return write_result(self.folder, PAGE, self.page)

    @property
    def _opponents(self) -> str:
        return " and ".join(self.against)

    def __str__(self) -> str:
        return self.text


@keywords(TuneKeys)
def tune(
    bot: AnyBot,
    *search_spaces: str,
    against: Sequence[AnyBot] = (),
    games: int = GAMES,
    seed: int = 1,
    **given: Unpack[TuneKeys],
) -> TuningResults:
    """Find better options for a bot, as `arena tune` does: `tune("rule28", "threshold=18..46")`.

    With more than two `players` the opponent fills the seats that remain. `isolate` is for all
    bots from files and packages. `tuning.json` is written into a folder of the results that is
    named after the bot and the options, and with `page` `report.html`.

    Raises UsageError for an option that cannot be tuned, and Interrupted on Ctrl-C.
    """
    catalogue, players = catalogue_of(given, bot), given["players"]
    chosen = catalogue.rules_called(given["rules"])
    rivals = bots_in(against, "against", catalogue)
    with suggesting_game((bot, *rivals), catalogue):
        spec = _description_of(bot, catalogue)
        search_space = search_space_of([*map(str, search_spaces)], spec)
        opponents = [_description_of(rival, catalogue) for rival in rivals] or [spec]
    name = bot if isinstance(bot, str) else spec.name
    folder = Path(given["results"]) / cleaned_name("tune", name, *search_space.names)
    check_results_folder(folder)
    options = run_options(given).pool_options
    with observed_by(observer_for(given["progress"], f"Tuning {spec.name}")) as observer:
        if catalogue.game.payoff:
            observer.on_notice(
                WINS_ONLY.format("Options are tuned", "curves are fitted to scores from 0 to 1")
            )
        names = search_space.names
        with variant_trials_for(
            catalogue, chosen, spec, opponents, seed, names, observer, options, players
        ) as trials:
            deals = games // trials.games_per_deal // len(opponents)
            test = Sprt(0, ELO, players=trials.lineup_size, games=trials.games_per_deal)
            tuner = Tuner(trials, search_space, spec.defaults)
            result = tuner.tune(deals, seed, test, observer)
    tuned = TunedGame(
        name,
        tuple(opponent.name for opponent in opponents),
        catalogue.game.name,
        chosen.name,
        trials.players,
        seed,
        _command(name, search_spaces, rivals, games, seed, given, catalogue),
    )
    results = TuningResults(result, search_space, tuned, folder)
    create_run_folder(folder.parent, folder)
    write_tuning(results.content, folder)
    if given["page"]:
        results.write_page()
    return results


def _command(
    bot: str,
    search_spaces: Sequence[str],
    rivals: Sequence[AnyBot],
    games: int,
    seed: int,
    given: TuneKeys,
    catalogue: Catalogue,
) -> str:
    """The command that tunes the bot again."""
    command = ["arena", "tune", bot, *map(str, search_spaces)]
    for rival in rivals:
        command += ["--against", rival if isinstance(rival, str) else type(rival).__name__]
    command += ["--games", str(games), "--seed", str(seed)]
    command += ["--game", catalogue.game.name] if catalogue.game.name != DEFAULT else []
    command += ["--rules", str(given["rules"])] if given["rules"] else []
    command += ["--players", str(given["players"])] if given["players"] not in (None, 2) else []
    return shlex.join(command)


def _description_of(bot: AnyBot, catalogue: Catalogue) -> BotDescription:
    """The description of a bot. Raises BotError, also for a program, which has no options."""
    if isinstance(bot, str) and not command_in(bot, catalogue):
        return find_bot(bot, Path(), catalogue)
    entrant = entrant_of(bot, catalogue)
    if entrant.command:
        raise BotError(f"{entrant.name} is a program; arena tune plays bots in Python only")
    return entrant.bot
