"""Better options for a bot, found in Python."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from cantstop_arena.api.entrants import AnyBot, entrant_of
from cantstop_arena.bot_sources.bot_specs import Description
from cantstop_arena.bot_sources.catalogue import Catalogue
from cantstop_arena.bot_sources.plugins import DEFAULT_FOLDER
from cantstop_arena.bot_sources.versions import RESULTS
from cantstop_arena.games.registry import DEFAULT, game_called
from cantstop_arena.ratings.sequential.sprt import Sprt
from cantstop_arena.reports.tuning import Wish, tuning_json, tuning_text
from cantstop_arena.runtime import shutdown
from cantstop_arena.tournament.files.entrants import find_bot
from cantstop_arena.tuning.laboratory import SEATS, laboratory_for
from cantstop_arena.tuning.tune import Tuned, Tuner
from cantstop_arena.tuning.wishes import wish_of

ELO = 10  # what the result must be better by
GAMES = 20_000


@dataclass(frozen=True)
class TuningResults:
    """The options that were found, and how they were: `found` has the trials and the test."""

    found: Tuned
    wish: Wish
    bot: str
    against: Sequence[str]

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that were found."""
        return self.found.options

    @property
    def text(self) -> str:
        """All of it in words."""
        return tuning_text(self.found, self.wish, self.bot, self._opponents, ELO)

    @property
    def json(self) -> str:
        """All of it as JSON."""
        return tuning_json(self.found, self.wish)

    @property
    def page(self) -> str:
        """All trials and the curve that was fitted to them, as a page."""
        from cantstop_arena.reports.page.make import tuning_page

        return tuning_page(self.found, self.wish, self.bot, self._opponents, ELO)

    @property
    def _opponents(self) -> str:
        return " and ".join(self.against)

    def __str__(self) -> str:
        return self.text


def tune(
    bot: AnyBot,
    *wishes: str,
    against: Sequence[AnyBot] = (),
    games: int = GAMES,
    rules: str | None = None,
    game: str = DEFAULT,
    seed: int = 1,
    progress: bool = False,
    bots_folder: Path | str = DEFAULT_FOLDER,
    results: Path | str = RESULTS,
) -> TuningResults:
    """Find better options for a bot, as `arena tune` does: `tune("rule28", "threshold=18..46")`.

    Raises UsageError for what cannot be tuned, and Interrupted by Ctrl-C.
    """
    catalogue = Catalogue(Path(bots_folder), game_called(game), results=Path(results))
    chosen = catalogue.rules_called(rules)
    spec = _known(bot, catalogue)
    wish = wish_of(wishes, spec)
    opponents = [_known(one, catalogue) for one in against] or [spec]
    with shutdown.noted():
        laboratory = laboratory_for(catalogue, chosen, spec, opponents, seed, wish.names)
        deals = games // SEATS // len(opponents)
        tuner = Tuner(laboratory, wish, spec.defaults)
        found = tuner.tune(deals, seed, Sprt(0, ELO), _teller(progress))
    name = bot if isinstance(bot, str) else spec.name
    return TuningResults(found, wish, name, [one.name for one in opponents])


def _known(bot: AnyBot, catalogue: Catalogue) -> Description:
    if isinstance(bot, str):
        return find_bot(bot, Path(), catalogue)
    return entrant_of(bot, catalogue).bot


def _teller(progress: bool) -> Callable[[str], None]:
    return partial(print, file=sys.stderr) if progress else lambda text: None
