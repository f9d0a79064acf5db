"""The catalogue of available bots and rule sets.

No code of a bot file or a package runs in this process: other processes run it and describe it.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from cantstop_arena.bots.bot_files import BotSource, read_source
from cantstop_arena.bots.bot_paths import bot_files, bot_name, bot_path, file_in, real_path
from cantstop_arena.bots.describe import (
    PackageContents,
    about_file,
    about_package,
    about_packages,
    bots_of_file,
    offer_of_package,
    points_of_packages,
)
from cantstop_arena.bots.known_bot import BotDescription, LoadedBot
from cantstop_arena.bots.loader import Loader, only_bot
from cantstop_arena.bots.versions import RESULTS, digest_of_copy, stored_version
from cantstop_arena.errors import BotError, OtherGameError, UsageError
from cantstop_arena.game_api.bot_options import MAX_QUOTE_LENGTH, did_you_mean
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import DEFAULT, all_games, game_named
from cantstop_arena.processes.isolated_call import run_all
from cantstop_arena.texts import in_a_line

Lookup = Sequence[BotDescription] | BotError
"""The bots of a file, or why it cannot be used."""


class BrokenBot(msgspec.Struct, frozen=True):
    """A plug-in that cannot be used, and why."""

    name: str
    origin: str
    reason: str


class _Descriptions:
    """Descriptions of the bots in files and of the contents of packages, for all games."""

    def __init__(self) -> None:
        self.files: dict[Path, Lookup] = {}

    @cached_property
    def offers(self) -> tuple[list[PackageContents], list[BrokenBot]]:
        """The contents of the installed packages, and the packages that cannot be used."""
        try:
            points, malformed = points_of_packages(next(run_all([about_packages()])))
        except BotError as error:
            return [], [BrokenBot("packages", "package", f"cannot be listed: {error}")]
        offers, broken = [], [BrokenBot(name, "package", reason) for name, reason in malformed]
        answers = run_all([about_package(point) for point in points])
        for (point, value), answer in zip(points.items(), answers, strict=True):
            try:
                offers.append(offer_of_package(point, answer))
            except BotError as error:
                broken.append(BrokenBot(point, f"package {value}", str(error)))
        return offers, broken


class Catalogue:
    """The bots and rule sets for one game: built in, from packages, and from a folder.

    A file is described when it is first needed, and only once.
    """

    def __init__(
        self,
        folder: Path,
        game: Game | None = None,
        descriptions: _Descriptions | None = None,
        results: Path = RESULTS,
    ) -> None:
        self.folder = folder
        self.results = results
        self.game = game or game_named(DEFAULT)
        self._descriptions = descriptions or _Descriptions()
        self._built_in = _BuiltInBots(Loader(folder), self.game)

    def playing(self, game: Game) -> "Catalogue":
        """The catalogue for another game; it shares the descriptions of files and packages."""
        return (
            self
            if game is self.game
            else Catalogue(self.folder, game, self._descriptions, self.results)
        )

    def of_all_games(self) -> "list[Catalogue]":
        """A catalogue for each game."""
        return [self.playing(game) for game in all_games()]

    def find(self, name: str) -> BotDescription:
        """The bot of this name. Raises BotError if there is none, or it is broken."""
        if bot := self._built_in.get(name):
            return bot.description()
        if package_bot := self._packaged.get(name):
            return package_bot
        if path := self.file_of(name):
            return self.load_file(path)
        return self._bot_by_search(name)

    def file_of(self, name: str) -> Path | None:
        """The own file of the bot in the folder that `find` would describe; None if none.

        Raises BotError when a file and a folder have the name.
        """
        return None if self.has(name) else file_in(self.folder, name)

    def _bot_by_search(self, name: str) -> BotDescription:
        """The bot that a file registers under this name; other files are not described."""
        if bot := self._registered.get(name):
            return bot
        if broken := next((bot for bot in self._descriptions.offers[1] if bot.name == name), None):
            raise BotError(f"bot {name} is broken: {broken.reason}")
        if game := self._game_of(name):
            raise OtherGameError(f"bot {name} plays {game}, not {self.game.name}", [game])
        names = (*self._built_in, *self._packaged, *map(bot_name, self._files), *self._registered)
        hint = did_you_mean(name, names) or "".join(
            f"; {broken.origin} cannot be used: {broken.reason}"
            for broken in self._descriptions.offers[1]
        )
        raise BotError(f"unknown bot {name!r:.{MAX_QUOTE_LENGTH}}{hint}")

    def _game_of(self, name: str) -> str | None:
        """The name of another game for which a bot of this name is built in or packaged."""
        catalogues = (catalogue for catalogue in self.of_all_games() if catalogue is not self)
        return next((catalogue.game.name for catalogue in catalogues if catalogue.has(name)), None)

    def has(self, name: str) -> bool:
        """Whether a built-in bot or a bot from a package has this name."""
        return name in self._built_in or name in self._packaged

    def load_file(self, path: Path) -> BotDescription:
        """The one bot of a file. Raises BotError, with the reason, unless there is exactly one."""
        return only_bot(self.bots_of(path), path)

    def version(self, path: Path, version: str) -> BotDescription:
        """An earlier version of a file's one bot, from the copies that runs store.

        `version` is `previous` or the first digits of a digest (see `bots.versions`). Raises
        BotError when no such copy is stored.
        """
        copy = stored_version(self.results, path, version, self._current_digest(path))
        description = self.load_file(copy)
        if description.digest != digest_of_copy(copy):
            raise BotError(f"{bot_path(copy)} is not what has played")
        return description

    def _current_digest(self, path: Path) -> str:
        """The digest of a file's bot; empty if the file is missing or broken.

        Earlier versions of such a file can still play.
        """
        try:
            return self.load_file(path).digest if os.path.lexists(path) else ""
        except BotError:
            return ""

    def bots_of(self, path: Path) -> Sequence[BotDescription]:
        """All bots of a file. Raises BotError, with the reason, if it cannot be used."""
        path = real_path(path)
        self._describe_files([path])
        bots = self._descriptions.files[path]
        if isinstance(bots, BotError):
            raise bots
        other_games = sorted({bot.game for bot in bots} - {self.game.name})
        if other_games:
            raise OtherGameError(
                f"{bot_path(path)} plays {' and '.join(other_games)}, not {self.game.name}",
                other_games,
            )
        return bots

    def everything(self) -> tuple[list[BotDescription], list[BrokenBot]]:
        """All bots, built-in ones first, and all plug-ins that cannot be used."""
        bots, broken = self._all_bots
        return list(bots), list(broken)

    @cached_property
    def rules(self) -> Mapping[str, Any]:
        """Rule sets by name: the published ones, then those of installed packages."""
        return _RuleSetsByName(self)

    def rules_called(self, name: str | None) -> Any:
        """The rule set of this name, or the game's default. Raises UsageError for no rule set."""
        if name is None:
            return self.game.rules.default
        if name not in self.rules:
            raise UsageError(f"unknown rules {name!r}{did_you_mean(name, self.rules)}")
        return self.rules[name]

    def packaged_rules(self) -> Mapping[str, Any]:
        """The rule sets of installed packages."""
        offers = [offer for offer in self._descriptions.offers[0] if offer.game == self.game.name]
        return {rules.name: rules for offer in offers for rules in offer.rules}

    # Files

    def _describe_files(self, paths: Iterable[Path]) -> None:
        """Describe the files that have not been described yet, in processes of their own."""
        sources: dict[Path, BotSource] = {}
        for path in paths:
            if path not in self._descriptions.files:
                try:
                    sources[path] = BotSource.at(path).identified()
                except BotError as error:
                    self._descriptions.files[path] = error
        answers = run_all([about_file(source) for source in sources.values()])
        for (path, source), answer in zip(sources.items(), answers, strict=True):
            self._descriptions.files[path] = _checked_lookup(source, answer)

    @cached_property
    def _built_in_descriptions(self) -> dict[str, BotDescription]:
        return {name: bot.description() for name, bot in self._built_in.items()}

    @cached_property
    def _files(self) -> Sequence[Path]:
        """The own files of the bots in the folder."""
        return [real_path(path) for path in bot_files(self.folder)]

    @cached_property
    def _registered(self) -> Mapping[str, BotDescription]:
        """The bots that files register under names of their choice."""
        paths = [path for path in self._files if _may_register(path)]
        self._describe_files(paths)
        lookups = (self._descriptions.files[path] for path in paths)
        return {
            bot.name: bot
            for lookup in lookups
            if not isinstance(lookup, BotError)
            for bot in lookup
            if bot.game == self.game.name
        }

    @cached_property
    def _all_bots(self) -> tuple[list[BotDescription], list[BrokenBot]]:
        """All bots and all broken ones; cached, as a tournament can look up thousands of names."""
        by_name = self._built_in_descriptions | self._packaged
        broken = list(self._descriptions.offers[1])
        self._describe_files(self._files)
        for path in self._files:
            lookup, location = self._descriptions.files[path], str(bot_path(path))
            if isinstance(lookup, BotError):
                broken.append(BrokenBot(in_a_line(bot_name(path)), location, str(lookup)))
                continue
            for bot in (
                description for description in lookup if description.game == self.game.name
            ):
                if bot.name in by_name:
                    reason = f"the name {bot.name} is taken by a {by_name[bot.name].origin} bot"
                    broken.append(BrokenBot(bot.name, location, reason))
                else:
                    by_name[bot.name] = bot
        return list(by_name.values()), broken

    # Packages

    @cached_property
    def _packaged(self) -> dict[str, BotDescription]:
        packaged: dict[str, BotDescription] = {}
        for offer in self._descriptions.offers[0]:
            for bot in offer.bots:
                if bot.game == self.game.name and bot.name not in self._built_in:
                    packaged.setdefault(bot.name, bot)
        return packaged


class _BuiltInBots(Mapping[str, LoadedBot]):
    """The built-in bots of a game by name, each loaded at its first look-up."""

    def __init__(self, loader: Loader, game: Game) -> None:
        self._loader = loader
        self._game = game

    def __getitem__(self, name: str) -> LoadedBot:
        if name not in self._game.bots:
            raise KeyError(name)
        return self._loader.built_in_bot(name, self._game)

    def __contains__(self, name: object) -> bool:
        return name in self._game.bots

    def __iter__(self) -> Iterator[str]:
        return iter(self._game.bots)

    def __len__(self) -> int:
        return len(self._game.bots)


class _RuleSetsByName(Mapping[str, Any]):
    """The rule sets of a game by name; packages are read only for names not published."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._packaged = catalogue.packaged_rules
        self._named = catalogue.game.rules.named

    def __getitem__(self, name: str) -> Any:
        return self._named[name].rules if name in self._named else self._packaged()[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._named
        yield from (name for name in self._packaged() if name not in self._named)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _may_register(path: Path) -> bool:
    """Whether a file's text allows that it registers bots under other names than its own."""
    try:
        text = read_source(path)
    except BotError:
        return False
    return b"register_bots" in text or b"import *" in text


def _checked_lookup(source: BotSource, data: object) -> Lookup:
    try:
        return bots_of_file(source, data)
    except BotError as error:
        return error
