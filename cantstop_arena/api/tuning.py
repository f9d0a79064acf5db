"""Tuning of a bot's options, in Python."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from cantstop_arena.api.bot_arguments import (
    AnyBot,
    bots_in,
    catalogue_of,
    entrant_of,
)
from cantstop_arena.api.keywords import TuneKeys, keywords, run_options
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.errors import BotError
from cantstop_arena.ratings.sequential.sprt import Sprt
from cantstop_arena.reports.tuning_report import (
    SearchSpace,
    tuning_headline,
    tuning_json,
    tuning_table,
    tuning_text,
)
from cantstop_arena.tables.all_tables import WRITERS
from cantstop_arena.tournaments.file.bot_references import command_in, suggesting_game
from cantstop_arena.tournaments.file.entrants import find_bot
from cantstop_arena.tournaments.run_observer import observed_by
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
    bot: str
    against: Sequence[str]

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

    @property
    def json(self) -> str:
        """The result as JSON."""
        return tuning_json(self.result, self.search_space)

    def as_format(self, form: str) -> str:
        """The result in one of the formats of tables: text, markdown, csv, json, latex."""
        if form in ("text", "json"):
            return f"{self.text if form == 'text' else self.json}\n"
        return WRITERS[form]([tuning_table(self.result, self.search_space, self.bot)])

    @property
    def page(self) -> str:
        """A page with all trials and the fitted curve."""
        from cantstop_arena.reports.write_page import tuning_page

        return tuning_page(self.result, self.search_space, self.bot, self._opponents, ELO)

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
    bots from files and packages.

    Raises UsageError for an option that cannot be tuned, and Interrupted on Ctrl-C.
    """
    catalogue, players = catalogue_of(given, bot), given["players"]
    chosen = catalogue.rules_called(given["rules"])
    rivals = bots_in(against, "against", catalogue)
    with suggesting_game((bot, *rivals), catalogue):
        spec = _description_of(bot, catalogue)
        search_space = search_space_of([*map(str, search_spaces)], spec)
        opponents = [_description_of(rival, catalogue) for rival in rivals] or [spec]
    options = run_options(given).pool_options
    with observed_by(observer_for(given["progress"], f"Tuning {spec.name}")) as observer:
        names = search_space.names
        with variant_trials_for(
            catalogue, chosen, spec, opponents, seed, names, observer, options, players
        ) as trials:
            deals = games // trials.games_per_deal // len(opponents)
            test = Sprt(0, ELO, players=players, games=trials.games_per_deal)
            tuner = Tuner(trials, search_space, spec.defaults)
            result = tuner.tune(deals, seed, test, observer)
    name = bot if isinstance(bot, str) else spec.name
    return TuningResults(result, search_space, name, [opponent.name for opponent in opponents])


def _description_of(bot: AnyBot, catalogue: Catalogue) -> BotDescription:
    """The description of a bot. Raises BotError, also for a program, which has no options."""
    if isinstance(bot, str) and not command_in(bot, catalogue):
        return find_bot(bot, Path(), catalogue)
    entrant = entrant_of(bot, catalogue)
    if entrant.command:
        raise BotError(f"{entrant.name} is a program; arena tune plays bots in Python only")
    return entrant.bot
