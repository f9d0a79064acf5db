"""The catalogue of available bots and rule sets.

No code of a bot file or a package runs in this process: other processes run it and describe it.
Those of bots that are isolated run in the sandbox, and so do those for lists, where there is one.
"""

import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from cantstop_arena.bots.bot_files import BotSource, read_source
from cantstop_arena.bots.bot_paths import (
    NET,
    RESULTS,
    bot_files,
    bot_name,
    bot_path,
    file_in,
    real_path,
)
from cantstop_arena.bots.bot_sandbox import (
    base_view,
    describing_policy,
    display_folder,
    file_policy,
    listing_policy,
    texts_of,
)
from cantstop_arena.bots.bot_start import Isolation, sandbox_problem
from cantstop_arena.bots.describe import (
    DESCRIBING,
    PackageContents,
    about_file,
    about_package,
    about_packages,
    about_texts,
    bots_of_file,
    offer_of_package,
    points_of_packages,
)
from cantstop_arena.bots.known_bot import BotDescription, LoadedBot
from cantstop_arena.bots.loader import Loader, only_bot
from cantstop_arena.bots.versions import PREVIOUS, digest_of_copy, stored_hint, stored_version
from cantstop_arena.errors import BotError, OtherGameError, UsageError
from cantstop_arena.game_api.bot_options import MAX_QUOTE_LENGTH, did_you_mean
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import DEFAULT, all_games, game_named
from cantstop_arena.hookspecs import PROJECT
from cantstop_arena.packages import is_declared
from cantstop_arena.processes.child_start import Policy
from cantstop_arena.processes.forking_sandbox import ForkingSandbox
from cantstop_arena.processes.isolated_call import run_all, starter
from cantstop_arena.processes.system import short_path
from cantstop_arena.texts import in_a_line

_SEARCH_SECONDS = 5.0  # for a bot that a file registers under another name than its own
_MISSING = ("ModuleNotFoundError", "FileNotFoundError", "cannot be read: No such file")

_SIGHT = (
    "in the sandbox a bot sees the files beside it whose names begin with _, the folder of its own"
    " name, and what needs: names"
)
Lookup = Sequence[BotDescription] | BotError
"""The bots of a file, or why it cannot be used."""
_GamePath: TypeAlias = tuple[str, Path]
"""The path of a bot's file, after the name of the game that it plays if it names none."""

Arrivals: TypeAlias = Callable[[str], Sequence[str]]
"""The digests of a bot's versions by its name, in the order in which they came to some results."""


def _nobody(name: str) -> Sequence[str]:
    """The arrivals where no results are known."""
    return ()


class BrokenBot(msgspec.Struct, frozen=True):
    """A plug-in that cannot be used, and why."""

    name: str
    origin: str
    reason: str


class _Descriptions:
    """Descriptions of the bots in files and of the contents of packages, for all games.

    `plain` are those by processes with the user's rights, `listed` those by forks in a sandbox
    where there is one, `isolated` those in a sandbox of their own, by what they need.
    """

    def __init__(self, folder: Path, hidden: Sequence[Path]) -> None:
        self._folder = folder
        self._hidden = hidden
        self.plain: dict[_GamePath, Lookup] = {}
        self.listed: dict[_GamePath, Lookup] = {}
        self.isolated: dict[_GamePath, dict[Sequence[Path], Lookup]] = {}
        self._plain_packages: dict[str, PackageContents] = {}

    @cached_property
    def files(self) -> Sequence[Path]:
        """The own files of the bots in the folder."""
        return [real_path(path) for path in bot_files(self._folder)]

    @cached_property
    def registering(self) -> Mapping[Path, bytes]:
        """The files whose texts allow that they register bots under other names, and the texts."""
        texts = {path: _readable_text(path) for path in self.files if path.suffix != NET}
        hooks = (b"register_bots", b"import *")
        return {path: text for path, text in texts.items() if any(hook in text for hook in hooks)}

    @cached_property
    def offers(self) -> tuple[list[PackageContents], list[BrokenBot]]:
        """The contents of the installed packages, and the packages that cannot be used.

        They are described in the sandbox where there is one: nobody has named them yet. Most
        machines have no such package; there no process lists them.
        """
        if not is_declared(f"[{PROJECT}]"):
            return [], []
        try:
            points, malformed = points_of_packages(next(run_all([about_packages()])))
        except BotError as error:
            return [], [BrokenBot("packages", "package", f"cannot be listed: {error}")]
        offers, broken = [], [BrokenBot(name, "package", reason) for name, reason in malformed]
        in_sandbox = bool(points) and not sandbox_problem()
        for (point, value), answer in zip(
            points.items(), self._answers(points, in_sandbox), strict=True
        ):
            try:
                offers.append(offer_of_package(point, answer))
            except BotError as error:
                broken.append(BrokenBot(point, f"package {value}", str(error)))
        return offers, broken

    def _answers(self, points: Iterable[str], in_sandbox: bool) -> Iterator[Any]:
        calls = [about_package(point) for point in points]
        if not in_sandbox:
            yield from run_all(calls)
            return
        for point, call in zip(points, calls, strict=True):
            policy = describing_policy(base_view(point, self._hidden))
            yield from run_all([call], start=starter(policy))

    def plain_package(self, point: str) -> PackageContents:
        """The contents of a package that somebody names as plain. Raises BotError."""
        if point not in self._plain_packages:
            (answer,) = run_all([about_package(point)])
            self._plain_packages[point] = offer_of_package(point, answer)
        return self._plain_packages[point]


class Catalogue:
    """The bots and rule sets for one game: built in, from packages, and from a folder.

    A file is described when it is first needed, once for each game; as `isolation` says, in a
    sandbox that shows it what it `needs`, and nothing `hidden`. `arrivals` are the versions that
    the results at hand know.
    """

    def __init__(
        self,
        folder: Path,
        game: Game | None = None,
        descriptions: _Descriptions | None = None,
        results: Path = RESULTS,
        isolation: Isolation = Isolation.NONE,
        needs: Sequence[Path] = (),
        hidden: Sequence[Path] = (),
        arrivals: Arrivals = _nobody,
    ) -> None:
        self.folder = folder
        self.results = results
        self.game = game or game_named(DEFAULT)
        self.isolation = isolation
        self._needs = (*needs,)
        self._hidden = (*hidden, folder.absolute(), results.absolute())
        self._arrivals = arrivals
        self._descriptions = descriptions or _Descriptions(folder, self._hidden)
        self._built_in = _BuiltInBots(Loader(folder), self.game)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy describes bots anew: what has loaded them is of this process alone."""
        setting = self.results, self.isolation, self._needs, self._hidden, self._arrivals
        return Catalogue, (self.folder, self.game, None, *setting)

    def playing(self, game: Game) -> "Catalogue":
        """The catalogue for another game; it shares the descriptions of files and packages."""
        return self if game is self.game else self._copy(game, self.isolation, self._needs)

    def isolated(
        self, isolation: Isolation, needs: Sequence[Path] = (), hidden: Sequence[Path] = ()
    ) -> "Catalogue":
        """The catalogue for bots that are isolated like this; it shares the descriptions."""
        if (isolation, (*needs,)) == (self.isolation, self._needs):
            return self
        return self._copy(self.game, isolation, needs, hidden)

    def with_arrivals(self, arrivals: Arrivals) -> "Catalogue":
        """The catalogue for results that have these versions; it shares the descriptions."""
        copy = self._copy(self.game, self.isolation, self._needs)
        copy._arrivals = arrivals
        return copy

    def _copy(
        self,
        game: Game,
        isolation: Isolation,
        needs: Sequence[Path],
        hidden: Sequence[Path] = (),
    ) -> "Catalogue":
        return Catalogue(
            self.folder,
            game,
            self._descriptions,
            self.results,
            isolation,
            needs,
            (*self._hidden, *hidden),
            self._arrivals,
        )

    def of_all_games(self) -> "list[Catalogue]":
        """A catalogue for each game."""
        return [self.playing(game) for game in all_games()]

    def find(self, name: str) -> BotDescription:
        """The bot of this name. Raises BotError if there is none, or several, or it is broken."""
        if conflict := self.name_conflict(name):
            raise BotError(conflict)
        if bot := self._built_in.get(name):
            return bot.description()
        if package_bot := self._packaged.get(name):
            return self._named(package_bot)
        if path := self.file_of(name):
            return self.load_file(path)
        return self._bot_by_search(name)

    def _named(self, bot: BotDescription) -> BotDescription:
        """The bot of a package that has been found by its name; a plain one has all rights.

        Raises BotError.
        """
        if self._is_in_sandbox or bot.package is None or sandbox_problem():
            return bot
        bots = self._descriptions.plain_package(bot.package).bots
        return next((plain for plain in bots if plain.name == bot.name), bot)

    def _plain_bot_of_package(self, broken: BrokenBot) -> BotDescription:
        """The bot of a package of its name that works only outside the sandbox. Raises BotError."""
        if not (self._is_in_sandbox or sandbox_problem()):
            bots = self._descriptions.plain_package(broken.name).bots
            named = (bot for bot in bots if bot.name == broken.name and bot.game == self.game.name)
            if bot := next(named, None):
                return bot
        raise BotError(f"bot {broken.name} is broken: {broken.reason}")

    @property
    def _is_in_sandbox(self) -> bool:
        return self.isolation is Isolation.SANDBOX

    def file_of(self, name: str) -> Path | None:
        """The own file of the bot in the folder that `find` would describe; None if none.

        Raises BotError when a file and a folder have the name.
        """
        return None if self.has(name) else file_in(self.folder, name)

    def _bot_by_search(self, name: str) -> BotDescription:
        """The bot that a file registers under this name; other files are not described."""
        if namesakes := self._registered.get(name):
            bots = self.bots_of(namesakes[0].path) if namesakes[0].path else namesakes
            return next((bot for bot in bots if bot.name == name), namesakes[0])
        if broken := next((bot for bot in self._descriptions.offers[1] if bot.name == name), None):
            return self._plain_bot_of_package(broken)
        if game := self._game_of(name):
            raise OtherGameError(f"bot {name} plays {game}, not {self.game.name}", [game])
        hint = (
            stored_hint(self.results, name)
            or did_you_mean(name, self.names)
            or "".join(
                f"; {broken.origin} cannot be used: {broken.reason}"
                for broken in self._descriptions.offers[1]
            )
        )
        raise BotError(f"unknown bot {name!r:.{MAX_QUOTE_LENGTH}}{hint}")

    def _game_of(self, name: str) -> str | None:
        """The name of another game for which a bot of this name is built in or packaged."""
        catalogues = (catalogue for catalogue in self.of_all_games() if catalogue is not self)
        return next((catalogue.game.name for catalogue in catalogues if catalogue.has(name)), None)

    def has(self, name: str) -> bool:
        """Whether a built-in bot or a bot from a package has this name."""
        return name in self._built_in or name in self._packaged

    def name_conflict(self, name: str) -> str:
        """The message that several bots have this name, with what to do; empty if one has it."""
        holders = ["a built-in bot"] if name in self._built_in else []
        holders += [f"a bot of the package {bot.package}" for bot in self._namesakes.get(name, ())]
        try:
            files = self._files_with(name)
        except BotError as error:  # a file and a folder have it
            return str(error)
        if len(holders) + len(files) < 2:
            return ""
        remedy = "uninstall one of the packages"
        names = [*holders, *(short_path(str(bot_path(path))) for path in files)]
        if files:
            is_own = bot_name(files[-1]) == name
            remedy = (
                f"for that one write {names[-1]}, or rename it" if is_own else "rename that one"
            )
        return f"{name!r} is the name of {' and of '.join(names)}; {remedy}"

    def _files_with(self, name: str) -> list[Path]:
        """The files in the folder that hold a bot of this name for this game, its own file last.

        Nobody has named them, so they are described like lists. A broken file holds the bot of its
        own name.
        """
        own = file_in(self.folder, name)
        if not (own or self.has(name)):
            return [bot.path for bot in self._registered.get(name, ()) if bot.path]
        paths = [real_path(own)] if own else []
        quoted = re.compile(rb"[\"']%s[\"']" % re.escape(name.encode()))
        texts = self._descriptions.registering
        paths = [path for path in texts if quoted.search(texts[path]) and path not in paths] + paths
        if not self.has(name) and len(paths) < 2:
            return paths
        lookups = self._list_files(paths, self.game.name)
        return [
            path
            for path in paths
            if (
                bot_name(path) == name
                if isinstance(lookup := lookups[path], BotError)
                else any(bot.name == name for bot in self._usable(lookup))
            )
        ]

    def load_file(self, path: Path) -> BotDescription:
        """The one bot of a file. Raises BotError, with the reason, unless there is exactly one."""
        return only_bot(self.bots_of(path), path)

    def version(self, path: Path, version: str) -> BotDescription:
        """A version of a file's one bot, from the copies that runs store, or the file itself.

        `version` is `previous` or the first digits of a digest (see `bots.versions`), which may be
        that of the file: it can have been edited back. Raises BotError when there is no such
        version.
        """
        arrivals = self._arrivals(bot_name(path)) if version == PREVIOUS else ()
        current = self._current_digest(path)
        if current.startswith(version):
            return self.load_file(path)
        copy = stored_version(self.results, path, version, current, arrivals)
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
        bots = self._described(real_path(path))
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
        """All bots that can be used, built-in ones first, and what cannot be used, and why."""
        bots, broken = self._all_bots
        return list(bots), list(broken)

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of all bots: built in, from packages, and of files in the folder.

        Only files are described that may register bots under other names than their own.
        """
        registered = self._registered
        families = {bot.path for bots in registered.values() for bot in bots}
        own = (bot_name(path) for path in self.files if path not in families)
        return [*dict.fromkeys((*self._built_in, *self._packaged, *own, *registered))]

    @property
    def packaged_names(self) -> Sequence[str]:
        """The names of the bots of packages."""
        return [*self._packaged]

    @property
    def broken_packages(self) -> Sequence[BrokenBot]:
        """The packages that cannot be used."""
        return self._descriptions.offers[1]

    @property
    def rights_note(self) -> str:
        """A sentence if lists run the code of files with the user's rights; else empty."""
        if not (self.files or self._descriptions.offers[0]):
            return ""
        if not (problem := sandbox_problem()):
            return ""
        return (
            "arena bots runs the code of these files with your rights: there is no sandbox here"
            f" ({problem})"
        )

    @cached_property
    def rules(self) -> Mapping[str, Any]:
        """Rule sets by name: the published ones, then those of installed packages."""
        return _RuleSetsByName(self)

    def rules_called(self, name: str | None) -> Any:
        """The rule set of this name, or the game's default. Raises UsageError for no rule set."""
        if name is None:
            return self.game.rules.default
        if name not in self.rules:
            pattern = f"; {self.game.rules_pattern}" if self.game.rules_pattern else ""
            raise UsageError(f"unknown rules {name!r:.60}{did_you_mean(name, self.rules)}{pattern}")
        return self.rules[name]

    def packaged_rules(self) -> Mapping[str, Sequence[Any]]:
        """The rule sets of installed packages by name, which several can have."""
        offers = [offer for offer in self._descriptions.offers[0] if offer.game == self.game.name]
        return _by_name(rules for offer in offers for rules in offer.rules)

    # Isolated bots

    def policy_of_file(self, path: Path) -> Policy | None:
        """How a process that runs a bot's file starts in the sandbox; None outside of it.

        Raises BotError when its files cannot be read.
        """
        if not self._is_in_sandbox:
            return None
        return file_policy(BotSource.at(real_path(path)), self._needs, self._hidden)

    def policy_of_package(self, point: str) -> Policy | None:
        """How a process that runs a package starts in the sandbox; None outside of it."""
        if not self._is_in_sandbox:
            return None
        return describing_policy(base_view(point, self._hidden))

    # Files

    def describe(self, paths: Iterable[Path]) -> None:
        """Describe the bots of files that somebody names, several at a time.

        Those of isolated bots are described one by one, each in a sandbox of its own.
        """
        if self._is_in_sandbox:
            return
        described = {*self._descriptions.plain, *self._descriptions.isolated}
        keys = dict.fromkeys((self.game.name, real_path(path)) for path in paths)
        self._descriptions.plain |= _described_plainly(key for key in keys if key not in described)

    def _described(self, path: Path) -> Lookup:
        """The bots of a file that a command or a tournament names.

        A file that is named as isolated, too, is described in the sandbox.
        """
        descriptions, key = self._descriptions, (self.game.name, path)
        if self._is_in_sandbox:
            lookups = descriptions.isolated.setdefault(key, {})
            if self._needs not in lookups:
                lookups[self._needs] = self._described_in_sandbox(path)
            return lookups[self._needs]
        if lookups := descriptions.isolated.get(key, {}):
            return next(iter(lookups.values()))
        if key not in descriptions.plain:
            descriptions.plain |= _described_plainly([key])
        return descriptions.plain[key]

    def _described_in_sandbox(self, path: Path) -> Lookup:
        try:
            source = BotSource.at(path).identified()
            policy = file_policy(source, self._needs, self._hidden)
            call = about_file(source, self.game.name, display_folder(source))
            (answer,) = run_all([call], start=starter(policy))
        except BotError as error:
            return error
        return _checked_lookup(source, answer, policy.view.texts if policy.view else {})

    def _list_files(
        self, paths: Iterable[Path], game: str, seconds: float = inf
    ) -> Mapping[Path, Lookup]:
        """The bots of files that nobody has named, as many as can be described in this time.

        They are of this game if they name none, and described in a sandbox where there is one.
        """
        listed, plain = self._descriptions.listed, self._descriptions.plain
        keys = ((game, path) for path in paths)
        new = [key for key in keys if key not in listed and key not in plain]
        if not new or sandbox_problem():
            plain |= _described_plainly(new, seconds)
        else:
            listed |= self._described_together(new, seconds)
        return {path: lookup for (of, path), lookup in (listed | plain).items() if of == game}

    def _described_together(
        self, keys: Sequence[_GamePath], seconds: float
    ) -> dict[_GamePath, Lookup]:
        """Descriptions by forks in one sandbox, each of which gets the texts of its own file."""
        lookups: dict[_GamePath, Lookup] = {}
        end = time.monotonic() + seconds
        with ForkingSandbox(listing_policy(self._hidden), DESCRIBING) as sandbox:
            for key in keys:
                if time.monotonic() > end:
                    break
                try:
                    source = BotSource.at(key[1]).identified()
                    texts = texts_of(source)
                except BotError as error:
                    lookups[key] = error
                    continue
                call = about_texts(source, texts, key[0], display_folder(source))
                (answer,) = run_all([call], start=sandbox.start)
                lookups[key] = _checked_lookup(source, answer, texts)
        return lookups

    @cached_property
    def _built_in_descriptions(self) -> dict[str, BotDescription]:
        return {name: bot.description() for name, bot in self._built_in.items()}

    @property
    def files(self) -> Sequence[Path]:
        """The own files of the bots in the folder."""
        return self._descriptions.files

    @cached_property
    def _registered(self) -> Mapping[str, Sequence[BotDescription]]:
        """The bots that files register under names of their choice, looked for in a short time."""
        paths = self._descriptions.registering
        lookups = self._list_files(paths, self.game.name, _SEARCH_SECONDS)
        return _by_name(bot for path in paths for bot in self._usable(lookups.get(path, ())))

    def _usable(self, lookup: Lookup) -> Sequence[BotDescription]:
        """The bots for this game in a file; none in a broken one."""
        bots = () if isinstance(lookup, BotError) else lookup
        return [bot for bot in bots if bot.game == self.game.name]

    @cached_property
    def _all_bots(self) -> tuple[list[BotDescription], list[BrokenBot]]:
        """All bots and all broken ones; cached, as a tournament can look up thousands of names."""
        by_name = self._built_in_descriptions | self._packaged
        broken = list(self._descriptions.offers[1])
        lookups = self._list_files(self.files, DEFAULT)
        helpers = {file for lookup in lookups.values() for file in _files_beside(lookup)}
        for path in self.files:
            lookup = lookups[path]
            if isinstance(lookup, BotError):
                if path in helpers:
                    continue
                name = in_a_line(bot_name(path))
                broken.append(BrokenBot(name, str(bot_path(path)), str(lookup)))
            by_name |= {bot.name: bot for bot in self._usable(lookup) if bot.name not in by_name}
        reasons = {name: self.name_conflict(name) or bot.complaint for name, bot in by_name.items()}
        broken += [
            BrokenBot(name, by_name[name].location, why) for name, why in reasons.items() if why
        ]
        return [bot for name, bot in by_name.items() if not reasons[name]], broken

    # Packages

    @cached_property
    def _packaged(self) -> dict[str, BotDescription]:
        return {
            name: bots[0] for name, bots in self._namesakes.items() if name not in self._built_in
        }

    @cached_property
    def _namesakes(self) -> Mapping[str, Sequence[BotDescription]]:
        """The bots of packages for this game by name, which several can have."""
        offers = self._descriptions.offers[0]
        return _by_name(bot for offer in offers for bot in self._usable(offer.bots))


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
    """The rule sets of a game by name. A name that several have raises UsageError.

    Names of the game's pattern (`Game.rules_of_pattern`) are known, but not listed.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._packaged = catalogue.packaged_rules
        self._game = catalogue.game
        self._named = catalogue.game.rules.named

    def __getitem__(self, name: str) -> Any:
        match self._rule_sets(name):
            case []:
                raise KeyError(name)
            case [rules]:
                return rules
        raise UsageError(
            f"{name!r} is the name of several rule sets; uninstall the packages that bring it"
        )

    def __iter__(self) -> Iterator[str]:
        names = {**self._named, **self._packaged()}
        yield from (name for name in names if len(self._rule_sets(name)) == 1)

    def _rule_sets(self, name: str) -> Sequence[Any]:
        """All rule sets of this name: published or of the game's pattern, and of packages."""
        named = self._named.get(name)
        published = named.rules if named else self._game.rules_of_pattern(name, {})
        packaged = self._packaged().get(name, ())
        return [*packaged] if published is None else [published, *packaged]

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _by_name(items: Iterable[Any]) -> Mapping[str, Sequence[Any]]:
    by_name: dict[str, list[Any]] = {}
    for item in items:
        by_name.setdefault(item.name, []).append(item)
    return by_name


def _files_beside(lookup: Lookup) -> Iterator[Path]:
    """The files beside a bot's file that are a part of it: the modules that it imports."""
    for bot in () if isinstance(lookup, BotError) else lookup:
        if bot.source:
            yield from (bot.source.folder / name for name in bot.source.files_beside)


def _readable_text(path: Path) -> bytes:
    """The text of a file; none where it cannot be read."""
    try:
        return read_source(path)
    except BotError:
        return b""


def _described_plainly(keys: Iterable[_GamePath], seconds: float = inf) -> dict[_GamePath, Lookup]:
    """Descriptions by processes with the user's rights, as many as are begun in this time."""
    lookups: dict[_GamePath, Lookup] = {}
    sources: dict[_GamePath, BotSource] = {}
    for key in keys:
        try:
            sources[key] = BotSource.at(key[1]).identified()
        except BotError as error:
            lookups[key] = error
    end = time.monotonic() + seconds
    answers = run_all([about_file(source, game) for (game, _), source in sources.items()])
    for (key, source), answer in zip(sources.items(), answers, strict=True):
        lookups[key] = _checked_lookup(source, answer)
        if time.monotonic() > end:
            break
    return lookups


def _checked_lookup(
    source: BotSource, data: object, texts: Collection[str] | None = None
) -> Lookup:
    """The bots in an answer; `texts` are those that the sandbox has shown, if it was in one."""
    try:
        return bots_of_file(source, data, texts)
    except BotError as error:
        is_missing = any(kind in str(error) for kind in _MISSING)
        return BotError(f"{error}; {_SIGHT}") if is_missing and texts is not None else error
