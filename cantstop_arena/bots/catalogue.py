"""The bots and rule sets that can be used here, known by descriptions.

No code of a file or a package runs in this process: others run it and tell what it holds.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from cantstop_arena.bots.bot_files import BotSource, bot_files
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
from cantstop_arena.bots.versions import RESULTS, stored_version
from cantstop_arena.errors import BotError, UsageError
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
    """What files and packages were found to hold, whatever they play."""

    def __init__(self) -> None:
        self.files: dict[Path, Lookup] = {}

    @cached_property
    def offers(self) -> tuple[list[PackageContents], list[BrokenBot]]:
        """What packages offer, and which of them cannot be used."""
        try:
            points, malformed = points_of_packages(next(run_all([about_packages()])))
        except BotError as error:
            return [], [BrokenBot("packages", "package", f"cannot be listed: {error}")]
        offers, broken = [], [BrokenBot(name, "package", reason) for name, reason in malformed]
        texts = run_all([about_package(point) for point in points])
        for (point, value), answer in zip(points.items(), texts, strict=True):
            try:
                offers.append(offer_of_package(point, answer))
            except BotError as error:
                broken.append(BrokenBot(point, f"package {value}", str(error)))
        return offers, broken


class Catalogue:
    """What can be used here to play one game.

    Files are looked at when they are asked for, and only once.
    """

    def __init__(
        self,
        folder: Path,
        game: Game | None = None,
        findings: _Descriptions | None = None,
        results: Path = RESULTS,
    ) -> None:
        self.folder = folder
        self.results = results
        self.game = game or game_named(DEFAULT)
        self._findings = findings or _Descriptions()
        self._own = _BuiltInBots(Loader(folder), self.game)

    def playing(self, game: Game) -> "Catalogue":
        """What can be used to play another game; nothing is looked at twice."""
        return (
            self
            if game is self.game
            else Catalogue(self.folder, game, self._findings, self.results)
        )

    def of_all_games(self) -> "list[Catalogue]":
        """A catalogue for every game that there is."""
        return [self.playing(game) for game in all_games()]

    def find(self, name: str) -> BotDescription:
        """The bot of this name. Raises BotError where there is none, or it is broken."""
        if spec := self._own.get(name):
            return spec.description()
        if packaged := self._packaged.get(name):
            return packaged
        if path := self.file_of(name):
            return self.load_file(path)
        return self._bot_by_path(name)

    def file_of(self, name: str) -> Path | None:
        """The file that `find` would have looked at for this name, if it would."""
        path = self.folder / f"{name}.py"
        is_another = name in self._own or name in self._packaged
        return path if not is_another and os.path.lexists(path) else None

    def _bot_by_path(self, name: str) -> BotDescription:
        existing_descriptions, broken = self.everything()
        if bot := next((bot for bot in existing_descriptions if bot.name == name), None):
            return bot
        if culprit := next((bad for bad in broken if bad.name == name), None):
            raise BotError(f"bot {name} is broken: {culprit.reason}")
        if other := self._game_of(name):
            raise BotError(f"bot {name} plays {other}, not {self.game.name}")
        hint = did_you_mean(name, (bot.name for bot in existing_descriptions))
        raise BotError(f"unknown bot {name!r:.{MAX_QUOTE_LENGTH}}{hint}")

    def _game_of(self, name: str) -> str | None:
        """The other game that a bot of this name plays, if there is one."""
        others = (other for other in self.of_all_games() if other is not self)
        return next((catalogue.game.name for catalogue in others if catalogue.has(name)), None)

    def has(self, name: str) -> bool:
        """Whether a built-in bot or one of a package has this name."""
        return name in self._own or name in self._packaged

    def load_file(self, path: Path) -> BotDescription:
        """The one bot of a file. Raises BotError with the reason where there is none."""
        return only_bot(self.bots_of(path), path)

    def version(self, path: Path, expected: str) -> BotDescription:
        """The one bot of a file as it was in some run. Raises BotError where that is not kept.

        What is `wanted` is told in bot_sources/versions.
        """
        folder = stored_version(self.results, path.name, expected, self._digest_now(path))
        description = self.load_file(folder)
        if description.digest != folder.parent.name:
            raise BotError(f"{folder} is not what has played")
        return description

    def _digest_now(self, path: Path) -> str:
        """Empty for a file that is gone, or broken: its versions can still play."""
        try:
            return self.load_file(path).digest if os.path.lexists(path) else ""
        except BotError:
            return ""

    def bots_of(self, path: Path) -> Sequence[BotDescription]:
        """All bots of a file. Raises BotError with the reason where it cannot be used."""
        path = _straight(path)
        self._look_at([path])
        matches = self._findings.files[path]
        if isinstance(matches, BotError):
            raise matches
        others = {bot.game for bot in matches} - {self.game.name}
        if others:
            raise BotError(f"{path} plays {' and '.join(sorted(others))}, not {self.game.name}")
        return matches

    def everything(self) -> tuple[list[BotDescription], list[BrokenBot]]:
        """All bots, built-in ones first, and all plug-ins that cannot be used."""
        existing_descriptions, broken = self._searched
        return list(existing_descriptions), list(broken)

    @cached_property
    def rules(self) -> Mapping[str, Any]:
        """Rule sets by name: the published ones, then those of installed packages."""
        return _RuleNames(self)

    def rules_called(self, name: str | None) -> Any:
        """The rule set of this name, or the game's default. Raises UsageError for no rule set."""
        if name is None:
            return self.game.rules.default
        if name not in self.rules:
            raise UsageError(f"unknown rules {name!r}{did_you_mean(name, self.rules)}")
        return self.rules[name]

    def packaged_rules(self) -> Mapping[str, Any]:
        """The rule sets of installed packages."""
        offers = [offer for offer in self._findings.offers[0] if offer.game == self.game.name]
        return {rules.name: rules for offer in offers for rules in offer.rules}

    # Files

    def _look_at(self, paths: Iterable[Path]) -> None:
        """Have files looked at that have not been."""
        sources: dict[Path, BotSource] = {}
        for path in paths:
            if path not in self._findings.files:
                try:
                    sources[path] = BotSource(path).identified()
                except BotError as error:
                    self._findings.files[path] = error
        texts = run_all([about_file(source) for source in sources.values()])
        for (path, source), answer in zip(sources.items(), texts, strict=True):
            self._findings.files[path] = _checked_lookup(source, answer)

    @cached_property
    def _own_described(self) -> dict[str, BotDescription]:
        return {name: spec.description() for name, spec in self._own.items()}

    @cached_property
    def _searched(self) -> tuple[list[BotDescription], list[BrokenBot]]:
        """What is found in the folder: once, as a tournament can ask for thousands of names."""
        by_name = self._own_described | self._packaged
        broken = list(self._findings.offers[1])
        paths = [_straight(path) for path in bot_files(self.folder)]
        self._look_at(paths)
        for path in paths:
            matches = self._findings.files[path]
            if isinstance(matches, BotError):
                broken.append(BrokenBot(in_a_line(path.stem), str(path), str(matches)))
                continue
            for bot in (
                description for description in matches if description.game == self.game.name
            ):
                if bot.name in by_name:
                    taken = f"the name {bot.name} is taken by a {by_name[bot.name].origin} bot"
                    broken.append(BrokenBot(bot.name, str(path), taken))
                else:
                    by_name[bot.name] = bot
        return list(by_name.values()), broken

    # Packages

    @cached_property
    def _packaged(self) -> dict[str, BotDescription]:
        packaged: dict[str, BotDescription] = {}
        for offer in self._findings.offers[0]:
            for bot in offer.bots:
                if bot.game == self.game.name and bot.name not in self._own:
                    packaged.setdefault(bot.name, bot)
        return packaged


class _BuiltInBots(Mapping[str, LoadedBot]):
    """The bots that come with a game, each loaded when it is asked for."""

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


class _RuleNames(Mapping[str, Any]):
    """Asks packages only for what is not published."""

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


def _checked_lookup(source: BotSource, data: object) -> Lookup:
    try:
        return bots_of_file(source, data)
    except BotError as error:
        return error


def _straight(path: Path) -> Path:
    return path.parent.resolve() / path.name  # a link to a file is a bot of its own name
