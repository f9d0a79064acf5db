"""Guests in the results of a tournament: bots that play under its setting into its ledger.

Its file asks for none of their games, and its tables do not have them. A later run finds them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from msgspec.structs import replace

from cantstop_arena.bots.bot_paths import bot_files, bot_name
from cantstop_arena.bots.bot_start import check_sandbox, isolation_of
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.bots.versions import version_in
from cantstop_arena.errors import BotError, ConfigError, UsageError
from cantstop_arena.games.registry import game_named
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.file.tournament_file import arrivals_in, read, tournament_from_keys
from cantstop_arena.tournaments.ledger.ledger import Ledger
from cantstop_arena.tournaments.ledger.ledger_query import (
    LUCK_BY_STAKE,
    LUCK_BY_VALUE,
    BotVersion,
    LedgerQuery,
    QueryBot,
    version_of,
)
from cantstop_arena.tournaments.ledger.open_ledger import ledger_part
from cantstop_arena.tournaments.ledger.read_ledger import look_into
from cantstop_arena.tournaments.openings import OPENINGS
from cantstop_arena.tournaments.tournament import COPIES, RESOLVED, Overrides, Tournament
from cantstop_arena.tournaments.version_history import query_of_versions

Notice: TypeAlias = Callable[[str], None]
_LUCK = {LUCK_BY_STAKE: True, LUCK_BY_VALUE: "value"}


class Host:
    """A folder of results whose ledger takes games of guests, with the `query` of its last run,
    whose results have so many `games` of each group.

    Raises UsageError or LedgerError when there is none.
    """

    def __init__(self, folder: Path, catalogue: Catalogue) -> None:
        self.folder = folder
        self.query, deals = look_into(folder, _last_run(folder))
        self.games = deals * len(self.query.orders)
        catalogue = catalogue.playing(game_named(self.query.setting.game))
        self.catalogue = catalogue.with_arrivals(arrivals_in(folder))

    @property
    def keys(self) -> Mapping[str, Any]:
        """What the games of the last run have in common, as the keys of a tournament file."""
        query, setting = self.query, self.query.setting
        return {
            "name": query.name,
            "game": setting.game,
            "rules": dict(query.rule_set),
            "players": setting.players,
            "seed": setting.deal_seed,
            "decision_limit": setting.decision_limit,
            "max_faults": query.max_faults,
            "luck_removed": _LUCK.get(query.detail, False),
            "openings": self._openings,
        }

    @property
    def _openings(self) -> Any:
        """The openings of the last run, as the key of a file; None without any."""
        openings = self.query.setting.openings
        if isinstance(openings, Mapping) and "file" in openings:
            return {"file": str((self.folder / OPENINGS).absolute())}
        return openings

    def guest(self, planned: Tournament) -> Tournament:
        """A planned tournament as a guest. Raises UsageError where its games would be others."""
        guest = replace(
            planned,
            source=self.folder / RESOLVED,
            is_guest=True,
            part=ledger_part(self.folder).part,
        )
        self._check(guest)
        return guest

    def _check(self, guest: Tournament) -> None:
        own, given = self.query.setting, guest.query.setting
        rules: tuple[object, object] = (own.rules, given.rules)
        if own.rules != given.rules and self.query.rules != guest.rules.name:
            rules = (self.query.rules, guest.rules.name)
        values: dict[str, tuple[object, object]] = {
            "players": (own.players, given.players),
            "rules": rules,
            "seed": (own.seed, given.seed),
            "decision limit": (own.decision_limit, given.decision_limit),
            "luck removed": (self.keys["luck_removed"], guest.luck_removed),
            "openings": (own.openings, given.openings),
        }
        for key, (there, here) in values.items():
            self.check(key, here, there)

    def check(self, key: str, value: object, own: object) -> None:
        """Raise UsageError for a value that differs from that of the last run."""
        if value != own:
            raise UsageError(
                f"{key} {value} contradicts {self.folder}, which was played with {key} {own}"
            )

    def entrant(self, reference: str) -> Entrant:
        """A bot as the last run's file has it, as one of its versions played, or as it is now.

        Raises BotError, UsageError.
        """
        version = version_in(reference)
        name = version.bot if version else reference
        query_bot = next((bot for bot in self.query.bots if bot.name == name), None)
        isolation = isolation_of(query_bot.version.isolate) if query_bot else None
        check_sandbox(name, isolation or self.catalogue.isolation)
        catalogue = self.catalogue.isolated(isolation or self.catalogue.isolation)
        if query_bot and not version:
            return self._edited(query_bot, self._present(name) or _found_bot(query_bot, catalogue))
        entrant = entrant_from_reference(reference, catalogue)
        if version:
            for played in reversed(look_into(self.folder, _versions_named(name))):
                if played.digest == entrant.bot.digest:
                    return self.as_played(entrant.name, name, played)
        return entrant

    def as_played(self, name: str, bot: str, version: BotVersion) -> Entrant:
        """A version that has played as the bot of this name, under another one.

        Raises BotError when it cannot play again: it lacks its copy, or a file that it plays with.
        """
        present = self._present(bot)
        if present and version_of(present).id == version.id:
            return replace(present, name=name)
        isolation = isolation_of(version.isolate)
        assert isolation is not None
        check_sandbox(name, isolation)
        needs = present.needs if present else ()
        catalogue = self.catalogue.isolated(isolation, needs)
        for description in self._descriptions(bot, version, catalogue):
            entrant = Entrant(
                name, description, version.options, isolation, needs=needs, own_name=version.bot
            )
            if version_of(entrant).id == version.id:
                return entrant
        raise BotError(
            f"{name} cannot play again: {self.folder / COPIES} lacks its copy, or a file that it"
            " plays with has changed"
        )

    def _descriptions(
        self, bot: str, version: BotVersion, catalogue: Catalogue
    ) -> Iterator[BotDescription]:
        """The bots that can be a version: built in, packaged, or in the files of its copy.

        Raises BotError where no bot has its name, or several have.
        """
        if not version.origin.has_path:
            yield catalogue.find(version.bot)
            return
        files = bot_files(self.folder / COPIES / version.digest)
        for file in sorted(files, key=lambda file: bot_name(file) != bot):
            with suppress(BotError):
                yield from catalogue.bots_of(file)

    def versions_of(
        self, bot: str, versions: Mapping[str, BotVersion], notice: Notice
    ) -> Tournament | None:
        """Versions of a bot with the field of the last run, by the names under which they play.

        The versions that cannot play again are left out with a notice; None if none can. Raises
        BotError where a bot of the field cannot.
        """
        playing: dict[str, Entrant] = {}
        for name, version in versions.items():
            try:
                playing[name] = self.as_played(name, bot, version)
            except BotError as error:
                notice(str(error))
        if not playing:
            return None
        query = query_of_versions(self.query, bot, {name: versions[name] for name in playing})
        entrants = [
            playing.get(each.name) or self.as_played(each.name, each.name, each.version)
            for each in query.bots
        ]
        keys = {**self.keys, "games": self.games}
        planned = tournament_from_keys(keys, entrants, self.catalogue, self.folder / RESOLVED)
        numbers = {number for number, name in enumerate(query.names) if name in playing}
        lineups = tuple(group for group in query.groups if numbers.intersection(group))
        return replace(self.guest(planned), lineups=lineups)

    def _present(self, name: str) -> Entrant | None:
        """The bot of this name in the last run's file, as it is now; None where there is none."""
        return self._entrants.get(name) if name in self.query.names else None

    @cached_property
    def _entrants(self) -> Mapping[str, Entrant]:
        """The bots of the last run's file as they are now, by name; none if any of them is gone."""
        with suppress(ConfigError, BotError):
            isolate = Overrides(isolate=self.catalogue.isolation)
            bots = read(self.folder / RESOLVED, self.catalogue, isolate).entrants
            return {entrant.name: entrant for entrant in bots}
        return {}

    def _edited(self, query_bot: QueryBot, entrant: Entrant) -> Entrant:
        """A bot of the file, with all options of the last run, as it is after edits since then.

        Options that nobody has chosen have the defaults of the present file.
        """
        if entrant.bot.digest == query_bot.version.digest or not entrant.bot.origin.is_foreign:
            return entrant
        former: Mapping[str, Any] = {}
        with suppress(BotError):
            former = self.as_played(query_bot.name, query_bot.name, query_bot.version).bot.defaults
        defaults = entrant.bot.defaults
        chosen = {
            key: value
            for key, value in entrant.options.items()
            if key in defaults and former.get(key, value) != value
        }
        return replace(entrant, options={**defaults, **chosen})


def _found_bot(query_bot: QueryBot, catalogue: Catalogue) -> Entrant:
    """A bot of the last run, found by its path or its own name."""
    is_alone = query_bot.path and bot_name(Path(query_bot.path)) == query_bot.bot
    entrant = entrant_from_reference(query_bot.path if is_alone else query_bot.bot, catalogue)
    return replace(entrant, name=query_bot.name, options=query_bot.version.options)


def _last_run(folder: Path) -> Callable[[Ledger], tuple[LedgerQuery, int]]:
    part = ledger_part(folder).part

    def query_and_deals(ledger: Ledger) -> tuple[LedgerQuery, int]:
        query, deals = ledger.query(part), ledger.deals(part)
        if query is None or deals is None:
            raise UsageError(f"{folder}: nothing has been played yet.")
        return query, deals

    return query_and_deals


def _versions_named(name: str) -> Callable[[Ledger], Sequence[BotVersion]]:
    return lambda ledger: ledger.versions_named(name)
